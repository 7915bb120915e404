// SPDX-License-Identifier: Apache-2.0
#include "tests/oracle/kconfig_random_tree.h"

#include <fmt/format.h>

#include <algorithm>

// A call draws at most once in its arguments: compilers, and GCC for x86 and for ARM, take those in
// different orders, and a seed is to give the same tree everywhere.
namespace hone::kconfig {
namespace {

std::string_view WordOf(char type) {
  switch (type) {
    case 'b':
      return "bool";
    case 't':
      return "tristate";
    case 'i':
      return "int";
    case 'h':
      return "hex";
    default:
      return "string";
  }
}

}  // namespace

std::string RandomKconfig::Tree() {
  text_ = Chance(2) ? "mainmenu \"Random\"\n" : "";
  text_ += fmt::format("config MODULES\n\tbool \"modules\"\n\tdefault {}\n\tmodules\n",
                       Chance(4) ? "n" : "y");
  known_ = {{"MODULES", 'b'}};
  next_ = 0;
  count_ = 6 + rng_.Below(14);
  types_.clear();
  for (std::size_t i = 0; i < count_; ++i) types_ += "bbbbtttttihs"[rng_.Below(12)];
  for (std::size_t i = has_transitional_ ? 1 + rng_.Below(5) : 0; i > 0; --i) Transitional(i);
  while (next_ < count_) Entry(0);
  return text_;
}

void RandomKconfig::Transitional(std::size_t number) {
  const char type = "bbtihs"[rng_.Below(6)];
  const std::string name = fmt::format("T{}", number);
  text_ += fmt::format("config {}\n\t{}\n\ttransitional\n", name, WordOf(type));
  known_.emplace_back(name, type);
}

std::string RandomKconfig::Value(char type) {
  constexpr const char* kTexts[] = {"\"\"", "\"a\"", "\"two words\"", "\"q \\\" s\\\\\""};
  switch (type) {
    case 'i':
      return std::to_string(rng_.Below(12));
    case 'h':
      return fmt::format("0x{:x}", rng_.Below(40));
    case 's':
      return kTexts[rng_.Below(4)];
    case 't':
      return std::string(1, "nmy"[rng_.Below(3)]);
    default:
      return std::string(1, "ny"[rng_.Below(2)]);
  }
}

std::string RandomKconfig::Term() {
  const auto& [name, type] = known_[rng_.Below(known_.size())];
  constexpr const char* kSigns[] = {"=", "!=", "<", ">", "<=", ">="};
  if (type != 'b' && type != 't') {
    const std::string value = Value(type);
    return fmt::format("{} {} {}", name, kSigns[rng_.Below(type == 's' ? 2 : 6)], value);
  }
  switch (rng_.Below(9)) {
    case 0:
      return "!" + name;
    case 1: {
      const std::string value = Value(type);
      // The tool of Linux 6.12 takes a symbol for an expression in BOOL!=y (expr_transform).
      return fmt::format("{}{}{}", name,
                         (has_groups_ && type == 'b') || Chance(2) ? "=" : "!=", value);
    }
    case 2:
      return "UNKNOWN";
    case 3:
      return "m";
    default:
      return name;
  }
}

std::string RandomKconfig::Condition() {
  std::string text;
  if (Chance(6)) {
    const std::string second = Term();
    text = fmt::format("!({} || {})", Term(), second);
  } else {
    text = Term();
  }
  while (Chance(3)) {
    const std::string term = Term();
    text += (Chance(2) ? " && " : " || ") + term;
  }
  return Chance(8) ? fmt::format("({}) && {}", text, Term()) : text;
}

std::string RandomKconfig::If() { return Chance(2) ? " if " + Condition() : std::string(); }

void RandomKconfig::Entry(int depth) {
  const std::uint64_t kind = rng_.Below(16);
  if (kind == 0) {
    Comment();
  } else if (kind <= 2 && depth < 3) {
    Block(depth);
  } else if (kind == 3) {
    Choice();
  } else {
    Symbol();
  }
}

void RandomKconfig::Block(int depth) {
  const bool is_menu = Chance(2);
  if (is_menu) {
    text_ += fmt::format("menu \"Menu {}\"\n", next_);
    if (Chance(2)) text_ += "\tdepends on " + Condition() + "\n";
    if (Chance(3)) text_ += "\tvisible if " + Condition() + "\n";
  } else {
    text_ += "if " + Condition() + "\n";
  }
  for (std::uint64_t left = 1 + rng_.Below(4); left > 0; --left) Entry(depth + 1);
  text_ += is_menu ? "endmenu\n" : "endif\n";
}

void RandomKconfig::Comment() {
  text_ += fmt::format("comment \"Comment {}\"\n", next_);
  if (Chance(2)) text_ += "\tdepends on " + Condition() + "\n";
}

void RandomKconfig::Help() {
  if (!Chance(3)) return;
  text_ += fmt::format("\thelp\n\t  Help for {}.\n\n\t    Indented.\n\n", next_);
}

void RandomKconfig::Defaults(char type) {
  for (std::uint64_t left = rng_.Below(3); left > 0; --left) {
    std::string value = Value(type);
    if ((type == 'b' || type == 't') && Chance(3)) value = Condition();
    if (has_transitional_) {
      for (const auto& [name, its_type] : known_) {
        if (name[0] == 'T' && its_type == type && Chance(2)) value = name;
      }
    }
    text_ += fmt::format("\tdefault {}{}\n", value, If());
  }
  if ((type == 'i' || type == 'h') && Chance(2)) {
    const std::uint64_t low = rng_.Below(6);
    const std::string condition = If();
    text_ += type == 'i' ? fmt::format("\trange {} {}{}\n", low, low + rng_.Below(8), condition)
                         : fmt::format("\trange 0x{:x} 0x{:x}{}\n", low, low + 9, condition);
  }
}

void RandomKconfig::Symbol() {
  const std::size_t number = next_++;
  const std::string name = fmt::format("S{}", number);
  const char type = number < count_ ? types_[number] : 'b';
  const bool has_prompt = rng_.Below(4) != 0;
  text_ += fmt::format("{} {}\n\t{}", has_prompt && Chance(6) ? "menuconfig" : "config", name,
                       WordOf(type));
  text_ += has_prompt ? fmt::format(" \"Prompt of {}\"{}\n", name, If()) : std::string("\n");
  if (Chance(2)) text_ += "\tdepends on " + Condition() + "\n";
  Defaults(type);
  if (type == 'b' || type == 't') {
    for (std::uint64_t left = rng_.Below(3); left > 0 && number + 1 < count_; --left) {
      const std::size_t target = number + 1 + rng_.Below(count_ - number - 1);
      if (types_[target] != 'b' && types_[target] != 't') continue;
      const std::string condition = If();
      text_ += fmt::format("\t{} S{}{}\n", Chance(2) ? "imply" : "select", target, condition);
    }
  }
  Help();
  if (Chance(8)) {  // Again, as drivers do for several architectures.
    text_ += fmt::format("config {}\n\t{}\n\tdepends on {}\n", name, WordOf(type), Condition());
    Defaults(type);
  }
  known_.emplace_back(name, type);
}

void RandomKconfig::Choice() {
  const bool is_tristate = !has_groups_ && Chance(3);
  const std::string group = fmt::format("G{}", next_);
  text_ += fmt::format("choice\n\t{} \"Choice {}\"{}\n",
                       has_groups_   ? "prompt"
                       : is_tristate ? "tristate"
                                     : "bool",
                       group, If());
  if (!has_groups_ && Chance(4)) text_ += "\toptional\n";
  if (Chance(3)) text_ += "\tdepends on " + Condition() + "\n";
  const std::size_t members = 1 + rng_.Below(4);
  if (Chance(2)) {
    const std::string condition = If();
    text_ += fmt::format("\tdefault {}_{}{}\n", group, rng_.Below(members), condition);
  }
  Help();
  std::vector<std::pair<std::string, char>> fresh;
  for (std::size_t i = 0; i < members; ++i) {
    const char type = is_tristate ? 't' : 'b';
    const std::string name = fmt::format("{}_{}", group, i);
    text_ += fmt::format("config {}\n\t{} \"Member {}\"{}\n", name, WordOf(type), name, If());
    if (Chance(3)) text_ += "\tdepends on " + Condition() + "\n";
    fresh.emplace_back(name, type);
  }
  text_ += "endchoice\n";
  known_.insert(known_.end(), fresh.begin(), fresh.end());
}

std::string RandomKconfig::Config() {
  std::string out;
  for (const auto& [name, type] : known_) {
    if (Chance(3)) continue;
    for (int times = Chance(15) ? 2 : 1; times > 0; --times) {
      const std::string value = Value(Chance(25) ? 't' : type);
      out += (type == 'b' || type == 't') && value == "n"
                 ? fmt::format("# CONFIG_{} is not set\n", name)
                 : fmt::format("CONFIG_{}={}\n", name, value);
    }
  }
  if (Chance(5)) out += "CONFIG_NOBODY=y\n";
  if (Chance(8)) out += "rubbish\n";
  if (Chance(8)) out += "\n# a remark\n";
  return out;
}

std::string RandomKconfig::Answers() {
  constexpr const char* kAnswers[] = {"",  "",   "",  "",   "y",   "n", "m", "Y",   "1",   "1", "2",
                                      "3", "12", "7", "no", "yes", "4", "m", "0x5", "a b", "x"};
  std::string out;
  for (std::size_t left = 40; left > 0; --left) {
    out += kAnswers[rng_.Below(std::size(kAnswers))];
    out += '\n';
  }
  for (int i = 0; i < 400; ++i) out += i % 2 == 0 ? "\n" : "1\n";  // One of them fits anything.
  return out;
}

}  // namespace hone::kconfig

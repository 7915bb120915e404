// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/language/macro.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "hone/kconfig/language/zephyr_functions.h"

namespace hone::kconfig {
namespace {

constexpr std::size_t kMaxArguments = 16;
constexpr std::uint32_t kDeepestExpansion = 1000;
constexpr std::uint32_t kDeepestNesting = 1200;
constexpr std::size_t kLongestText = 1 << 20;
constexpr std::uint64_t kMaxWork = 64 << 20;        // Bytes produced for one word.
constexpr std::uint64_t kMaxTotalWork = 1U << 30U;  // And for all of them.
constexpr std::uint64_t kWorkOfCall = 256;

bool IsWordByte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

Error Fault(std::string message) { return {Errc::kInvalidArgument, std::move(message)}; }

Error TooMuch(std::uint64_t bytes) {
  return Fault(fmt::format("macro expansion: more than {} bytes; is it meant to grow so?", bytes));
}

// The number of an argument, or 0.
std::size_t ArgumentNumber(std::string_view name) {
  while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
  std::size_t number = 0;
  const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), number);
  return fault == std::errc() && end == name.data() + name.size() ? number : 0;
}

// Splits "name,first,second" at commas outside of parentheses; what is too much stays in one piece.
std::vector<std::string_view> SplitClause(std::string_view clause) {
  std::vector<std::string_view> parts;
  int nesting = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < clause.size(); ++at) {
    if (nesting == 0 && clause[at] == ',' && parts.size() <= kMaxArguments) {
      parts.push_back(clause.substr(begin, at - begin));
      begin = at + 1;
    } else if (clause[at] == '(') {
      ++nesting;
    } else if (clause[at] == ')') {
      --nesting;
    }
  }
  parts.push_back(clause.substr(begin));
  return parts;
}

struct Extent {
  std::size_t end = std::string_view::npos;  // Where the parenthesis that is open at first closes.
  std::uint32_t deepest = 0;                 // How deep those inside of it nest.
};

Extent MeasureClause(std::string_view text) {
  Extent extent;
  std::uint32_t nesting = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '(') extent.deepest = std::max(extent.deepest, ++nesting);
    if (text[at] != ')') continue;
    if (nesting == 0) {
      extent.end = at;
      break;
    }
    --nesting;
  }
  return extent;
}

struct Builtin {
  std::string_view name;
  std::size_t arguments;
};
constexpr Builtin kBuiltins[] = {{"error-if", 2}, {"filename", 0}, {"info", 1},
                                 {"lineno", 0},   {"shell", 1},    {"warning-if", 2}};

}  // namespace

MacroExpander::MacroExpander(const Environment& environment, bool has_bare_variables,
                             MacroHost host)
    : environment_(environment), has_bare_variables_(has_bare_variables), host_(std::move(host)) {}

Result<MacroExpander::Expanded> MacroExpander::ExpandWord(std::string_view line,
                                                          bool has_path_bytes) {
  work_ = 0;
  Expanded word;
  while (word.consumed < line.size()) {
    const char c = line[word.consumed];
    if (c == '$') {
      auto expanded = Dollar(line.substr(word.consumed + 1), {});
      if (!expanded) return expanded.error();
      if (auto room = Append(word.text, expanded->text); !room) return room.error();
      word.consumed += 1 + expanded->consumed;
      continue;
    }
    if (!IsWordByte(c) && !(has_path_bytes && (c == '/' || c == '.'))) break;
    word.text += c;
    ++word.consumed;
  }
  return word;
}

Result<MacroExpander::Expanded> MacroExpander::ExpandDollar(std::string_view rest) {
  work_ = 0;
  return Dollar(rest, {});
}

Result<MacroExpander::Expanded> MacroExpander::Dollar(std::string_view rest,
                                                      const Arguments& arguments) {
  if (rest.starts_with('(')) {
    const std::string_view inner = rest.substr(1);
    const auto [end, deepest] = MeasureClause(inner);
    if (end == std::string_view::npos) {
      return Fault(
          fmt::format("unterminated reference to '{}': missing ')'", inner.substr(0, 200)));
    }
    if (deepest > kDeepestNesting) return Fault("Too deep recursive expansion");
    if (end > kLongestText) {
      return Fault(fmt::format("$({}…): more than {} bytes", inner.substr(0, 40), kLongestText));
    }
    if (auto room = Charge(kWorkOfCall); !room) return room.error();
    auto text = ExpandClause(inner.substr(0, end), arguments);
    if (!text) return text.error();
    return Expanded{std::move(*text), end + 2};
  }
  if (!has_bare_variables_) return Expanded{"$", 0};
  const bool has_braces = rest.starts_with('{');
  std::size_t end = has_braces ? 1 : 0;
  while (end < rest.size() && (IsWordByte(rest[end]) && rest[end] != '-')) ++end;
  if (end == (has_braces ? 1U : 0U)) return Expanded{"$", 0};
  const std::string_view name = rest.substr(has_braces ? 1 : 0, end - (has_braces ? 1 : 0));
  if (has_braces) {
    if (end >= rest.size() || rest[end] != '}') return Expanded{"$", 0};
    ++end;
  }
  return Expanded{FromEnvironment(name), end};
}

Result<void> MacroExpander::Append(std::string& text, std::string_view more) {
  if (auto room = Charge(more.size() + 1); !room) return room.error();
  if (text.size() + more.size() > kLongestText) return TooMuch(kLongestText);
  text += more;
  return {};
}

Result<void> MacroExpander::Charge(std::uint64_t work) {
  work_ += work;
  total_work_ += work;
  if (work_ > kMaxWork) return TooMuch(kMaxWork);
  if (total_work_ > kMaxTotalWork) return TooMuch(kMaxTotalWork);
  return {};
}

Result<std::string> MacroExpander::ExpandText(std::string_view text, const Arguments& arguments) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t dollar = std::min(text.find('$', at), text.size());
    if (auto room = Append(out, text.substr(at, dollar - at)); !room) return room.error();
    if (dollar == text.size()) break;
    auto expanded = Dollar(text.substr(dollar + 1), arguments);
    if (!expanded) return expanded.error();
    if (auto room = Append(out, expanded->text); !room) return room.error();
    at = dollar + 1 + expanded->consumed;
  }
  return out;
}

Result<std::string> MacroExpander::ExpandClause(std::string_view clause,
                                                const Arguments& arguments) {
  const std::size_t number = ArgumentNumber(clause);
  if (number > 0 && number <= arguments.size()) return arguments[number - 1];
  if (depth_ >= kDeepestNesting) return Fault("Too deep recursive expansion");
  ++depth_;
  const auto parts = SplitClause(clause);
  if (parts.size() > kMaxArguments) return Fault("too many function arguments");
  std::vector<std::string> expanded;
  expanded.reserve(parts.size());
  for (const std::string_view part : parts) {
    auto text = ExpandText(part, arguments);
    if (!text) return text.error();
    expanded.push_back(std::move(*text));
  }
  const std::string name = std::move(expanded.front());
  expanded.erase(expanded.begin());
  auto result = Call(name, expanded);
  --depth_;
  return result;
}

Result<std::string> MacroExpander::Call(const std::string& name, const Arguments& arguments) {
  if (const auto found = variables_.find(name); found != variables_.end()) {
    return CallVariable(name, found->second, arguments);
  }
  for (const Builtin& builtin : kBuiltins) {
    if (builtin.name != name) continue;
    if (arguments.size() != builtin.arguments) {
      return Fault(fmt::format("too {} function arguments passed to '{}'",
                               arguments.size() < builtin.arguments ? "few" : "many", name));
    }
    return CallBuiltin(name, arguments);
  }
  if (has_bare_variables_) {
    const auto variable = [this](std::string_view wanted) { return FromEnvironment(wanted); };
    if (auto answer = CallZephyrFunction(name, arguments, variable)) return *std::move(answer);
  }
  return arguments.empty() ? FromEnvironment(name) : std::string();
}

Result<std::string> MacroExpander::CallVariable(const std::string& name, Variable& variable,
                                                const Arguments& arguments) {
  if (arguments.empty() && variable.active > 0) {
    return Fault(fmt::format("Recursive variable '{}' references itself (eventually)", name));
  }
  if (variable.active > kDeepestExpansion) return Fault("Too deep recursive expansion");
  if (variable.flavour == Flavour::kSimple) return variable.value;
  ++variable.active;
  const std::string value = variable.value;
  auto text = ExpandText(value, arguments);
  --variable.active;
  return text;
}

Result<std::string> MacroExpander::CallBuiltin(const std::string& name,
                                               const Arguments& arguments) {
  if (name == "shell") return host_.shell(arguments[0]);
  if (name == "filename") return host_.place().first;
  if (name == "lineno") return std::to_string(host_.place().second);
  if (name == "info") host_.info(arguments[0]);
  if (name == "warning-if" && arguments[0] == "y") host_.warning(arguments[1]);
  if (name == "error-if" && arguments[0] == "y") return Fault(arguments[1]);
  return std::string();
}

Result<void> MacroExpander::Assign(std::string_view name, Flavour flavour, std::string_view value) {
  work_ = 0;
  const auto [found, is_new] = variables_.try_emplace(std::string(name));
  Variable& variable = found->second;
  const bool appends = flavour == Flavour::kAppend && !is_new;
  if (flavour == Flavour::kAppend) flavour = is_new ? Flavour::kRecursive : variable.flavour;
  variable.flavour = flavour;
  std::string text(value);
  if (flavour == Flavour::kSimple) {
    auto expanded = ExpandText(value, {});
    if (!expanded) return expanded.error();
    text = std::move(*expanded);
  }
  if (!appends) {
    variable.value = std::move(text);
    return {};
  }
  if (auto room = Append(variable.value, " "); !room) return room.error();
  return Append(variable.value, text);
}

void MacroExpander::BindSymbol(std::string_view symbol, std::string_view variable) {
  bound_[std::string(symbol)] = variable;
}

std::string MacroExpander::ReplaceNames(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t dollar = text.find('$');
    out += text.substr(0, dollar);
    if (dollar == std::string_view::npos) return out;
    std::size_t end = dollar + 1;
    while (end < text.size() && IsWordByte(text[end]) && text[end] != '-') ++end;
    out += FromEnvironment(text.substr(dollar + 1, end - dollar - 1));
    text.remove_prefix(end);
  }
}

std::string MacroExpander::FromEnvironment(std::string_view name) {
  if (name.empty()) return {};
  if (const auto bound = bound_.find(name); bound != bound_.end()) name = bound->second;
  const auto found = environment_.find(name);
  if (found == environment_.end()) {
    const bool is_argument = ArgumentNumber(name) > 0;
    if (!is_argument && std::find(unset_.begin(), unset_.end(), name) == unset_.end()) {
      unset_.emplace_back(name);
    }
    return {};
  }
  for (const NamedText& used : used_) {
    if (used.first == name) return found->second;
  }
  used_.emplace_back(found->first, found->second);
  return found->second;
}

}  // namespace hone::kconfig

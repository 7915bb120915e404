// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/options/option_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "hone/domains/kconfig/options/protected_options.h"
#include "hone/kconfig/reason/near_names.h"

namespace hone::kernels {
namespace {

using kconfig::Configuration;
using kconfig::SymbolId;
using kconfig::SymbolType;

constexpr double kWide = 100;  // From this ratio on, a range is searched by its logarithm.

// One line: a name, and the values that are allowed (none: all).
struct Line {
  Layer layer = Layer::kBuild;
  std::string name;
  std::string values;
};

Error BadOption(const std::string& name, std::string_view why) {
  return {Errc::kInvalidArgument, fmt::format("option {}: {}", name, why)};
}

std::vector<std::string> Split(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return parts;
}

std::vector<Line> ReadLines(std::string_view text) {
  std::string plain;  // Without comments, which may have commas.
  for (const std::string& line : Split(text, "\n")) plain += line.substr(0, line.find('#')) + "\n";
  std::vector<Line> lines;
  for (std::string& part : Split(plain, "\n,")) {
    part.erase(std::remove_if(part.begin(), part.end(), ::isspace), part.end());
    if (part.empty()) continue;
    Line line;
    for (const auto& [prefix, layer] :
         {std::pair{"boot:", Layer::kBoot}, {"sysctl:", Layer::kRun}, {"CONFIG_", Layer::kBuild}}) {
      if (!part.starts_with(prefix)) continue;
      line.layer = layer;
      part.erase(0, std::string_view(prefix).size());
      break;
    }
    const std::size_t equals = part.find('=');
    line.name = part.substr(0, equals);
    if (equals != std::string::npos) line.values = part.substr(equals + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::optional<std::int64_t> NumberOf(std::string_view text) {
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<IntegerRange> RangeOf(const std::string& name, const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return BadOption(name, "expected LOW..HIGH, found " + text);
  const auto low = NumberOf(text.substr(0, dots));
  const auto high = NumberOf(text.substr(dots + 2));
  if (!low || !high || *low >= *high) return BadOption(name, "expected LOW..HIGH, found " + text);
  const bool is_wide = *low > 0 && static_cast<double>(*high) / static_cast<double>(*low) >= kWide;
  return IntegerRange{*low, *high, 1, is_wide};
}

// Of a range line of the tree that holds now.
std::string RangeNow(const Configuration& base, SymbolId id) {
  const auto property = base.ActiveProperty(id, kconfig::PropertyKind::kRange);
  if (property == kconfig::kNone) return "";
  const kconfig::Property& range = base.tree().property(property);
  return fmt::format("{}..{}", base.text(range.first), base.text(range.second));
}

std::string PromptOf(const kconfig::Tree& tree, SymbolId id) {
  for (const kconfig::Property& property : tree.PropertiesOf(id)) {
    if (property.kind == kconfig::PropertyKind::kPrompt) return std::string(property.text);
  }
  return "";
}

// A parameter with its link, made of one line.
struct Made {
  Parameter parameter;
  OptionLink link;
};

Result<Made> MakeFree(const Line& line, const IsFlag& is_flag) {
  Made made;
  made.link = {line.layer, line.name};
  made.parameter.description = line.layer == Layer::kBoot
                                   ? "A parameter of the kernel's command line."
                                   : "A parameter of the running kernel.";
  made.parameter.name =
      fmt::format("{}:{}", line.layer == Layer::kBoot ? "boot" : "sysctl", line.name);
  if (line.layer == Layer::kBoot && line.values.empty()) {
    made.parameter.kind = Boolean{};
    made.parameter.default_value = false;
    return made;
  }
  if (line.layer == Layer::kBoot && is_flag && is_flag(line.name)) {
    return BadOption(line.name, fmt::format("takes no value, so that each would set it: "
                                            "boot:{} alone is off and on",
                                            line.name));
  }
  if (line.values.find("..") != std::string::npos) {
    const auto range = RangeOf(line.name, line.values);
    if (!range) return range.error();
    made.parameter.kind = *range;
    made.parameter.default_value = range->low;
    return made;
  }
  const auto values = Split(line.values, "|");
  if (values.size() < 2) {
    return BadOption(line.name, "needs its values: NAME=a|b (the baseline's first) or LOW..HIGH");
  }
  made.parameter.kind = Category{values};
  made.parameter.default_value = values.front();
  return made;
}

Result<Made> MakeChoice(const Configuration& base, const Line& line, SymbolId member) {
  const kconfig::Tree& tree = base.tree();
  const SymbolId choice = tree.symbol(member).choice;
  Made made;
  made.parameter.name = PromptOf(tree, choice);
  if (made.parameter.name.empty()) made.parameter.name = line.name;
  made.link = {Layer::kBuild, made.parameter.name, choice};
  Category category;
  const auto wanted = Split(line.values, "|");
  for (const SymbolId id : tree.MembersOf(choice)) {
    std::string name(tree.symbol(id).name);
    const bool is_wanted =
        wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
    if (!is_wanted || base.visibility(id) == kconfig::Tristate::kNo) continue;
    made.link.members.emplace(name, id);
    category.choices.push_back(std::move(name));
  }
  made.parameter.description = fmt::format("One of {}.", fmt::join(category.choices, ", "));
  const SymbolId now = base.Selection(choice);
  if (now == kconfig::kNone) return BadOption(line.name, "its choice is off in this configuration");
  made.parameter.default_value = std::string(tree.symbol(now).name);
  if (category.choices.size() < 2)
    return BadOption(line.name, "its choice has only one member here");
  made.parameter.kind = std::move(category);
  return made;
}

Result<Made> MakeSymbol(const Configuration& base, const Line& line, SymbolId id) {
  const kconfig::Tree& tree = base.tree();
  Made made;
  made.parameter.name = line.name;
  made.parameter.description = PromptOf(tree, id);
  if (made.parameter.description.empty()) {
    return BadOption(line.name, "nobody can set it: it has no prompt and follows from others");
  }
  const SymbolType type = base.EffectiveType(id);
  made.link = {Layer::kBuild, line.name, id, {}, type == SymbolType::kHex};
  const std::string now(base.text(id));
  const auto values = Split(line.values, "|");
  if (type == SymbolType::kBool) {
    made.parameter.kind = Boolean{};
    made.parameter.default_value = base.value(id) == kconfig::Tristate::kYes;
    return made;
  }
  if (type == SymbolType::kTristate || values.size() > 1) {
    Category category{values.empty() ? std::vector<std::string>{"n", "m", "y"} : values};
    made.parameter.default_value =
        type == SymbolType::kTristate ? std::string(kconfig::TextOf(base.value(id))) : now;
    made.parameter.kind = std::move(category);
    return made;
  }
  if (type == SymbolType::kString) return BadOption(line.name, "is a text: name its values, a|b|c");
  const std::string range_text = line.values.empty() ? RangeNow(base, id) : line.values;
  if (range_text.empty()) {
    return BadOption(line.name, "the tree has no range for it: name one, LOW..HIGH");
  }
  const auto range = RangeOf(line.name, range_text);
  if (!range) return range.error();
  made.parameter.kind = *range;
  made.parameter.default_value = NumberOf(now).value_or(range->low);
  return made;
}

Result<void> CheckAllowed(const std::string& name, const std::vector<std::string>& allowed) {
  const std::string reason = ProtectedOptions::BuiltIn().ReasonFor(name);
  const bool is_allowed = std::find(allowed.begin(), allowed.end(), name) != allowed.end();
  if (reason.empty() || is_allowed) return {};
  return BadOption(name, fmt::format("is protected ({}); allow={} if you mean it", reason, name));
}

Result<Made> MakeOne(const Configuration& base, const Line& line,
                     const std::vector<std::string>& allowed, const IsFlag& is_flag) {
  if (line.layer != Layer::kBuild) {
    auto made = MakeFree(line, is_flag);
    if (!made) return made;
    if (auto fine = CheckAllowed(made->parameter.name, allowed); !fine) return fine.error();
    return made;
  }
  const SymbolId id = base.tree().Find(line.name);
  if (id == kconfig::kNone || base.tree().symbol(id).first_menu == kconfig::kNone) {
    return kconfig::UnknownSymbol(base.tree(), line.name);
  }
  if (auto fine = CheckAllowed(line.name, allowed); !fine) return fine.error();
  if (base.tree().symbol(id).choice != kconfig::kNone) return MakeChoice(base, line, id);
  return MakeSymbol(base, line, id);
}

std::string TextFor(const OptionLink& link, const Value& value) {
  if (const bool* is_on = std::get_if<bool>(&value)) return *is_on ? "y" : "n";
  const auto* number = std::get_if<std::int64_t>(&value);
  if (link.is_hex && number != nullptr) return fmt::format("{:#x}", *number);
  return ToText(value);
}

}  // namespace

Result<OptionSpace> OptionSpace::Make(const Configuration& base, std::string_view text,
                                      const std::vector<std::string>& allowed,
                                      const IsFlag& is_flag) {
  OptionSpace made;
  std::vector<Parameter> parameters;
  for (const Line& line : ReadLines(text)) {
    auto one = MakeOne(base, line, allowed, is_flag);
    if (!one) return one.error();
    if (!made.links_.emplace(one->parameter.name, one->link).second) {
      return BadOption(line.name, "is named twice (a choice is one parameter)");
    }
    parameters.push_back(std::move(one->parameter));
  }
  auto space = Space::Make(std::move(parameters));
  if (!space) return space.error();
  made.space_ = std::move(*space);
  made.baseline_ = made.space_.Defaults();
  return made;
}

std::vector<kconfig::Wish> OptionSpace::WishesFor(const Assignment& assignment) const {
  std::vector<kconfig::Wish> wishes;
  for (const auto& [name, value] : assignment) {
    const auto link = links_.find(name);
    if (link == links_.end() || link->second.layer != Layer::kBuild) continue;
    if (baseline_.at(name) == value) continue;
    const std::string text = TextFor(link->second, value);
    const auto member = link->second.members.find(text);
    if (member != link->second.members.end()) {
      wishes.push_back({member->second, "y"});
    } else {
      wishes.push_back({link->second.symbol, text});
    }
  }
  return wishes;
}

std::string OptionSpace::CommandLineFor(const Assignment& assignment) const {
  std::string line;
  for (const auto& [name, value] : assignment) {
    const auto link = links_.find(name);
    if (link == links_.end() || link->second.layer != Layer::kBoot) continue;
    const bool* is_there = std::get_if<bool>(&value);
    if (is_there != nullptr && !*is_there) continue;
    line += line.empty() ? "" : " ";
    line += is_there != nullptr ? link->second.name
                                : fmt::format("{}={}", link->second.name, ToText(value));
  }
  return line;
}

std::map<std::string, std::string> OptionSpace::SysctlsFor(const Assignment& assignment) const {
  std::map<std::string, std::string> sysctls;
  for (const auto& [name, value] : assignment) {
    const auto link = links_.find(name);
    if (link == links_.end() || link->second.layer != Layer::kRun) continue;
    sysctls[link->second.name] = TextFor(link->second, value);
  }
  return sysctls;
}

}  // namespace hone::kernels

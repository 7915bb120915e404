// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/services/config_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "hone/core/letter_case.h"
#include "hone/domains/sysctl/services/config_blocks.h"

namespace hone::sysctl {
namespace {

constexpr std::array kConfigForms{ConfigForm::kWords, ConfigForm::kEquals, ConfigForm::kBlocks};
constexpr std::string_view kBlank = " \t\r";

std::string_view Stripped(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

bool IsSameKey(std::string_view one, std::string_view other) {
  return LowerCase(one) == LowerCase(other);
}

Error WrongConfig(const std::string& why) { return {Errc::kInvalidArgument, why}; }

// A value that could end its line or its statement would be more than a value.
Result<void> CheckValue(const ConfigSetting& setting) {
  const auto is_plain = [](char c) {
    return c >= ' ' && c < '\x7f' && std::string_view(";{}#'\"\\$`").find(c) == std::string::npos;
  };
  if (!setting.value.empty() && std::all_of(setting.value.begin(), setting.value.end(), is_plain)) {
    return {};
  }
  return WrongConfig(
      fmt::format("{}: \"{}\" cannot be written as a value; no quotes, braces, "
                  "comments or line ends",
                  setting.key, setting.value));
}

// A line as "key", "value"; no key for blank lines and comments.
struct ConfigLine {
  std::size_t begin = 0;  // In the text.
  std::size_t end = 0;    // Without the line's end.
  std::string_view key;
  std::string_view value;
};

// Up to a comment or the end of a quotation.
std::string_view ValueOfEquals(std::string_view rest) {
  if (rest.starts_with('=')) rest = Stripped(rest.substr(1));
  if (rest.starts_with('\'')) {
    const std::size_t end = rest.find('\'', 1);
    return end == rest.npos ? rest : rest.substr(1, end - 1);
  }
  return Stripped(rest.substr(0, rest.find('#')));
}

ConfigLine LineAt(ConfigForm form, std::string_view text, std::size_t begin) {
  ConfigLine line{begin, std::min(text.find('\n', begin), text.size()), {}, {}};
  const std::string_view whole = Stripped(text.substr(begin, line.end - begin));
  if (whole.empty() || whole.starts_with('#')) return line;
  const std::size_t end =
      std::min(whole.find_first_of(form == ConfigForm::kEquals ? " \t=" : " \t"), whole.size());
  line.key = whole.substr(0, end);
  const std::string_view rest = Stripped(whole.substr(end));
  line.value = form == ConfigForm::kEquals ? ValueOfEquals(rest) : rest;
  return line;
}

// The last line of the key, which counts.
std::optional<ConfigLine> LineOf(ConfigForm form, std::string_view text, const std::string& key) {
  std::optional<ConfigLine> found;
  for (std::size_t at = 0; at < text.size();) {
    const ConfigLine line = LineAt(form, text, at);
    if (IsSameKey(line.key, key)) found = line;
    at = line.end + 1;
  }
  return found;
}

std::string LineText(ConfigForm form, const ConfigSetting& setting) {
  if (form == ConfigForm::kWords) return fmt::format("{} {}", setting.key, setting.value);
  const bool is_bare =
      setting.value.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == std::string::npos;
  return is_bare ? fmt::format("{} = {}", setting.key, setting.value)
                 : fmt::format("{} = '{}'", setting.key, setting.value);
}

std::string WithLine(ConfigForm form, std::string text, const ConfigSetting& setting) {
  const std::string line = LineText(form, setting);
  if (const auto found = LineOf(form, text, setting.key)) {
    return text.replace(found->begin, found->end - found->begin, line);
  }
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return text + line + "\n";
}

Result<std::optional<ConfigPlaces::Directive>> DirectiveOf(const ConfigPlaces& places,
                                                           const ConfigSetting& asked) {
  std::optional<ConfigPlaces::Directive> found;
  for (const auto& directive : places.directives) {
    if (directive.block != asked.block || directive.key != asked.key) continue;
    if (found) {
      return WrongConfig(fmt::format("{} stands there twice{}", asked.key,
                                     asked.block.empty() ? "" : " in " + asked.block));
    }
    found = directive;
  }
  return found;
}

Result<std::string> WithDirective(std::string text, const ConfigSetting& setting) {
  const auto places = FindPlaces(text);
  if (!places) return places.error();
  const auto found = DirectiveOf(*places, setting);
  if (!found) return found.error();
  if (*found) {
    const auto& place = **found;
    const std::string gap = place.begin == place.end ? " " : "";
    return text.replace(place.begin, place.end - place.begin, gap + setting.value);
  }
  if (setting.block.empty()) return fmt::format("{} {};\n{}", setting.key, setting.value, text);
  const auto is_named = [&](const auto& block) { return block.path == setting.block; };
  const auto block = std::find_if(places->blocks.begin(), places->blocks.end(), is_named);
  if (block == places->blocks.end()) {
    return WrongConfig(fmt::format("{}: there is no block {}", setting.key, setting.block));
  }
  if (std::count_if(places->blocks.begin(), places->blocks.end(), is_named) > 1) {
    return WrongConfig(
        fmt::format("{}: there is more than one block {}", setting.key, setting.block));
  }
  return text.insert(block->inside, fmt::format("\n    {} {};", setting.key, setting.value));
}

}  // namespace

std::string_view NameOf(ConfigForm form) {
  switch (form) {
    case ConfigForm::kWords:
      return "key value";
    case ConfigForm::kEquals:
      return "key = value";
    case ConfigForm::kBlocks:
      return "key value;";
  }
  return "unknown";
}

std::optional<ConfigForm> ConfigFormOf(std::string_view name) {
  const auto found = std::find_if(kConfigForms.begin(), kConfigForms.end(),
                                  [&](ConfigForm form) { return NameOf(form) == name; });
  return found == kConfigForms.end() ? std::nullopt : std::optional(*found);
}

Result<std::optional<std::string>> ConfigValue(ConfigForm form, std::string_view text,
                                               const ConfigSetting& asked) {
  if (form != ConfigForm::kBlocks) {
    const auto line = LineOf(form, text, asked.key);
    return line ? std::optional(std::string(line->value)) : std::nullopt;
  }
  const auto places = FindPlaces(text);
  if (!places) return places.error();
  const auto found = DirectiveOf(*places, asked);
  if (!found) return found.error();
  if (!*found) return std::optional<std::string>();
  return std::optional(std::string(text.substr((*found)->begin, (*found)->end - (*found)->begin)));
}

Result<std::string> WithConfig(ConfigForm form, std::string text,
                               const std::vector<ConfigSetting>& settings) {
  for (const ConfigSetting& setting : settings) {
    if (auto checked = CheckValue(setting); !checked) return checked.error();
    auto changed = form == ConfigForm::kBlocks
                       ? WithDirective(std::move(text), setting)
                       : Result<std::string>(WithLine(form, std::move(text), setting));
    if (!changed) return changed;
    text = std::move(*changed);
  }
  return text;
}

}  // namespace hone::sysctl

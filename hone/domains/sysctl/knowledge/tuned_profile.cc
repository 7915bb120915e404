// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/tuned_profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "hone/base/file.h"
#include "hone/domains/sysctl/kernel/kernel_text.h"
#include "hone/domains/sysctl/knowledge/settings_lines.h"

namespace hone::sysctl {
namespace {

constexpr std::array<const char*, 4> kFolders = {"/etc/tuned", "/etc/tuned/profiles",
                                                 "/usr/lib/tuned", "/usr/lib/tuned/profiles"};
constexpr int kMaxDepth = 10;  // Of variables that name variables.

// A section as its file has it.
struct Section {
  std::string name;
  std::vector<TunedOption> options;
};

TunedUnit UnitOf(const std::string& name) {
  TunedUnit unit;
  unit.name = unit.type = name;
  return unit;
}

Error Wrong(const std::string& what, int line, const std::string& why) {
  return Error{Errc::kInvalidArgument, fmt::format("{}: line {}: {}", what, line, why)};
}

// tuned reads "value # why" without the comment, and "value" in quotes without them.
std::string ValueIn(const std::string& line, std::size_t equals) {
  std::string value = line.substr(equals + 1);
  if (const auto comment = value.find(" #"); comment != std::string::npos) value.resize(comment);
  value = CleanText(Trimmed(value));
  const bool is_quoted = value.size() > 1 && value.front() == value.back() &&
                         (value.front() == '"' || value.front() == '\'');
  return is_quoted ? CleanText(value.substr(1, value.size() - 2)) : value;
}

Result<std::vector<Section>> ReadSections(const std::string& text, const std::string& what) {
  std::vector<Section> sections;
  for (const Line& line : LinesOf(text)) {
    if (line.IsComment()) continue;
    if (line.text.front() == '[') {
      sections.push_back({line.text.substr(1, line.text.find(']') - 1), {}});
      continue;
    }
    const std::size_t equals = line.text.find('=');
    const std::string key = Trimmed(line.text.substr(0, equals));
    if (equals == std::string::npos || key.empty() || sections.empty()) {
      return Wrong(what, line.number,
                   fmt::format("expected \"name=value\", found \"{:.60}\"", line.text));
    }
    sections.back().options.push_back({key, ValueIn(line.text, equals), what, line.number});
  }
  return sections;
}

bool IsName(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
  });
}

std::vector<std::string> NamesIn(std::string text) {
  std::replace(text.begin(), text.end(), ';', ',');
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    names.push_back(Trimmed(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
  return names;
}

// Where tuned, or else a person, has the profile of this name.
std::vector<std::filesystem::path> PlacesOf(const std::string& name, const std::string& what) {
  const auto folder = std::filesystem::absolute(what).parent_path();
  std::vector<std::filesystem::path> places;
  const bool is_stock = std::any_of(kFolders.begin(), kFolders.end(), [&](const char* stock) {
    return folder.parent_path() == stock;
  });
  if (!is_stock) {
    places = {folder.parent_path() / name / "tuned.conf", folder / name / "tuned.conf"};
  }
  for (const char* const stock : kFolders) {
    places.push_back(std::filesystem::path(stock) / name / "tuned.conf");
  }
  return places;
}

// Reads a profile after those that it includes, so that what it says itself counts.
class ProfileReader {
 public:
  Result<void> Read(const std::string& text, const std::string& what) {
    auto sections = ReadSections(text, what);
    if (!sections) return sections.error();
    read_.insert(std::filesystem::weakly_canonical(what, ignored_));
    for (const Section& section : *sections) {
      if (section.name != "main") continue;
      for (const TunedOption& option : section.options) {
        if (option.key != "include") continue;
        if (auto included = Include(option); !included) return included;
      }
    }
    for (Section& section : *sections) Merge(std::move(section));
    return {};
  }

  std::vector<TunedUnit> Finish() {
    for (TunedUnit& unit : units_) {
      unit.devices = Filled(unit.devices);
      unit.uname_regex = Filled(unit.uname_regex);
      unit.cpuinfo_regex = Filled(unit.cpuinfo_regex);
      for (TunedOption& option : unit.options) option.value = Filled(option.value);
    }
    return std::move(units_);
  }

 private:
  Result<void> Include(const TunedOption& option) {
    for (const std::string& name : NamesIn(Filled(option.value))) {
      if (!IsName(name)) {
        return Wrong(option.file, option.line,
                     fmt::format("include: \"{:.60}\" is no name of a profile, or is computed by "
                                 "tuned; name the profile",
                                 name));
      }
      if (auto read = ReadNamed(name, option); !read) return read;
    }
    return {};
  }

  Result<void> ReadNamed(const std::string& name, const TunedOption& option) {
    for (const auto& place : PlacesOf(name, option.file)) {
      if (!std::filesystem::exists(place, ignored_)) continue;
      // As for tuned, a profile that includes its own name means the next one of that name.
      if (read_.contains(std::filesystem::weakly_canonical(place, ignored_))) continue;
      const auto text = ReadFile(place);
      if (!text) return text.error();
      return Read(*text, place.string());
    }
    return Wrong(option.file, option.line,
                 fmt::format("it builds on the profile {}, which is neither in /etc/tuned nor in "
                             "/usr/lib/tuned, nor beside it",
                             name));
  }

  void Merge(Section section) {
    if (section.name == "main") return;
    if (section.name == "variables") {
      for (TunedOption& option : section.options) variables_[option.key] = option.value;
      return;
    }
    TunedUnit& unit = UnitNamed(section.name);
    const bool is_new = std::any_of(
        section.options.begin(), section.options.end(),
        [](const TunedOption& option) { return option.key == "replace" && IsYes(option.value); });
    if (is_new) unit = UnitOf(section.name);
    for (TunedOption& option : section.options) Take(unit, std::move(option));
  }

  TunedUnit& UnitNamed(const std::string& name) {
    const auto found = std::find_if(units_.begin(), units_.end(),
                                    [&](const TunedUnit& unit) { return unit.name == name; });
    if (found != units_.end()) return *found;
    return units_.emplace_back(UnitOf(name));
  }

  static bool IsYes(const std::string& value) {
    return value == "1" || value == "true" || value == "True" || value == "yes";
  }

  // What every plugin understands, or what is left to this one.
  static void Take(TunedUnit& unit, TunedOption option) {
    const std::map<std::string_view, std::string*> common{{"type", &unit.type},
                                                          {"devices", &unit.devices},
                                                          {"uname_regex", &unit.uname_regex},
                                                          {"cpuinfo_regex", &unit.cpuinfo_regex}};
    if (const auto found = common.find(option.key); found != common.end()) {
      *found->second = option.value;
    } else if (option.key == "enabled") {
      unit.is_enabled = IsYes(option.value);
    } else if (option.key != "replace" && option.key != "priority") {
      std::erase_if(unit.options, [&](const TunedOption& one) { return one.key == option.key; });
      unit.options.push_back(std::move(option));
    }
  }

  // With the values of plain variables; functions and what is not known stay as they are.
  std::string Filled(std::string text) const {
    for (int depth = 0; depth < kMaxDepth; ++depth) {
      bool has_changed = false;
      for (const auto& [name, value] : variables_) {
        const std::string written = fmt::format("${{{}}}", name);
        const auto at = text.find(written);
        if (at == std::string::npos) continue;
        text.replace(at, written.size(), value);
        has_changed = true;
      }
      if (!has_changed) break;
    }
    return text;
  }

  std::vector<TunedUnit> units_;
  std::map<std::string, std::string> variables_;
  std::set<std::filesystem::path> read_;
  std::error_code ignored_;
};

}  // namespace

Result<std::vector<TunedUnit>> ReadTunedProfile(const std::string& text, const std::string& what) {
  ProfileReader reader;
  if (auto read = reader.Read(text, what); !read) return read.error();
  return reader.Finish();
}

}  // namespace hone::sysctl

// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/tuned_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <regex.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "hone/base/file.h"
#include "hone/base/json/parse_values.h"
#include "hone/domains/sysctl/knowledge/path_pattern.h"
#include "hone/domains/sysctl/knowledge/settings_lines.h"

namespace hone::sysctl {
namespace {

constexpr std::string_view kHugePages = "/sys/kernel/mm/transparent_hugepage/";
constexpr std::string_view kPolicies = "/sys/devices/system/cpu/cpufreq/policy*/";
constexpr std::string_view kPstate = "/sys/devices/system/cpu/intel_pstate/";

// What an option sets.
struct Target {
  std::vector<std::string> paths;  // May be patterns.
  std::string text;                // "performance", ">4096", "conservative|powersave".
  bool is_device = false;          // Left out where the machine does not have it.
  bool has_choices = false;        // The first of several that is offered counts.
};

// In the regular expressions of POSIX, with \s and \b, which are those of tuned but for rare forms.
std::optional<bool> Matches(const std::string& pattern, const std::string& text) {
  regex_t compiled;
  if (::regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB | REG_NEWLINE) != 0) {
    return std::nullopt;
  }
  const bool is_match = ::regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
  ::regfree(&compiled);
  return is_match;
}

std::string UnameText() {
  utsname name{};
  if (::uname(&name) != 0) return "";
  return fmt::format("{} {} {} {} {}", name.sysname, name.nodename, name.release, name.version,
                     name.machine);
}

std::vector<std::string> Words(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, separator);) {
    if (word = Trimmed(word); !word.empty()) words.push_back(word);
  }
  return words;
}

// What tuned's own words for memory stand for; empty if it is none that is known here.
std::string PathOfVmKey(const std::string& key) {
  if (key == "transparent_hugepages" || key == "transparent_hugepage") {
    return std::string(kHugePages) + "enabled";
  }
  if (key == "transparent_hugepage.defrag") return std::string(kHugePages) + "defrag";
  return "";
}

// The kernel takes words for this one too, but shows numbers.
std::string BiasOf(const std::string& words) {
  static const std::map<std::string, std::string> known{
      {"performance", "0"}, {"balance-performance", "4"}, {"normal", "6"}, {"balance-power", "8"},
      {"power", "15"},      {"powersave", "15"}};
  const auto all = Words(words, '|');
  const auto found = all.empty() ? known.end() : known.find(all.front());
  return found == known.end() ? words : found->second;
}

std::optional<Target> CpuTarget(const TunedUnit& unit, const TunedOption& option) {
  if (!unit.devices.empty() && unit.devices != "*") return std::nullopt;
  const auto of_policy = [&](const char* name) {
    return Target{{std::string(kPolicies) + name}, option.value, true, true};
  };
  const auto of_pstate = [&](const char* name, const std::string& text) {
    return Target{{std::string(kPstate) + name}, text, true, false};
  };
  const std::string& value = option.value;
  if (option.key == "governor") return of_policy("scaling_governor");
  if (option.key == "energy_performance_preference") return of_policy(option.key.c_str());
  if (option.key == "min_perf_pct") return of_pstate("min_perf_pct", value);
  if (option.key == "no_turbo") return of_pstate("no_turbo", value == "true" ? "1" : value);
  if (option.key != "energy_perf_bias") return std::nullopt;
  return Target{
      {"/sys/devices/system/cpu/cpu*/power/energy_perf_bias"}, BiasOf(value), true, false};
}

// "4096" and "4096 KiB"; sectors are half of one: "8192 s".
std::string ReadaheadOf(const std::string& value) {
  const auto words = Words(value, ' ');
  if (words.size() < 2 || words[1].front() != 's') return words.empty() ? "" : words.front();
  const bool is_limit = value.starts_with('>') || value.starts_with('<');
  const auto sectors = ParseCount("readahead", words.front().substr(is_limit ? 1 : 0), 0);
  if (!sectors) return value;
  return fmt::format("{}{}", is_limit ? value.substr(0, 1) : "", *sectors / 2);
}

bool IsDeviceName(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '*' || c == '_' || c == '-';
  });
}

std::optional<Target> DiskTarget(const TunedUnit& unit, const TunedOption& option) {
  const bool is_elevator = option.key == "elevator";
  if (!is_elevator && option.key != "readahead") return std::nullopt;
  std::string names = unit.devices.empty() ? "*" : unit.devices;
  std::replace(names.begin(), names.end(), ',', ' ');
  Target target{{}, is_elevator ? option.value : ReadaheadOf(option.value), true, is_elevator};
  for (const std::string& name : Words(names, ' ')) {
    if (!IsDeviceName(name)) return std::nullopt;
    target.paths.push_back(
        fmt::format("/sys/block/{}/queue/{}", name, is_elevator ? "scheduler" : "read_ahead_kb"));
  }
  return target;
}

// None: it is understood by tuned alone.
std::optional<Target> TargetOf(const TunedUnit& unit, const TunedOption& option) {
  if (unit.type == "cpu") return CpuTarget(unit, option);
  if (unit.type == "disk") return DiskTarget(unit, option);
  if (!unit.devices.empty()) return std::nullopt;
  if (unit.type == "sysctl") return Target{{PathOfName(option.key)}, option.value};
  if (unit.type == "sysfs") return Target{{option.key}, option.value};
  const std::string path = unit.type == "vm" ? PathOfVmKey(option.key) : "";
  if (path.empty()) return std::nullopt;
  return Target{{path}, option.value};
}

bool IsLimit(const std::string& text) { return text.starts_with('>') || text.starts_with('<'); }

class ProfileSettings {
 public:
  ProfileSettings(std::string what, KernelFiles* files) : what_(std::move(what)), files_(files) {}

  Result<void> Add(const TunedUnit& unit) {
    if (!unit.is_enabled) return {};
    const auto is_meant = IsForThisMachine(unit);
    if (!is_meant) return is_meant.error();
    if (!*is_meant) return {};
    for (const TunedOption& option : unit.options) {
      const auto target = TargetOf(unit, option);
      if (!target) {
        refused_.push_back(fmt::format("[{}] {} ({})", unit.name, option.key, PlaceOf(option)));
        continue;
      }
      if (auto added = AddTarget(*target, option); !added) return added;
    }
    return {};
  }

  Result<std::vector<Setting>> Finish() {
    if (refused_.empty()) return std::move(settings_);
    return Error{
        Errc::kInvalidArgument,
        fmt::format("{}: tuned alone can do: {}. Leave it out of a copy of the profile, or "
                    "name what it sets under [sysctl] or [sysfs]",
                    what_, fmt::join(refused_, ", "))};
  }

 private:
  std::string PlaceOf(const TunedOption& option) const {
    return option.file == what_ ? fmt::format("line {}", option.line)
                                : fmt::format("{}, line {}", option.file, option.line);
  }

  static Error Wrong(const TunedOption& option, const std::string& why) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: line {}: {}", option.file, option.line, why)};
  }

  // An Error where that cannot be told.
  Result<bool> IsForThisMachine(const TunedUnit& unit) const {
    const auto is_met = [&](const std::string& pattern, const auto& text) -> Result<bool> {
      if (pattern.empty()) return true;
      const auto matches = Matches(pattern, text());
      if (matches) return *matches;
      return Error{Errc::kInvalidArgument,
                   fmt::format("{}: [{}]: \"{:.60}\" is no regular expression that is understood "
                               "here",
                               what_, unit.name, pattern)};
    };
    auto is_named = is_met(unit.uname_regex, UnameText);
    if (!is_named || !*is_named) return is_named;
    return is_met(unit.cpuinfo_regex, [] { return ReadFile("/proc/cpuinfo").value_or(""); });
  }

  Result<void> AddTarget(const Target& target, const TunedOption& option) {
    const bool has_several = target.has_choices && target.text.find('|') != std::string::npos;
    const bool needs_machine = IsLimit(target.text) || has_several;
    if (target.text.find("${") != std::string::npos || (needs_machine && files_ == nullptr)) {
      return Wrong(option, fmt::format("{}: the value \"{}\" is computed by tuned; write the value "
                                       "itself",
                                       option.key, target.text));
    }
    for (const std::string& path : target.paths) {
      if (auto fault = FaultIn(path, target.text); !fault.empty()) return Wrong(option, fault);
      if (files_ == nullptr || (!target.is_device && !needs_machine)) {
        Take({path, target.text});
        continue;
      }
      const auto paths = IsPattern(path) ? files_->Match(path) : std::vector{path};
      if (!paths) return paths.error();
      for (const std::string& one : *paths) {
        if (auto text = TextFor(one, target)) Take({one, std::move(*text)});
      }
    }
    return {};
  }

  // What is to be written there; none where it stays as it is.
  std::optional<std::string> TextFor(const std::string& path, const Target& target) const {
    const auto now = files_->Read(path);
    if (target.is_device && (!now || IsRemovable(path))) return std::nullopt;
    if (target.has_choices) return FirstOffered(path, target.text);
    if (!IsLimit(target.text)) return target.text;
    std::string limit = Trimmed(target.text.substr(1));
    const auto wanted = ParseCount("limit", limit, 0, INT64_MAX);
    const auto current = now ? ParseCount("now", *now, 0, INT64_MAX) : now.error();
    if (!wanted || !current) return limit;
    const bool is_min = target.text.front() == '>';
    return (is_min ? *wanted > *current : *wanted < *current) ? std::optional(limit) : std::nullopt;
  }

  // tuned leaves removable disks alone.
  bool IsRemovable(const std::string& path) const {
    const auto stars = MatchPattern("/sys/block/*/queue/*", path);
    return stars &&
           files_->Read(fmt::format("/sys/block/{}/removable", stars->front())).value_or("0") ==
               "1";
  }

  std::optional<std::string> FirstOffered(const std::string& path, const std::string& text) const {
    static const std::map<std::string, std::string> lists{
        {"scaling_governor", "scaling_available_governors"},
        {"energy_performance_preference", "energy_performance_available_preferences"}};
    const auto slash = path.rfind('/') + 1;
    const auto list = lists.find(path.substr(slash));
    const auto offered = list == lists.end() ? files_->ReadRaw(path)
                                             : files_->Read(path.substr(0, slash) + list->second);
    const auto words = Words(text, '|');
    if (!offered) return words.empty() ? std::nullopt : std::optional(words.front());
    std::string plain = *offered;
    std::erase_if(plain, [](char c) { return c == '[' || c == ']'; });
    const auto there = Words(plain, ' ');
    for (const std::string& word : words) {
      if (std::find(there.begin(), there.end(), word) != there.end()) return word;
    }
    return std::nullopt;
  }

  // Of two for one path the later counts.
  void Take(Setting setting) {
    std::erase_if(settings_, [&](const Setting& one) { return one.path == setting.path; });
    settings_.push_back(std::move(setting));
  }

  std::string what_;
  KernelFiles* files_;
  std::vector<Setting> settings_;
  std::vector<std::string> refused_;
};

}  // namespace

Result<std::vector<Setting>> SettingsOfProfile(const std::vector<TunedUnit>& units,
                                               const std::string& what, KernelFiles* files) {
  ProfileSettings settings(what, files);
  for (const TunedUnit& unit : units) {
    if (auto added = settings.Add(unit); !added) return added.error();
  }
  return settings.Finish();
}

}  // namespace hone::sysctl

// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/conflicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "hone/base/file.h"
#include "hone/core/trimmed.h"
#include "hone/domains/sysctl/kernel/kernel_text.h"
#include "hone/domains/sysctl/kernel/setting.h"
#include "hone/domains/sysctl/knowledge/path_pattern.h"

namespace hone::sysctl {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxIncludes = 16;

// One line somewhere that sets what a pattern covers.
struct ForeignSetting {
  std::string pattern;
  std::string value;
  std::string source;
};

std::vector<std::string> LinesIn(const fs::path& file) {
  std::vector<std::string> lines;
  const auto text = ReadFile(file, 1 << 20);
  if (!text) return lines;
  std::istringstream stream(*text);
  for (std::string line; std::getline(stream, line);) lines.emplace_back(Trimmed(line));
  return lines;
}

bool IsEmptyLine(const std::string& line) {
  return line.empty() || line.front() == '#' || line.front() == ';';
}

class ConflictSearch {
 public:
  explicit ConflictSearch(fs::path root) : root_(std::move(root)) {}

  std::vector<ForeignSetting> Sysctl() const {
    std::vector<ForeignSetting> lines;
    for (const std::string& file : FilesOf("sysctl.d")) AddSysctl(file, lines);
    AddSysctl("/etc/sysctl.conf", lines);  // As systemd and procps do: last.
    return lines;
  }

  std::vector<ForeignSetting> Tmpfiles() const {
    std::vector<ForeignSetting> lines;
    for (const std::string& file : FilesOf("tmpfiles.d")) AddTmpfiles(file, lines);
    return lines;
  }

  std::vector<ForeignSetting> Tuned() const {
    std::vector<ForeignSetting> lines;
    const auto active = LinesIn(At("/etc/tuned/active_profile"));
    if (active.empty()) return lines;
    std::istringstream profiles(active.front());
    for (std::string profile; profiles >> profile;) AddProfile(profile, 0, lines);
    return lines;
  }

  bool IsRunning(std::string_view program) const {
    std::error_code fault;
    for (fs::directory_iterator at(root_ / "proc", fault), end; !fault && at != end;
         at.increment(fault)) {
      const std::string name = at->path().filename();
      if (name.find_first_not_of("0123456789") != name.npos) continue;
      const auto comm = LinesIn(at->path() / "comm");
      if (!comm.empty() && comm.front() == program) return true;
    }
    return false;
  }

 private:
  fs::path At(const std::string& path) const { return root_ / path.substr(1); }

  // Files of one name hide those of less important folders; all are read in the order of names.
  std::vector<std::string> FilesOf(const std::string& folder) const {
    std::map<std::string, std::string> by_name;
    for (const std::string parent : {"/etc/", "/run/", "/usr/local/lib/", "/usr/lib/", "/lib/"}) {
      std::error_code fault;
      for (fs::directory_iterator at(At(parent + folder), fault), end; !fault && at != end;
           at.increment(fault)) {
        const std::string name = at->path().filename();
        if (name.ends_with(".conf"))
          by_name.emplace(name, fmt::format("{}{}/{}", parent, folder, name));
      }
    }
    std::vector<std::string> files;
    files.reserve(by_name.size());
    for (const auto& [name, file] : by_name) files.push_back(file);
    return files;
  }

  void AddSysctl(const std::string& file, std::vector<ForeignSetting>& into) const {
    int number = 0;
    for (const std::string& line : LinesIn(At(file))) {
      ++number;
      const std::size_t equals = line.find('=');
      if (IsEmptyLine(line) || equals == line.npos) continue;
      std::string name(Trimmed(line.substr(0, equals)));
      if (name.starts_with('-')) name = std::string(Trimmed(name.substr(1)));
      into.push_back({PathOfName(name), CleanText(std::string(Trimmed(line.substr(equals + 1)))),
                      fmt::format("{}:{}", file, number)});
    }
  }

  void AddTmpfiles(const std::string& file, std::vector<ForeignSetting>& into) const {
    int number = 0;
    for (const std::string& line : LinesIn(At(file))) {
      ++number;
      if (IsEmptyLine(line)) continue;
      std::istringstream words(line);
      std::string type;
      std::string path;
      std::string skipped;
      std::string value;
      words >> type >> path >> skipped >> skipped >> skipped >> skipped;
      std::getline(words, value);
      if (!type.starts_with('w')) continue;
      into.push_back({path, std::string(Trimmed(value)), fmt::format("{}:{}", file, number)});
    }
  }

  // A profile's own lines come after those of the profiles that it includes.
  void AddProfile(const std::string& profile, int depth, std::vector<ForeignSetting>& into) const {
    if (depth > kMaxIncludes) return;
    for (const std::string folder :
         {"/etc/tuned/", "/etc/tuned/profiles/", "/usr/lib/tuned/", "/usr/lib/tuned/profiles/"}) {
      const std::string file = folder + profile + "/tuned.conf";
      const auto lines = LinesIn(At(file));
      if (lines.empty()) continue;
      for (const std::string& base : IncludesOf(lines)) AddProfile(base, depth + 1, into);
      AddProfileLines(file, lines, into);
      return;
    }
  }

  static std::vector<std::string> IncludesOf(const std::vector<std::string>& lines) {
    std::vector<std::string> profiles;
    for (const std::string& line : lines) {
      const std::size_t equals = line.find('=');
      if (equals == line.npos || Trimmed(line.substr(0, equals)) != "include") continue;
      std::string list = line.substr(equals + 1);
      std::replace(list.begin(), list.end(), ',', ' ');
      std::istringstream words(list);
      for (std::string word; words >> word;) profiles.push_back(word);
    }
    return profiles;
  }

  static void AddProfileLines(const std::string& file, const std::vector<std::string>& lines,
                              std::vector<ForeignSetting>& into) {
    std::string section;
    int number = 0;
    for (const std::string& line : lines) {
      ++number;
      if (IsEmptyLine(line)) continue;
      if (line.front() == '[') section = line;
      const std::size_t equals = line.find('=');
      if (equals == line.npos) continue;
      const std::string key(Trimmed(line.substr(0, equals)));
      const std::string path = PathOfTuned(section, key);
      if (path.empty()) continue;
      into.push_back({path, CleanText(std::string(Trimmed(line.substr(equals + 1)))),
                      fmt::format("{}:{}", file, number)});
    }
  }

  // What a key of a section sets; empty if it is no kernel parameter that we know.
  static std::string PathOfTuned(const std::string& section, const std::string& key) {
    if (section == "[sysctl]") return PathOfName(key);
    if (section == "[sysfs]") return key;
    if (section.starts_with("[vm") && key.starts_with("transparent_hugepage")) {
      const bool is_defrag = key.ends_with("defrag");
      return std::string("/sys/kernel/mm/transparent_hugepage/") +
             (is_defrag ? "defrag" : "enabled");
    }
    if (section.starts_with("[disk") && key == "readahead")
      return "/sys/block/*/queue/read_ahead_kb";
    if (section.starts_with("[disk") && key == "elevator") return "/sys/block/*/queue/scheduler";
    if (section.starts_with("[cpu") && key == "governor") {
      return "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor";
    }
    return "";
  }

  fs::path root_;
};

// A program that changes parameters by itself while it runs.
struct Meddler {
  const char* program;  // As the kernel names its process, which is at most 15 letters.
  const char* service;
  const char* prefix;  // Of the paths that it changes.
  const char* what;
};
constexpr std::array kMeddlers{
    Meddler{"bpftune", "bpftune", "/proc/sys/net/", "changes network parameters"},
    Meddler{"irqbalance", "irqbalance", "/proc/irq/", "moves interrupts between CPUs"},
    Meddler{"power-profiles-", "power-profiles-daemon", "/sys/devices/system/cpu/",
            "sets governors and energy preferences"},
    Meddler{"thermald", "thermald", "/sys/devices/system/cpu/", "slows hot CPUs down"},
};

// The last line that covers the path, for that is the one in force.
const ForeignSetting* LastFor(const std::vector<ForeignSetting>& lines, const std::string& path) {
  const auto found = std::find_if(lines.rbegin(), lines.rend(), [&](const ForeignSetting& line) {
    return MatchPattern(line.pattern, path).has_value();
  });
  return found == lines.rend() ? nullptr : &*found;
}

}  // namespace

std::vector<Conflict> FindConflicts(const std::vector<std::string>& paths, const fs::path& root) {
  const ConflictSearch search(root);
  const auto sysctl = search.Sysctl();
  const auto tmpfiles = search.Tmpfiles();
  const auto tuned = search.Tuned();
  const bool has_tuned = search.IsRunning("tuned");
  std::vector<Conflict> conflicts;
  for (const std::string& path : paths) {
    if (const ForeignSetting* line = LastFor(sysctl, path)) {
      conflicts.push_back({path, line->source, line->value,
                           "It is set again at every start, and by sysctl --system."});
    }
    if (const ForeignSetting* line = LastFor(tmpfiles, path)) {
      conflicts.push_back({path, line->source, line->value,
                           "It is set again at every start, and by systemd-tmpfiles --create."});
    }
    if (const ForeignSetting* line = LastFor(tuned, path)) {
      conflicts.push_back(
          {path, line->source, line->value,
           has_tuned ? "tuned runs and sets it whenever it applies its profile, also during a "
                       "campaign; stop it first: systemctl stop tuned."
                     : "tuned sets it when it is started."});
    }
  }
  for (const Meddler& meddler : kMeddlers) {
    const std::string prefix = meddler.prefix;
    const bool is_touched = std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
      return path.starts_with(prefix);
    });
    if (!is_touched || !search.IsRunning(meddler.program)) continue;
    conflicts.push_back({prefix.substr(0, prefix.size() - 1), meddler.service, "",
                         fmt::format("{} runs and {} by itself, also during a campaign; stop it "
                                     "first: systemctl stop {}.",
                                     meddler.service, meddler.what, meddler.service)});
  }
  return conflicts;
}

}  // namespace hone::sysctl

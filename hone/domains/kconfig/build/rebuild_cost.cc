// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/build/rebuild_cost.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "hone/base/file.h"

namespace hone::kernels {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxCommandFile = 64 << 20;

constexpr std::string_view kMention = "$(wildcard include/config/";
constexpr std::string_view kPrefix = "CONFIG_";

// Lines "CONFIG_X=y" by name.
std::map<std::string_view, std::string_view> LinesOf(std::string_view essence) {
  std::map<std::string_view, std::string_view> lines;
  while (!essence.empty()) {
    const std::string_view line = essence.substr(0, essence.find('\n'));
    essence.remove_prefix(std::min(essence.size(), line.size() + 1));
    const std::size_t equals = line.find('=');
    if (!line.starts_with(kPrefix) || equals == std::string_view::npos) continue;
    lines.emplace(line.substr(kPrefix.size(), equals - kPrefix.size()), line.substr(equals + 1));
  }
  return lines;
}

// The names behind CONFIG_ in a line.
std::set<std::string> NamesIn(const std::string& line) {
  std::set<std::string> names;
  for (std::size_t at = line.find(kPrefix); at != std::string::npos; at = line.find(kPrefix, at)) {
    at += kPrefix.size();
    std::size_t end = at;
    while (end < line.size() &&
           (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == '_')) {
      ++end;
    }
    names.insert(line.substr(at, end - at));
  }
  return names;
}

// An assignment to one of the variables that hold arguments for every object.
bool SetsFlags(const std::string& line) {
  for (const char* name : {"KBUILD_CFLAGS", "KBUILD_AFLAGS", "KBUILD_CPPFLAGS"}) {
    if (line.find(name) < line.find('=') && line.find('=') != std::string::npos) return true;
  }
  return false;
}

void AddFlagOptions(const std::string& makefile, std::set<std::string>& options) {
  std::istringstream lines(makefile);
  std::vector<std::set<std::string>> conditions;  // Of the ifs around a line.
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(" \t");
    const std::string_view word =
        begin == std::string::npos ? "" : std::string_view(line).substr(begin);
    if (word.starts_with("if")) {
      conditions.push_back(NamesIn(line));
    } else if (word.starts_with("else") && !conditions.empty()) {
      conditions.back().merge(NamesIn(line));
    } else if (word.starts_with("endif") && !conditions.empty()) {
      conditions.pop_back();
    } else if (SetsFlags(line)) {
      options.merge(NamesIn(line));
      for (const auto& names : conditions) options.insert(names.begin(), names.end());
    }
  }
}

}  // namespace

RebuildCost RebuildCost::Read(const fs::path& build_folder, std::set<std::string> flags) {
  RebuildCost cost;
  cost.flags_ = std::move(flags);
  std::error_code fault;
  for (fs::recursive_directory_iterator at(build_folder, fault), end; !fault && at != end;
       at.increment(fault)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with('.') || !name.ends_with(".o.cmd")) continue;
    const auto text = ReadRegularFile(at->path(), kMaxCommandFile);
    if (!text) continue;
    const auto object = static_cast<std::uint32_t>(cost.objects_);
    bool has_sources = false;
    for (std::size_t found = text->find(kMention); found != std::string::npos;
         found = text->find(kMention, found + 1)) {
      const std::size_t begin = found + kMention.size();
      std::string option = text->substr(begin, text->find(')', begin) - begin);
      cost.by_option_[std::move(option)].push_back(object);
      has_sources = true;
    }
    if (has_sources) ++cost.objects_;
  }
  return cost;
}

std::size_t RebuildCost::Of(const std::set<std::string>& options) const {
  std::set<std::uint32_t> made;
  for (const std::string& option : options) {
    if (flags_.contains(option)) return objects_;
    const auto found = by_option_.find(option);
    if (found != by_option_.end()) made.insert(found->second.begin(), found->second.end());
  }
  return made.size();
}

std::set<std::string> FlagOptions(const fs::path& source, const fs::path& folder) {
  std::vector<fs::path> files{source / "Makefile", source / folder / "Makefile"};
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(source / "scripts", fault)) {
    if (entry.path().filename().string().starts_with("Makefile.")) files.push_back(entry.path());
  }
  std::set<std::string> options;
  for (const fs::path& file : files) {
    if (const auto text = ReadRegularFile(file, kMaxCommandFile)) AddFlagOptions(*text, options);
  }
  return options;
}

std::set<std::string> DifferentOptions(const std::string& one, const std::string& other) {
  const auto before = LinesOf(one);
  const auto after = LinesOf(other);
  std::set<std::string> different;
  for (const auto& [name, value] : before) {
    const auto found = after.find(name);
    if (found == after.end() || found->second != value) different.emplace(name);
  }
  for (const auto& [name, value] : after) {
    if (!before.contains(name)) different.emplace(name);
  }
  return different;
}

}  // namespace hone::kernels

// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/build/rebuild_cost.h"

#include <algorithm>
#include <string_view>
#include <system_error>

#include "hone/base/file.h"

namespace hone::kernels {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

RebuildCost RebuildCost::Read(const fs::path& build_folder) {
  RebuildCost cost;
  std::error_code fault;
  for (fs::recursive_directory_iterator at(build_folder, fault), end; !fault && at != end;
       at.increment(fault)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with('.') || !name.ends_with(".o.cmd")) continue;
    const auto text = ReadFile(at->path());
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
    const auto found = by_option_.find(option);
    if (found != by_option_.end()) made.insert(found->second.begin(), found->second.end());
  }
  return made.size();
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

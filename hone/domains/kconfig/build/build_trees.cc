// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/build/build_trees.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "hone/base/file.h"
#include "hone/base/process/subprocess.h"

namespace hone::kernels {
namespace {

namespace fs = std::filesystem;

constexpr char kNew[] = "new";
constexpr char kTree[] = "tree";
constexpr char kEssence[] = "essence";
constexpr std::chrono::minutes kMaxCopying{10};

std::vector<fs::path> FoldersIn(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> found;
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(folder, fault)) {
    if (entry.path().filename().string().starts_with(prefix)) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

Result<BuildFolder> MakeFresh(const fs::path& parent) {
  if (auto made = MakeFolder(parent); !made) return made.error();
  auto place = TempDir::Make(kNew, parent);
  if (!place) return place.error();
  return BuildFolder{std::move(*place)};
}

// With times and links, and by reference where the file system can.
Result<void> CopyFolder(const fs::path& from, const fs::path& to) {
  Command command;
  command.arguments = {"cp", "-a", "--reflink=auto", from.string(), to.string()};
  command.limit = kMaxCopying;
  const auto ran = RunProcess(command);
  if (!ran) return ran.error();
  if (ran->end != ProcessResult::End::kExited || ran->status != 0) {
    return Error{Errc::kUnavailable,
                 fmt::format("{} could not be copied: {}", from.string(), ran->errors)};
  }
  return {};
}

}  // namespace

BuildTrees::BuildTrees(fs::path folder, std::set<std::string> flags, std::size_t max)
    : folder_(std::move(folder)), flags_(std::move(flags)), max_(max) {
  TempDir::RemoveAbandoned(kNew, folder_);
}

const RebuildCost& BuildTrees::CostIn(const fs::path& tree) {
  auto found = costs_.find(tree);
  if (found == costs_.end()) {
    found = costs_.emplace(tree, RebuildCost::Read(tree / "objects", flags_)).first;
  }
  return found->second;
}

std::optional<BuildTrees::Nearest> BuildTrees::Find(const std::string& essence) {
  std::optional<Nearest> nearest;
  for (const fs::path& tree : FoldersIn(folder_, kTree)) {
    const auto built = ReadFile(tree / kEssence);
    if (!built) continue;
    const std::size_t cost = CostIn(tree).Of(DifferentOptions(*built, essence));
    if (!nearest || cost < nearest->cost) nearest = Nearest{tree, cost};
  }
  return nearest;
}

std::optional<std::size_t> BuildTrees::CostOf(const std::string& essence) {
  const std::lock_guard lock(mutex_);
  const auto nearest = Find(essence);
  return nearest ? std::optional(nearest->cost) : std::nullopt;
}

std::optional<std::size_t> BuildTrees::CostBetween(const std::string& from, const std::string& to) {
  const std::lock_guard lock(mutex_);
  const auto nearest = Find(from);
  if (!nearest) return std::nullopt;
  return CostIn(nearest->tree).Of(DifferentOptions(from, to));
}

Result<BuildFolder> BuildTrees::Begin(const std::string& essence) {
  const std::lock_guard lock(mutex_);
  auto fresh = MakeFresh(folder_);
  if (!fresh) return fresh.error();
  std::error_code fault;
  if (const auto nearest = Find(essence)) {
    if (CopyFolder(nearest->tree / "objects", fresh->objects())) {
      fs::last_write_time(nearest->tree / kEssence, fs::file_time_type::clock::now(), fault);
      return fresh;
    }
    fs::remove_all(fresh->objects(), fault);  // Another process may just have taken it away.
  }
  fs::create_directory(fresh->objects(), fault);
  // The builder in its sandbox is another user; nobody else comes through the folder around it.
  fs::permissions(fresh->objects(), fs::perms::all, fault);
  if (fault) {
    return Error{Errc::kUnavailable,
                 fmt::format("{}: {}", fresh->objects().string(), fault.message())};
  }
  return fresh;
}

void BuildTrees::Keep(BuildFolder folder, const std::string& essence) {
  const std::lock_guard lock(mutex_);
  if (!WriteFileDurably(folder.place.path() / kEssence, essence)) return;
  std::string name = folder.place.path().filename().string();
  name.replace(0, std::string_view(kNew).size(), kTree);
  // If it cannot be kept, the next build is only slower.
  if (folder.place.KeepAs(folder_ / name)) Prune();
}

void BuildTrees::Prune() {
  std::vector<std::pair<fs::file_time_type, fs::path>> trees;
  std::error_code fault;
  for (const fs::path& tree : FoldersIn(folder_, kTree)) {
    trees.emplace_back(fs::last_write_time(tree / kEssence, fault), tree);
  }
  std::sort(trees.begin(), trees.end());
  for (std::size_t i = 0; i + max_ < trees.size(); ++i) {
    // First out of the way, so that nobody copies a half of it.
    const auto going = TempDir::Make(kNew, folder_);
    if (going) fs::rename(trees[i].second, going->path() / "old", fault);
    costs_.erase(trees[i].second);
  }
  TempDir::RemoveAbandoned(kNew, folder_);
}

}  // namespace hone::kernels

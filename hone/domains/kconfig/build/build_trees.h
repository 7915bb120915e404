// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "hone/core/result.h"
#include "hone/domains/kconfig/build/rebuild_cost.h"

namespace hone::kernels {

// A folder in which a kernel is being built: a copy of a finished one. Removed with the object,
// unless it was kept.
class BuildFolder {
 public:
  explicit BuildFolder(std::filesystem::path path) : path_(std::move(path)) {}
  BuildFolder(BuildFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  BuildFolder& operator=(BuildFolder&&) = delete;
  ~BuildFolder();

  // Seen by make as /build.
  std::filesystem::path objects() const { return path_ / "objects"; }
  const std::filesystem::path& path() const { return path_; }
  void Release() { path_.clear(); }

 private:
  std::filesystem::path path_;
};

// Finished build folders of one source and compiler, some at most. They are never built in, only
// copied: what is killed in the middle of a build spoils nothing. Shared by processes.
class BuildTrees {
 public:
  explicit BuildTrees(std::filesystem::path folder, std::size_t max = 8);

  // A copy of the tree from which this configuration is cheapest, or an empty folder.
  Result<BuildFolder> Begin(const std::string& essence);

  // How many objects a configuration would make anew; nullopt if nothing was built yet.
  std::optional<std::size_t> CostOf(const std::string& essence);

  // The folder becomes one of the finished ones; the one that was not used for longest goes.
  void Keep(BuildFolder folder, const std::string& essence);

 private:
  struct Nearest {
    std::filesystem::path tree;
    std::size_t cost = 0;
  };
  std::optional<Nearest> Find(const std::string& essence);
  const RebuildCost& CostIn(const std::filesystem::path& tree);
  void Prune();

  const std::filesystem::path folder_;
  const std::size_t max_;
  std::mutex mutex_;
  std::map<std::filesystem::path, RebuildCost> costs_;
};

}  // namespace hone::kernels

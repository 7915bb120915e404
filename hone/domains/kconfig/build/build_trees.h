// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "hone/base/temp_dir.h"
#include "hone/core/result.h"
#include "hone/domains/kconfig/build/rebuild_cost.h"

namespace hone::kernels {

// A folder in which a kernel is being built: a copy of a finished one. Removed with the object,
// unless it was kept.
struct BuildFolder {
  std::filesystem::path objects() const { return place.path() / "objects"; }  // /build of make.

  TempDir place;
};

// Finished build folders of one source and compiler, some at most. They are never built in, only
// copied: what is killed in the middle of a build spoils nothing. Shared by processes.
class BuildTrees {
 public:
  // `flags` are the options that change the arguments of every compilation.
  explicit BuildTrees(std::filesystem::path folder, std::set<std::string> flags = {},
                      std::size_t max = 16);

  // A copy of the tree from which this configuration is cheapest, or an empty folder.
  Result<BuildFolder> Begin(const std::string& essence);

  // How many objects a configuration would make anew; nullopt if nothing was built yet.
  std::optional<std::size_t> CostOf(const std::string& essence);

  // The same from one configuration to another, whatever else was built.
  std::optional<std::size_t> CostBetween(const std::string& from, const std::string& to);

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
  const std::set<std::string> flags_;
  const std::size_t max_;
  std::mutex mutex_;
  std::map<std::filesystem::path, RebuildCost> costs_;
};

}  // namespace hone::kernels

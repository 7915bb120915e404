// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hone/kconfig/files/snapshot_key.h"
#include "hone/kconfig/tree/tree.h"

namespace hone::kconfig {

struct LoadOptions;

// A parsed tree on disk, for the next load. It is used only if all that the tree was made of is as
// it was: files (by their stamps, or by their contents if they were too young for that), files that
// were not there, what patterns match, the variables that were read, what every command gave. One
// that is damaged, of another build or perhaps not our own is ignored and replaced.
class TreeSnapshot {
 public:
  // In options.snapshots; none if that is empty. To be made before a load reads anything.
  explicit TreeSnapshot(const LoadOptions& options);

  struct Kept {
    std::shared_ptr<const Tree> tree;
    std::vector<std::string> info;
  };
  std::optional<Kept> Find(const KnownResults& known) const;

  // Failing to only makes the next load slower.
  void Keep(const Tree& tree, FileInputs files, std::span<const std::string> info) const;

 private:
  const LoadOptions& options_;
  std::string identity_;
  std::filesystem::path file_;  // Empty: nothing is kept.
  std::int64_t began_s_ = 0;
};

}  // namespace hone::kconfig

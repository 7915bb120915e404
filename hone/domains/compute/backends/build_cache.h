// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "hone/core/result.h"

namespace hone::compute {

// What a build came to, as it is kept: a library, or the compiler's refusal.
struct KeptBuild {
  bool is_built = false;
  std::string output;   // Of the compiler.
  std::string library;  // Empty if it was not built.
};

struct BuildCacheLimits {
  std::uintmax_t disk_bytes = std::uintmax_t{1} << 30;
  std::size_t memory_bytes = 64 << 20;
};

// Builds by their whole content: the key is the text of everything that they depend on, and is
// stored and compared, so that no digest has to be trusted. Files are written in one step and
// carry a digest; a damaged one counts as absent and is replaced. Shared by processes. The oldest
// go when there is no room. Safe for concurrent use.
class BuildCache {
 public:
  explicit BuildCache(std::filesystem::path folder, BuildCacheLimits limits = {});

  std::shared_ptr<const KeptBuild> Find(const std::string& key);

  // A disk that cannot be written to is logged; the build is then kept in memory only.
  std::shared_ptr<const KeptBuild> Keep(const std::string& key, KeptBuild build);

  std::filesystem::path FileOf(const std::string& key) const;

 private:
  struct Held {
    std::string key;
    std::shared_ptr<const KeptBuild> build;
  };

  void Remember(const std::string& key, std::shared_ptr<const KeptBuild> build);
  void Prune();

  const std::filesystem::path folder_;
  const BuildCacheLimits limits_;

  std::mutex mutex_;      // Guards what follows.
  std::list<Held> held_;  // The last used first.
  std::unordered_map<std::string, std::list<Held>::iterator> by_key_;
  std::size_t held_bytes_ = 0;
  std::uint64_t kept_ = 0;
};

}  // namespace hone::compute

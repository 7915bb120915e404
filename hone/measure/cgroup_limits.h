// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace hone {

// What the control groups that this process is in allow it, version 2, 1 or both. A limit is the
// tightest of the group and those above it, as far as they can be seen.
struct CgroupLimits {
  bool is_readable = false;
  std::string versions;        // "1", "2", "1 and 2", or "none".
  std::optional<double> cpus;  // Nothing: not limited.
  std::optional<double> memory_bytes;
  std::filesystem::path cpu_stat;  // Where throttling is counted; empty if nowhere.
};

CgroupLimits ReadCgroupLimits(const std::filesystem::path& root);

}  // namespace hone

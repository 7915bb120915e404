// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/launch_plan.h"

#include <fmt/format.h>

namespace hone::compute {
namespace {

constexpr std::array<std::int64_t, 3> kMostBlocks{0x7fffffff, 65535, 65535};
constexpr std::array<std::int64_t, 3> kMostThreads{1024, 1024, 64};
constexpr std::int64_t kMostThreadsOfBlock = 1024;
constexpr std::int64_t kMostSharedBytes = 256 << 10;

Result<void> CheckExtent(const char* what, const std::array<std::int64_t, 3>& extent,
                         const std::array<std::int64_t, 3>& most) {
  for (std::size_t i = 0; i < extent.size(); ++i) {
    if (extent[i] < 1 || extent[i] > most[i]) {
      return Error{
          Errc::kInvalidArgument,
          fmt::format("{} of {} in dimension {}: it must be 1 to {}", what, extent[i], i, most[i])};
    }
  }
  return {};
}

}  // namespace

Result<void> CheckGeometry(const std::array<std::int64_t, 3>& grid,
                           const std::array<std::int64_t, 3>& block, std::int64_t shared_bytes) {
  if (auto fits = CheckExtent("a grid", grid, kMostBlocks); !fits) return fits;
  if (auto fits = CheckExtent("a block", block, kMostThreads); !fits) return fits;
  const std::int64_t threads = block[0] * block[1] * block[2];
  if (threads <= kMostThreadsOfBlock && shared_bytes >= 0 && shared_bytes <= kMostSharedBytes) {
    return {};
  }
  return Error{Errc::kInvalidArgument,
               fmt::format("a block of {} threads with {} bytes of shared memory: at most {} "
                           "and {}",
                           threads, shared_bytes, kMostThreadsOfBlock, kMostSharedBytes)};
}

}  // namespace hone::compute

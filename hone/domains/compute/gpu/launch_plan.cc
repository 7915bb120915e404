// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/launch_plan.h"

#include <fmt/format.h>

namespace hone::compute {
namespace {

constexpr std::array<std::int64_t, 3> kMaxBlocks{0x7fffffff, 65535, 65535};
constexpr std::array<std::int64_t, 3> kMaxThreads{1024, 1024, 64};
constexpr std::int64_t kMaxThreadsOfBlock = 1024;
constexpr std::int64_t kMaxSharedBytes = 256 << 10;

Result<void> CheckExtent(const char* what, const std::array<std::int64_t, 3>& extent,
                         const std::array<std::int64_t, 3>& max) {
  for (std::size_t i = 0; i < extent.size(); ++i) {
    if (extent[i] < 1 || extent[i] > max[i]) {
      return Error{
          Errc::kInvalidArgument,
          fmt::format("{} of {} in dimension {}: it must be 1 to {}", what, extent[i], i, max[i])};
    }
  }
  return {};
}

}  // namespace

Result<void> CheckGeometry(const std::array<std::int64_t, 3>& grid,
                           const std::array<std::int64_t, 3>& block, std::int64_t shared_bytes) {
  if (auto fits = CheckExtent("a grid", grid, kMaxBlocks); !fits) return fits;
  if (auto fits = CheckExtent("a block", block, kMaxThreads); !fits) return fits;
  const std::int64_t threads = block[0] * block[1] * block[2];
  if (threads <= kMaxThreadsOfBlock && shared_bytes >= 0 && shared_bytes <= kMaxSharedBytes) {
    return {};
  }
  return Error{Errc::kInvalidArgument,
               fmt::format("a block of {} threads with {} bytes of shared memory: at most {} "
                           "and {}",
                           threads, shared_bytes, kMaxThreadsOfBlock, kMaxSharedBytes)};
}

}  // namespace hone::compute

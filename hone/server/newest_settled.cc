// SPDX-License-Identifier: Apache-2.0
#include "hone/server/newest_settled.h"

#include <algorithm>
#include <optional>

namespace hone {
namespace {

constexpr std::uint64_t kGrowth = 16;

// Those from `before - width` on; nullopt if they are more than `most`.
Result<std::optional<std::vector<Settled>>> Window(TaskQueue& queue, std::uint64_t before,
                                                   std::uint64_t width, std::size_t most) {
  const std::uint64_t begin = before > width ? before - width : 1;
  auto feed = queue.SettledAfter(begin - 1, most + 1, std::chrono::milliseconds{0});
  if (!feed) return feed.error();
  std::erase_if(*feed, [&](const Settled& one) { return one.sequence >= before; });
  if (feed->size() > most) return std::optional<std::vector<Settled>>();
  return std::optional(std::move(*feed));
}

}  // namespace

Result<std::vector<Settled>> NewestSettled(TaskQueue& queue, std::uint64_t before,
                                           std::size_t most) {
  const auto last = queue.LastSettled();
  if (!last) return last.error();
  before = std::min(before, *last + 1);
  std::vector<Settled> found;
  std::uint64_t fits = 0;              // A width that holds no more than asked for,
  std::optional<std::uint64_t> large;  // and one that holds more.
  std::uint64_t width = most;
  while (width > fits && (!large || width < *large)) {
    auto window = Window(queue, before, width, most);
    if (!window) return window.error();
    if (*window) {
      found = std::move(**window);
      fits = width;
      if (found.size() == most || width >= before) break;
      if (large && 2 * found.size() >= most) break;
    } else {
      large = width;
    }
    const std::uint64_t wider = fits > before / kGrowth ? before : fits * kGrowth;
    width = large ? fits + (*large - fits) / 2 : wider;
  }
  return found;
}

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#include "hone/base/net/wait_for.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace hone {
namespace {

int MillisecondsTo(std::chrono::steady_clock::time_point end) {
  const auto left = end - std::chrono::steady_clock::now();
  const auto count = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::clamp<std::int64_t>(count, 0, 86'400'000));
}

}  // namespace

Result<Came> WaitFor(int descriptor, short events, std::chrono::steady_clock::time_point end,
                     int interrupt) {
  std::array<pollfd, 2> watched{pollfd{descriptor, events, 0}, pollfd{interrupt, POLLIN, 0}};
  while (true) {
    const int count = ::poll(watched.data(), watched.size(), MillisecondsTo(end));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      return Error{Errc::kUnavailable, "poll: " + std::generic_category().message(errno)};
    }
    if (count == 0) return Came::kNothing;
    return watched[1].revents != 0 ? Came::kInterrupt : Came::kReady;
  }
}

Result<void> AwaitReady(int descriptor, short events, std::chrono::steady_clock::time_point end,
                        int interrupt) {
  const auto came = WaitFor(descriptor, events, end, interrupt);
  if (!came) return came.error();
  if (*came == Came::kReady) return {};
  return Error{Errc::kUnavailable,
               *came == Came::kNothing ? "no answer in time" : "it was interrupted"};
}

}  // namespace hone

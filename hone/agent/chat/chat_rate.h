// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>

#include "hone/base/clock.h"
#include "hone/core/result.h"

namespace hone::agent {

// How often may be asked: over any minute no more requests, and no more tokens, than this. Safe for
// concurrent use.
class ChatRate {
 public:
  ChatRate(std::optional<std::int64_t> requests, std::optional<std::int64_t> tokens, Clock& clock);

  // Blocks until a request of so many tokens fits. A request of more tokens than a minute has waits
  // for a minute of its own. kUnavailable: not before `until`, or stopped. Gives a ticket.
  Result<std::uint64_t> Take(std::int64_t tokens, Clock::Monotonic until,
                             const std::stop_token& stop);

  void Correct(std::uint64_t ticket, std::int64_t tokens);  // What it really took.

 private:
  struct Entry {
    Clock::Monotonic at;
    std::uint64_t ticket;
    std::int64_t tokens;
  };

  // Nothing: it fits now, and is entered. Else when to look again.
  std::optional<Clock::Monotonic> TryEnter(std::int64_t tokens);

  std::optional<std::int64_t> requests_;
  std::optional<std::int64_t> tokens_;
  Clock& clock_;
  std::mutex mutex_;
  std::deque<Entry> entries_;  // Of the last minute, in order.
  std::uint64_t tickets_ = 0;
};

}  // namespace hone::agent

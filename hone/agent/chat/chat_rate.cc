// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/chat_rate.h"

#include <chrono>

namespace hone::agent {
namespace {

constexpr std::chrono::minutes kWindow{1};

}  // namespace

ChatRate::ChatRate(std::optional<std::int64_t> requests, std::optional<std::int64_t> tokens,
                   Clock& clock)
    : requests_(requests), tokens_(tokens), clock_(clock) {}

std::optional<Clock::Monotonic> ChatRate::TryEnter(std::int64_t tokens) {
  const auto now = clock_.Now();
  while (!entries_.empty() && entries_.front().at + kWindow <= now) entries_.pop_front();
  std::int64_t taken = 0;
  for (const Entry& entry : entries_) taken += entry.tokens;
  const bool has_request = !requests_ || static_cast<std::int64_t>(entries_.size()) < *requests_;
  const bool has_tokens = !tokens_ || entries_.empty() || taken + tokens <= *tokens_;
  if (!has_request || !has_tokens) return entries_.front().at + kWindow;
  entries_.push_back({now, ++tickets_, tokens});
  return std::nullopt;
}

Result<std::uint64_t> ChatRate::Take(std::int64_t tokens, Clock::Monotonic until,
                                     const std::stop_token& stop) {
  while (true) {
    Clock::Monotonic again;
    {
      const std::lock_guard lock(mutex_);
      const auto blocked = TryEnter(tokens);
      if (!blocked) return tickets_;
      again = *blocked;
    }
    if (again > until) {
      return Error{Errc::kUnavailable,
                   "the language model: --llm-rate does not let this be asked in time"};
    }
    if (SleepUntilStop(clock_, again - clock_.Now(), stop)) {
      return Error{Errc::kUnavailable, "the language model: stopped while waiting to ask"};
    }
  }
}

void ChatRate::Correct(std::uint64_t ticket, std::int64_t tokens) {
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.ticket == ticket) entry.tokens = tokens;
  }
}

}  // namespace hone::agent

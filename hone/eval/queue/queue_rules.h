// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "hone/core/evaluation.h"
#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/eval/queue/queue_words.h"

// What is the same in every queue: what it refuses, and the words in which it says so.
namespace hone {

// Refuses a task that nobody could ever evaluate: without an id, without an attempt, with baseline
// runs but no baseline, or of an owner whom no worker can name.
Result<void> CheckTask(const Task& task);

// An owner is a word, so that it can stand in a command line and between others.
Result<void> CheckOwner(std::string_view owner);

// Refuses an evaluation of another task than the lease's.
Result<void> CheckSettles(const Lease& lease, const Evaluation& evaluation);

Error LostLease(const Lease& lease);
Error UnknownTask(const TaskId& task);
Error OtherBody(const TaskId& task);
Error NotSettled(const TaskId& task);

inline constexpr std::string_view kCancelledReason = "its client cancelled it";
inline constexpr std::string_view kExpiredReason = "its deadline passed before it was finished";
std::string LeaseRanOut(std::string_view worker);
std::string AbandonedReason(std::int64_t attempts, std::string_view last_reason);

// Why the last attempt failed, of the reason for which a task was dropped; all of it, if it was not
// abandoned.
std::string_view LastReasonIn(std::string_view reason);

// What waits is taken in the order of this number, then of pushing. It never changes while a task
// waits, so it can be an index. `pushed` is in microseconds since any fixed time.
inline constexpr std::int64_t RankOf(std::int64_t pushed, int priority) {
  return pushed - priority * std::chrono::microseconds(kHeadStart).count();
}

// The longest lease or timeout that is honoured; a longer one means this. It keeps sums of times
// from overflowing.
inline constexpr std::chrono::milliseconds kLongest = std::chrono::hours{24 * 365 * 100};

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"
#include "hone/eval/queue/queue_words.h"
#include "hone/eval/redis/redis_caller.h"

namespace hone {

// Those who wait in one class have the same priority, owner and needs: "3 {…}", "3@ops {…}". A
// worker of a build that knows no owners does not read the latter, and so takes no such task.
struct RedisClass {
  int priority = 0;
  std::string owner;
  Capabilities needs;
};
std::string ClassText(const Task& task);
Result<RedisClass> ClassIn(std::string_view text);

// Redis numbers what it streams by the millisecond and the entry in it; we by one number.
std::string SequenceText(std::uint64_t sequence);

// Reads what the scripts answer, strictly: others may write to the same Redis. What does not parse
// is kCorrupt, and the message names the key.
class RedisAnswers {
 public:
  using Words = std::vector<std::string>;

  explicit RedisAnswers(const RedisCaller& caller) : caller_(caller) {}

  Error Corrupt(std::string_view key, std::string_view fault = "it does not hold a task") const;

  // `name` is the key that the number comes from.
  Result<std::int64_t> Number(const Words& words, std::size_t place, std::string_view name) const;

  Result<std::uint64_t> SequenceIn(std::string_view text) const;

  Result<Task> TaskIn(std::string_view body, const TaskId& id) const;
  Result<Claim> ClaimIn(const Words& words) const;
  Result<Settlement> SettlementIn(const Words& words, const TaskId& id) const;
  Result<TaskView> ViewIn(const Words& words, const TaskId& id) const;
  Result<QueueCounts> CountsIn(const Words& words) const;
  Result<std::vector<WorkerCard>> CardsIn(const Words& words) const;
  Result<std::vector<Settled>> FeedIn(const Words& words) const;

 private:
  std::string TaskKey(const TaskId& id) const { return caller_.Key("task:" + id); }

  const RedisCaller& caller_;
};

}  // namespace hone

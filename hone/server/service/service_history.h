// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "hone/base/clock.h"
#include "hone/base/json/json.h"
#include "hone/core/task.h"

namespace hone::server {

// The last hour of the service in steps of ten seconds, as this server saw it, in memory; and the
// tasks that it took and does not know to be settled. Safe for concurrent use.
class ServiceHistory {
 public:
  static constexpr std::chrono::seconds kStep{10};
  static constexpr std::size_t kMaxSteps = 360;
  static constexpr std::size_t kMaxOpen = 100'000;  // Older ones are forgotten.

  using Number = std::int64_t;  // Of a step: how many times kStep since the epoch.

  explicit ServiceHistory(Clock& clock) : clock_(clock) {}

  // Calls this after each note from now on; null: nobody. It is short and notes nothing itself.
  void OnChange(std::function<void()> listener);

  void NoteSubmitted(const TaskId& task);
  void NoteSettled(const TaskId& task, const std::string& word);

  // From this end on.
  enum class End { kNewest, kOldest };
  std::vector<TaskId> Open(std::size_t max, End end = End::kNewest) const;

  // Oldest first; steps in which nothing happened are there too, from the first one on. `from`
  // leaves out those with lower numbers.
  std::vector<std::pair<Number, Json>> Buckets(Number from = 0) const;
  Json ToJson() const;  // All of them.

 private:
  struct Step {
    std::map<std::string, std::int64_t> settled;
    std::int64_t submitted = 0;
    std::vector<double> latencies;  // Seconds from submission to the end.
    std::int64_t open = 0;          // At its end.
  };
  Number NumberNow() const;
  Step& Now();  // With mutex_ held.

  Clock& clock_;
  mutable std::mutex mutex_;
  std::map<Number, Step> steps_;  // Protected by mutex_, as what follows.
  std::map<TaskId, std::pair<std::uint64_t, Clock::Monotonic>> open_;  // When it came.
  std::map<std::uint64_t, TaskId> order_;  // Those of open_, as they came.
  std::uint64_t count_ = 0;
  std::function<void()> listener_;
};

}  // namespace hone::server

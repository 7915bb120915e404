// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "hone/base/clock.h"
#include "hone/eval/queue/queue_records.h"
#include "hone/eval/queue/task_queue.h"
#include "hone/server/service/service_history.h"

namespace hone::server {

// What this server has seen since it started. Safe for concurrent use.
class Stats {
 public:
  // A histogram of seconds, as Prometheus counts them: values up to each bound.
  struct Histogram {
    static constexpr std::array<double, 14> kBounds{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                                    0.25,  0.5,    1,     2.5,  10,    60,   300};
    std::array<std::int64_t, kBounds.size()> counts{};  // Of each bound alone.
    std::int64_t count = 0;
    double sum = 0;

    void Add(double value);
  };

  struct Snapshot {
    std::int64_t submitted = 0;
    std::int64_t repeated = 0;                      // Submissions of a task that was known.
    std::map<std::string, std::int64_t> settled;    // By outcome, or by why it was dropped.
    std::map<std::string, std::int64_t> responses;  // By status.
    Histogram evaluation;                           // From the worker's start to its end.
    Histogram request;                              // From the head of a request to its response.
    std::int64_t settled_last_hour = 0;
    double uptime_s = 0;
  };

  explicit Stats(Clock& clock);

  void CountSubmission(bool is_new);
  void CountResponse(int status, double seconds);
  void CountSettled(const Settlement& settlement);

  Snapshot Take() const;
  ServiceHistory& history() { return history_; }

 private:
  Clock& clock_;
  const Clock::Monotonic start_;
  ServiceHistory history_;
  mutable std::mutex mutex_;
  Snapshot now_;                                                   // Protected by mutex_.
  std::deque<std::pair<Clock::Monotonic, std::int64_t>> minutes_;  // Settled, by minute; likewise.
};

// "accepted", …, "cancelled", "expired", "abandoned".
std::string WordFor(const Settlement& settlement);

}  // namespace hone::server

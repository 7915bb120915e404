// SPDX-License-Identifier: Apache-2.0
#include "hone/server/service/service_history.h"

#include <algorithm>
#include <cmath>

#include "hone/base/json/records.h"

namespace hone::server {
namespace {

// The smallest value that is not below this share of them.
Json PercentileOf(std::vector<double> values, double share) {
  if (values.empty()) return nullptr;
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::min(std::max<std::size_t>(rank, 1), values.size()) - 1];
}

}  // namespace

ServiceHistory::Number ServiceHistory::NumberNow() const {
  return clock_.Wall().time_since_epoch() / kStep;
}

ServiceHistory::Step& ServiceHistory::Now() {
  const Number number = NumberNow();
  Step& step = steps_[number];
  while (steps_.begin()->first + static_cast<Number>(kMaxSteps) <= number) {
    steps_.erase(steps_.begin());
  }
  return step;
}

void ServiceHistory::OnChange(std::function<void()> listener) {
  const std::lock_guard lock(mutex_);
  listener_ = std::move(listener);
}

void ServiceHistory::NoteSubmitted(const TaskId& task) {
  const std::lock_guard lock(mutex_);
  if (!open_.emplace(task, std::pair{++count_, clock_.Now()}).second) return;
  order_[count_] = task;
  if (order_.size() > kMaxOpen) {
    open_.erase(order_.begin()->second);
    order_.erase(order_.begin());
  }
  Step& step = Now();
  ++step.submitted;
  step.open = static_cast<std::int64_t>(open_.size());
  if (listener_) listener_();
}

void ServiceHistory::NoteSettled(const TaskId& task, const std::string& word) {
  const std::lock_guard lock(mutex_);
  Step& step = Now();
  ++step.settled[word];
  const auto found = open_.find(task);
  if (found != open_.end()) {
    const std::chrono::duration<double> latency = clock_.Now() - found->second.second;
    step.latencies.push_back(latency.count());
    order_.erase(found->second.first);
    open_.erase(found);
  }
  step.open = static_cast<std::int64_t>(open_.size());
  if (listener_) listener_();
}

std::vector<TaskId> ServiceHistory::Open(std::size_t max, End end) const {
  const std::lock_guard lock(mutex_);
  std::vector<TaskId> tasks;
  const auto take = [&](auto place, auto last) {
    for (; place != last && tasks.size() < max; ++place) tasks.push_back(place->second);
  };
  if (end == End::kNewest) {
    take(order_.rbegin(), order_.rend());
  } else {
    take(order_.begin(), order_.end());
  }
  return tasks;
}

std::vector<std::pair<ServiceHistory::Number, Json>> ServiceHistory::Buckets(Number from) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<Number, Json>> buckets;
  if (steps_.empty()) return buckets;
  const Number last = NumberNow();
  const Number first = std::max(steps_.begin()->first, last - static_cast<Number>(kMaxSteps) + 1);
  std::int64_t open = 0;
  for (Number number = first; number <= last; ++number) {
    const auto found = steps_.find(number);
    if (found != steps_.end()) open = found->second.open;
    if (number < from) continue;
    const Step step = found == steps_.end() ? Step{} : found->second;
    buckets.emplace_back(number, Json{{"at", IsoTime(WallTime(number * kStep))},
                                      {"settled", step.settled},
                                      {"submitted", step.submitted},
                                      {"latency_s",
                                       {{"p50", PercentileOf(step.latencies, 0.5)},
                                        {"p90", PercentileOf(step.latencies, 0.9)},
                                        {"p99", PercentileOf(step.latencies, 0.99)}}},
                                      {"waiting", open}});
  }
  return buckets;
}

Json ServiceHistory::ToJson() const {
  Json buckets = Json::array();
  for (auto& [number, bucket] : Buckets()) buckets.push_back(std::move(bucket));
  return {{"buckets", std::move(buckets)}};
}

}  // namespace hone::server

// SPDX-License-Identifier: Apache-2.0
#include "hone/server/service/stats.h"

#include <algorithm>

namespace hone::server {

std::string WordFor(const Settlement& settlement) {
  if (const auto* evaluation = std::get_if<Evaluation>(&settlement.end)) {
    return std::string(NameOf(evaluation->outcome));
  }
  return std::string(NameOf(std::get<Settlement::Drop>(settlement.end).why));
}

void Stats::Histogram::Add(double value) {
  const auto* bound =
      std::find_if(kBounds.begin(), kBounds.end(), [value](double max) { return value <= max; });
  if (bound != kBounds.end()) ++counts.at(static_cast<std::size_t>(bound - kBounds.begin()));
  ++count;
  sum += value;
}

Stats::Stats(Clock& clock) : clock_(clock), start_(clock.Now()), history_(clock) {}

void Stats::CountSubmission(bool is_new) {
  const std::lock_guard lock(mutex_);
  ++(is_new ? now_.submitted : now_.repeated);
}

void Stats::CountResponse(int status, double seconds) {
  const std::lock_guard lock(mutex_);
  ++now_.responses[std::to_string(status)];
  now_.request.Add(seconds);
}

void Stats::CountSettled(const Settlement& settlement) {
  const auto now = clock_.Now();
  const std::lock_guard lock(mutex_);
  ++now_.settled[WordFor(settlement)];
  if (const auto* evaluation = std::get_if<Evaluation>(&settlement.end)) {
    const auto time = evaluation->provenance.finished - evaluation->provenance.started;
    now_.evaluation.Add(std::chrono::duration<double>(time).count());
  }
  if (minutes_.empty() || now - minutes_.back().first > std::chrono::minutes{1}) {
    minutes_.emplace_back(now, 0);
  }
  ++minutes_.back().second;
  while (now - minutes_.front().first > std::chrono::hours{1}) minutes_.pop_front();
}

Stats::Snapshot Stats::Take() const {
  const auto now = clock_.Now();
  const std::lock_guard lock(mutex_);
  Snapshot snapshot = now_;
  for (const auto& [begun, count] : minutes_) {
    if (now - begun <= std::chrono::hours{1}) snapshot.settled_last_hour += count;
  }
  snapshot.uptime_s = std::chrono::duration<double>(now - start_).count();
  return snapshot;
}

}  // namespace hone::server

// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/best_so_far.h"

#include <algorithm>

namespace hone::tune {

bool BestSoFar::Add(std::int64_t trial, const std::optional<Estimate>& reward) {
  const std::optional<std::int64_t> before = best_;
  if (reward) {
    sure_[trial] = reward->mean - reward->standard_error;
  } else {
    sure_.erase(trial);
  }
  if (before == trial) {  // It may have fallen behind any other.
    const auto best =
        std::max_element(sure_.begin(), sure_.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    best_ = best == sure_.end() ? std::nullopt : std::optional(best->first);
  } else if (reward && (!best_ || sure_[trial] > sure_[*best_])) {
    best_ = trial;
  }
  return best_ == trial && before != trial;
}

}  // namespace hone::tune

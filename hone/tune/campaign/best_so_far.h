// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "hone/core/metric.h"

namespace hone::tune {

// Which trial of a search is shown as the best so far, at the terminal, in the report and on the
// page: the one with the highest mean less one standard error, among those that were accepted and
// keep their limits. Few pairs give a large error, so that a lucky first look does not win over a
// candidate that was measured often. Of equals the first stays. It is an estimate of the search and
// no proof.
class BestSoFar {
 public:
  // What a trial is worth as judged now, in place of what was said of it before; none if it failed
  // or breaks a limit. True if the trial is the best from now on and was not before.
  bool Add(std::int64_t trial, const std::optional<Estimate>& reward);

  std::optional<std::int64_t> trial() const { return best_; }

 private:
  std::map<std::int64_t, double> sure_;  // Mean less one standard error, of those that count.
  std::optional<std::int64_t> best_;
};

}  // namespace hone::tune

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/core/evaluation.h"

namespace hone::env {

// What a learner sees of runs: every number of the candidate's relative to the baseline's.
class RunComparison {
 public:
  RunComparison() = default;

  // Compares what these samples report: metrics first, then observations, in name order.
  explicit RunComparison(const std::vector<Sample>& samples);

  const std::vector<std::string>& names() const { return names_; }

  // The change of the mean from baseline to candidate, relative to the baseline's and clipped to
  // ±10. 0 where an arm does not report the number.
  std::vector<double> Compare(const std::vector<Sample>& samples) const;

 private:
  std::vector<std::string> names_;
};

}  // namespace hone::env

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/core/space.h"
#include "hone/core/value.h"

namespace hone::agent {

// Which values a model has been proposing, parameter by parameter: where it sees the good ones,
// though none of its proposals need be right as a whole.
class WishedValues {
 public:
  WishedValues(const Space& space, const Assignment& baseline);  // The space outlives it.

  void Note(const Assignment& proposed);

  // The logarithm of how much more often a model wishes for something like this than chance would;
  // 0 where it wished for nothing.
  double LogLikeness(const Assignment& assignment) const;

  // What a model changes of the baseline, and elsewhere the other's values; valid in the space.
  Assignment Filled(const Assignment& proposed, const Assignment& others) const;

 private:
  const Space& space_;
  const std::vector<double> before_;              // The baseline, in unit coordinates.
  std::vector<std::vector<double>> coordinates_;  // Wishes of each coordinate, oldest first.
};

}  // namespace hone::agent

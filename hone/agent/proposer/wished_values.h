// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hone/agent/proposer/proposal_answer.h"
#include "hone/core/space.h"
#include "hone/core/value.h"

namespace hone::agent {

// Which values a model has been proposing, parameter by parameter: where it sees the good ones,
// though none of its proposals need be right as a whole.
class WishedValues {
 public:
  WishedValues(const Space& space, const Assignment& baseline);  // The space outlives it.

  void Note(const Proposal& proposal);

  // The logarithm of how much more often a model wishes for something like this than chance would;
  // 0 where it wished for nothing.
  double LogLikeness(const Assignment& assignment) const;

  // The values that a model set, and elsewhere those of a point of the unit cube; valid in the
  // space.
  Assignment Filled(const Proposal& proposal, std::vector<double> unit) const;

  // What is asked, with the baseline's values where the model set others; what exists only so has
  // the values of the point.
  Assignment Unmoved(const Proposal& proposal, const Assignment& asked,
                     std::vector<double> unit) const;

 private:
  const Space& space_;
  const Assignment baseline_;
  std::vector<std::size_t> CoordinatesOf(const std::set<std::string>& names) const;

  std::map<std::string, std::vector<std::size_t>> places_;  // Coordinates by parameter.
  std::vector<std::vector<double>> wishes_;                 // Of each coordinate, oldest first.
};

}  // namespace hone::agent

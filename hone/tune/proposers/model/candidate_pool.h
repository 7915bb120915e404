// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hone/core/rng.h"
#include "hone/core/space.h"
#include "hone/core/value.h"

namespace hone::tune {

// Where a search for the best of some score looks: all over the space, or around given points.
// Every assignment is valid. Coordinates stand on a grid so fine that no one misses what lies
// between, and so coarse that the last bits of another machine's arithmetic are lost in it.
class CandidatePool {
 public:
  CandidatePool(const Space& space, const Assignment& baseline);

  std::vector<Assignment> Everywhere(std::size_t count, Rng rng) const;

  // Variations of the centres in turn: some parameters are moved by steps of about `reach`, drawn
  // anew, or put back to the baseline's value; the others stay.
  std::vector<Assignment> Around(std::span<const Assignment> centres, std::size_t count,
                                 double reach, Rng rng) const;

 private:
  double Moved(std::size_t coordinate, double from, double reach, Rng& rng) const;

  const Space& space_;
  std::vector<double> baseline_unit_;
  std::vector<bool> is_ordered_;  // Of each coordinate: whether near values are alike.
};

}  // namespace hone::tune

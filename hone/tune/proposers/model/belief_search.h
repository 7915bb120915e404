// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <functional>
#include <span>
#include <vector>

#include "hone/core/rng.h"
#include "hone/core/space.h"
#include "hone/core/value.h"
#include "hone/tune/proposers/model/candidate_pool.h"
#include "hone/tune/proposers/model/feature_map.h"
#include "hone/tune/proposers/model/gaussian_process.h"

namespace hone::tune {

// One number for each point of a belief, the higher the better.
using Score = std::function<Eigen::VectorXd(const Belief&, std::span<const Assignment> points)>;

struct Scored {
  Assignment assignment;
  double score = 0;
  double mean = 0;  // Of the belief.
  double deviation = 0;
};

// Looks for the assignment with the highest score under what a Gaussian process believes.
class BeliefSearch {
 public:
  BeliefSearch(const Space& space, const Assignment& baseline);  // The space outlives the search.

  const FeatureMap& map() const { return map_; }

  // Best first.
  std::vector<Scored> Rank(const GaussianProcess& model, std::vector<Assignment> points,
                           const Score& score) const;

  // Everything that was looked at, best first: points from all over the space, variations of the
  // centres, and several rounds of variations of the best so far in ever smaller steps.
  std::vector<Scored> Run(const GaussianProcess& model, const Score& score,
                          const std::vector<Assignment>& centres, const Rng& rng) const;

 private:
  FeatureMap map_;
  CandidatePool pool_;
};

}  // namespace hone::tune

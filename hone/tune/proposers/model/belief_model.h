// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "hone/core/value.h"
#include "hone/tune/proposers/model/feature_map.h"
#include "hone/tune/proposers/model/gaussian_process.h"
#include "hone/tune/proposers/proposer.h"

namespace hone::tune {

// Rewards further below the median than the best is above it, and below the baseline, drawn
// together: that a candidate is very bad is worth knowing, how bad is not, and a cliff would pass
// for noise everywhere else. Keeps the order.
Eigen::VectorXd Squashed(const Eigen::VectorXd& values);

// What the trials so far say about any candidate: a process over rewards, in which the baseline is
// known to be at 0, and, once something failed or broke a limit, a second one over failures.
//
// What it believes depends only on the trials and the order in which they came.
class BeliefModel {
 public:
  // `earlier` are trials of other campaigns: of another workload or version, so believed less, and
  // forgotten once they foretell this campaign's rewards worse than the mean of these does. The map
  // outlives the model.
  BeliefModel(const FeatureMap& map, const Assignment& baseline, std::vector<Trial> earlier = {});

  // `trials` are all that there are, and `newest` is the number of the one that came last.
  void Learn(const std::map<std::int64_t, Trial>& trials, std::int64_t newest);

  bool HasEarlier() const { return !earlier_.empty(); }

  const GaussianProcess& reward() const { return reward_; }
  double TypicalNoise() const { return typical_noise_; }  // Variance of one more observation.

  // The chance that each point is accepted and keeps its limits.
  Eigen::VectorXd ChanceOfSuccess(const Eigen::MatrixXd& points) const;

 private:
  void Rebuild(const std::map<std::int64_t, Trial>& trials);
  void Append(const Trial& trial);
  void FitIfDue();
  void NoteTypicalNoise();
  bool IsMisled(const std::map<std::int64_t, Trial>& trials) const;

  const FeatureMap& map_;
  Eigen::VectorXd baseline_;
  std::vector<Trial> earlier_;
  double earlier_doubt_ = 0;  // Variance of how far this campaign's truth is from theirs.
  GaussianProcess reward_;
  GaussianProcess foretold_;     // As the rewards were expected by the earlier trials alone.
  GaussianProcess failure_;      // -1 where a candidate failed, 0 where not.
  std::vector<double> rewards_;  // As told; those in the process are squashed.
  std::size_t known_ = 0;        // Trials that went in, and those of them that were accepted.
  std::size_t accepted_ = 0;
  std::size_t failures_ = 0;
  std::size_t fitted_at_ = 0;  // Trials at the last fit.
  bool owes_failure_fit_ = false;
  double typical_noise_ = 0;
};

}  // namespace hone::tune

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "hone/core/rng.h"
#include "hone/tune/proposers/proposer.h"

namespace hone::tune {

// Objectives of several trials: one column for the baseline, at 0, then one a trial.
struct ObjectiveTable {
  Eigen::MatrixXd means;
  Eigen::MatrixXd variances;  // Standard errors, squared.
};
ObjectiveTable TabulateObjectives(const std::vector<Trial>& trials);

// Weights that are positive and sum to 1, uniformly drawn.
Eigen::VectorXd RandomWeights(Eigen::Index count, Rng rng);

// One number for several objectives, each the larger the better: the augmented Tchebycheff
// function of ParEGO (Knowles, IEEE TEC 2006), turned so that more is better. `objectives` has one
// column a point; each row is first put on a scale from 0 (worst seen) to 1 (best seen).
Eigen::VectorXd Scalarised(const Eigen::MatrixXd& objectives, const Eigen::VectorXd& weights);

// By how much the scalarised value changes at most with each objective: what scales its noise.
Eigen::VectorXd ScalarisationSlopes(const Eigen::MatrixXd& objectives,
                                    const Eigen::VectorXd& weights);

// The columns to which no other is at least as good everywhere and better somewhere.
std::vector<std::size_t> NonDominated(const Eigen::MatrixXd& objectives);

}  // namespace hone::tune

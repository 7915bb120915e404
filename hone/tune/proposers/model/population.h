// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/core/metric.h"

namespace hone::tune {

// Candidates that tell nothing of each other: their true rewards come from one normal distribution.
struct Population {
  double mean = 0;
  double variance = 0;
  double mean_variance = 0;  // Of what is known of the mean.
};

// The variance at which the estimates scatter exactly as far as expected (Paule and Mandel,
// "Consensus values and weighting factors", 1982). There is at least one estimate.
Population FitPopulation(const std::vector<Estimate>& seen);

// What is believed of a candidate after seeing all: drawn towards the mean, the further the
// noisier.
Estimate Shrunken(const Population& population, const Estimate& seen);

// What is believed of one that was never tried.
Estimate Unseen(const Population& population);

// The logarithm of how likely the estimates are, up to a constant for each. The mean is thought to
// be 0, give or take their root mean square.
double LogEvidence(const Population& population, const std::vector<Estimate>& seen);

}  // namespace hone::tune

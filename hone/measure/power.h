// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// How many pairs an answer takes. Effects and deviations are of paired log-ratios; alpha is
// two-sided. All reckon with the signed-rank test under normal noise: Student's test (noncentral t,
// exact) with 3/pi as many pairs, at the level that the signed-rank test attains. Where that
// rejects only if all signs agree the power is exact, and where pairs are too few even for that it
// is 0. Simulated power is within 4 points of what is promised here. Heavier tails need fewer pairs
// than normal noise of the same standard deviation.
namespace hone {

// The chance to find an effect of this size.
double PowerOf(double effect, double sd_of_log_ratio, std::int64_t pairs, double alpha = 0.05);

// The smallest effect found with this power; infinite where the pairs are too few to find any.
double MinimumDetectableEffect(double sd_of_log_ratio, std::int64_t pairs, double alpha = 0.05,
                               double power = 0.8);

// The pairs needed to find an effect of this size, at most kMaxPairs. The effect must not be 0.
std::int64_t PairsNeeded(double effect, double sd_of_log_ratio, double alpha = 0.05,
                         double power = 0.8);

inline constexpr std::int64_t kMaxPairs = 1'000'000;

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

// Whether a series of runs, in the order in which they were made, stands still.
namespace hone {

struct Trend {
  double slope = 0;      // Per run: Theil and Sen's median of the slopes between all pairs.
  double intercept = 0;  // The median of value - slope * index, indices from 0.
  double p_value = 1;    // Two-sided Mann-Kendall: that there is no monotone trend.
};

// The p-value is exact without ties up to 50 values, else normal with tie and continuity
// corrections. It takes the runs as independent: read it beside Lag1Autocorrelation.
Trend FitTrend(std::span<const double> values);

// Between a value and the next, in [-1, 1]; 0 where the series is constant or shorter than 3.
// In a series of n independent values it comes out near -1/n.
double Lag1Autocorrelation(std::span<const double> values);

struct ChangePoint {
  std::int64_t index = 0;  // The first value after the change.
  double shift = 0;        // Median after, less median before.
  double p_value = 1;      // That there is no change; approximate, and on the safe side.
};

// Pettitt's test (1979) for one step in the level, at an unknown place.
ChangePoint FindChangePoint(std::span<const double> values);

}  // namespace hone

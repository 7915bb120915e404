// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "hone/core/rng.h"
#include "hone/measure/statistics.h"

// Intervals for any statistic by drawing from the sample with replacement. They need more data than
// the paired tests do: below about 15 values they are too narrow, and they say nothing about it.
namespace hone {

using Statistic = std::function<double(std::span<const double>)>;

struct Resampling {
  double confidence = 0.95;
  std::int64_t resamples = 2000;
};

// The quantiles of the resampled statistic.
Interval BootstrapPercentile(std::span<const double> values, const Statistic& statistic, Rng rng,
                             Resampling resampling = {});

// Bias-corrected and accelerated (Efron, 1987): better where the statistic is skewed. The statistic
// is also called with one value left out, so there must be at least two.
Interval BootstrapBca(std::span<const double> values, const Statistic& statistic, Rng rng,
                      Resampling resampling = {});

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hone/measure/paired.h"

namespace hone::compute {

// Times of calls whose inputs had several distributions (`variants`, one for each time), of which
// some may take longer than others: as they would be if all took as long as the mean of them. Else
// a slow spell of the machine and a slow distribution look the same, and the median is by chance
// that of one or the other. Unchanged where all take about as long, or one was hardly seen.
std::vector<double> LevelledTimes(std::span<const double> times,
                                  std::span<const std::size_t> variants);

// The logarithms of pairs' ratios, whose inputs had several distributions, each distribution moved
// to the mean of all their centres: then each weighs alike, however many of its pairs count.
struct LevelledRatios {
  std::vector<double> ratios;
  // What an interval from them must be multiplied by: the centres are known no better than their
  // distributions scatter, and what is left without them scatters too little. Infinite where no two
  // are of one distribution.
  double widening = 1;
};

// With so many distributions (`count`). One of which fewer than two pairs count tells nothing: in
// its place stands the least centre of the others, or no speedup if that is less.
LevelledRatios LevelRatios(std::span<const double> ratios, std::span<const std::size_t> variants,
                           std::size_t count);

// The interval of a test of them, with their widening; without bounds where that is infinite.
Interval Widened(const PairedTest& test, double factor);

}  // namespace hone::compute

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

// The logarithms of pairs' ratios with several distributions, each distribution moved to the mean
// of all their centres: then each weighs alike, however many of its pairs count. Together they are
// what the geometric mean over the distributions scatters by, times `widening`.
struct LevelledRatios {
  std::vector<double> ratios;
  double widening = 1;
};

// With so many distributions. One of which too few pairs count tells nothing, and takes the place
// of the least of the others, or of no speedup if that is less.
LevelledRatios LevelRatios(std::span<const double> ratios, std::span<const std::size_t> variants,
                           std::size_t count);

PairedTest TestAsIndependent(const LevelledRatios& levelled);

// Those that follow each other are alike where the machine changes slowly, and then say less than
// as many independent ones: the interval is wider.
PairedTest TestInOrder(const LevelledRatios& levelled);

}  // namespace hone::compute

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hone::compute {

// Times of calls whose inputs had several distributions (`variants`, one for each time), of which
// some may take longer than others: as they would be if all took as long as the mean of them. Else
// a slow spell of the machine and a slow distribution look the same, and the median is by chance
// that of one or the other. Unchanged where all take about as long, or one was hardly seen.
std::vector<double> LevelledTimes(std::span<const double> times,
                                  std::span<const std::size_t> variants);

// Of the logarithms of pairs' ratios, whose inputs had so many distributions (`count`), means of
// one of each: then every distribution weighs alike, however many of its pairs count and however it
// scatters. What has no partner is left out. A distribution of which no pair counts tells nothing:
// in its place stands the least centre of the others, or no speedup if that is less.
std::vector<double> MeanRatios(std::span<const double> ratios,
                               std::span<const std::size_t> variants, std::size_t count);

}  // namespace hone::compute

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

}  // namespace hone::compute

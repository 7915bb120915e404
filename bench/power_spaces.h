// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hone/core/space.h"

// Ways in which parameters may act on a metric, in any number of them. What a campaign can find
// depends on the way, which nobody knows beforehand: bench/honesty --calibrate tries them all.
namespace hone {

struct PowerSpace {
  Space space;
  // 0 at the defaults, 1 at the optimum, which lies elsewhere for every seed.
  std::function<double(const Assignment&)> score;
};

// "smooth", "sparse", "categorical", "conditional", "needle", "valley", "hidden".
const std::vector<std::string>& PowerClasses();

// `kind` is one of the classes; `size` is at least 2.
PowerSpace MakePowerSpace(const std::string& kind, int size, std::uint64_t seed);

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "hone/measure/distributions.h"

// Shares that were counted, held against those that are promised. What chance alone explains in one
// check of a hundred or more is no fault.
namespace hone {

inline constexpr double kByChance = 0.01;

// The chance of so many and more, or so few and fewer, if each is right with this chance.
inline double ChanceOfSuch(int found, int all, double chance) {
  const double sd = std::sqrt(std::max(1e-9, all * chance * (1 - chance)));
  return NormalCdf(-std::max(0.0, std::fabs(found - all * chance) - 0.5) / sd);
}

// Whether fewer were found than are promised, by more than chance explains.
inline bool IsShortOf(double promised, int found, int all) {
  return found < promised * all && ChanceOfSuch(found, all, promised) < kByChance;
}

// By how much a share of so many may differ from what it should be before that is called wrong.
inline double RoomForChance(double share, int all) {
  constexpr double kErrors = 2.326;  // The normal quantile of 1 - kByChance.
  return (kErrors * std::sqrt(share * (1 - share) * all) + 0.5) / all;
}

}  // namespace hone

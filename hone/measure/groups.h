// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace hone {

// The p-value of the hypothesis that all groups come from one distribution (Kruskal and Wallis,
// 1952; chi-squared approximation, corrected for ties). Only ranks count, so heavy tails do no
// harm. Empty groups are left out; 1 with fewer than two groups or without any variation.
double KruskalWallisP(const std::vector<std::vector<double>>& groups);

}  // namespace hone

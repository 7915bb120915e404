// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

// Adjusted p-values for several tests at once, in the order of the input; each is to be compared
// with the level wanted for all.
namespace hone {

// The chance of even one false rejection stays below the level, whatever the dependence.
std::vector<double> AdjustByHolm(std::span<const double> p_values);

}  // namespace hone

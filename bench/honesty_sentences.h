// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

// The sentences of verdicts, held against the truth: campaigns that are cut short, have limits or
// run a benchmark that is suspected, on surfaces that are known everywhere.
namespace hone {

constexpr double kMinCoverage = 0.93;  // Of the interval, which promises 95 %.

// Prints a table. False if a sentence is true in fewer than 95 % of the cases in which it is said.
bool CheckSentences(int campaigns);

// The chance that is named for whole campaigns, against what they find on surfaces that had no part
// in making the table. False where it is wrong by more than ten points, beyond chance.
bool CheckPowerLine(int campaigns, const std::vector<std::string>& surfaces);

// All of the toy's but the flat one, which has no optimum to find.
std::vector<std::string> SurfacesWithOptimum();

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#pragma once

// The sentences of verdicts and gates, held against the truth: campaigns that are cut short, have
// limits or a front, run a benchmark that is suspected or a machine that drifts, on surfaces that
// are known everywhere.
namespace hone {

// Prints a table. False if a sentence is true in fewer than 95 % of the cases in which it is said;
// of one that promises a chance, if it falls short of that by more than chance explains; and if one
// is never said. `is_of_few`: few campaigns say little, so that some sentences may be missing, and
// every shortfall is held against chance.
bool CheckSentences(int campaigns, bool is_of_few);

}  // namespace hone

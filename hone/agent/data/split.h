// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hone/agent/data/leak_check.h"
#include "hone/agent/data/question_row.h"
#include "hone/core/result.h"

namespace hone::agent {

struct SplitSettings {
  SplitBy by = SplitBy::kOption;
  double validation = 0.1;  // Shares of the rows; what is left is for training.
  double test = 0.1;
  std::uint64_t seed = 1;
};

// Deals the rows out so that nothing leaks: rows that share an option, or are near (by option), or
// whose goals are the same or near (by goal), go to one split together. Largest sets first, each
// to the split that lacks most; the seed decides among equals. Shares are met as well as the sets
// allow. kInvalidArgument: shares that cannot be; kUnsupported: all rows hang together, so that a
// share would stay empty.
Result<void> DealOut(std::vector<QuestionRow>& rows, const SplitSettings& settings);

}  // namespace hone::agent

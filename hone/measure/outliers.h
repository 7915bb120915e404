// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

// Runs that lie apart. They are marked, for people and for a repeat; nothing here drops any.
namespace hone {

struct Outlier {
  enum class Grade { kMild, kSevere };
  std::int64_t index = 0;
  Grade grade = Grade::kMild;
  double score = 0;  // Signed distance, in the unit of the rule that marked it.

  bool operator==(const Outlier&) const = default;
};

// Modified z-scores, 0.6745 (x - median) / MAD: beyond 3.5 is mild (Iglewicz and Hoaglin, 1993),
// beyond 7 severe (ours). Where more than half of the values are equal the mean absolute deviation
// stands in for the MAD. In the order of the values.
std::vector<Outlier> MarkByModifiedZ(std::span<const double> values);

}  // namespace hone

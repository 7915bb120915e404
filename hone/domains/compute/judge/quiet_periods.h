// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hone::compute {

// A processor has slow spells of a tenth of a second and more that no counter of ours shows: a
// neighbour on the other thread of the core, a lower clock. Both sides of a pair are slow then, so
// their ratio holds, but the times do not. The reference tells the spells: it is the same program
// in every evaluation.
struct QuietPeriods {
  std::vector<bool> is_quiet;  // Of each pair.
  std::int64_t count = 0;
  double level = 0;  // The reference's median time in the calm pairs, or of all if there is none.
};

// A pair is calm if the reference was about as fast as it can be, in it and in those next to it.
// `known` is the level of earlier evaluations, 0 if there was none.
QuietPeriods FindQuietPeriods(std::span<const double> reference, double known);

// What the next evaluation shall know, after one that found `seen` with `known` at its beginning. A
// level that is not reached any more is given up little by little.
double NextLevel(double known, const QuietPeriods& seen);

}  // namespace hone::compute

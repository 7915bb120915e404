// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
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

// How far above its level something calm may be.
struct QuietRoom {
  double share = 1.06;   // Times the level,
  double ns = 1500;      // or so much above it: a short call varies by itself.
  bool looks_on = true;  // At the next one too.
};
// A pulse (runner/pulse.h) does not. The next one comes after the pair, when its kernel may know
// how long it took, and slow the processor.
inline constexpr QuietRoom kPulseRoom{1.03, 0, false};

// What something takes at its best: the level that is known, or that of the fastest among these if
// they are faster or nothing (0) is known. There is one value at least.
double LevelOf(std::span<const double> values, double known);

// A pair is calm if the reference was about as fast as it can be, in it and in those next to it,
// as far as `room` has it.
// `known` is the level of earlier evaluations, 0 if there was none.
QuietPeriods FindQuietPeriods(std::span<const double> reference, double known, QuietRoom room = {});

// Their median, over their level; 1 at least.
double SlownessOf(std::span<const double> pulses, double known);

// What is known of the level from one evaluation to the next. A faster one is believed at once; one
// that is not reached any more is given up little by little, by the clock: a slow spell may be
// longer than many evaluations.
class QuietLevel {
 public:
  using Time = std::chrono::steady_clock::time_point;

  double ns() const { return ns_; }  // 0: nothing is known.
  void See(const QuietPeriods& seen, Time now);

 private:
  double ns_ = 0;
  Time seen_at_;
};

}  // namespace hone::compute

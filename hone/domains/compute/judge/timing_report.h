// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/domains/compute/judge/finding.h"
#include "hone/domains/compute/judge/quiet_periods.h"
#include "hone/domains/compute/judge/sealed_calls.h"
#include "hone/measure/statistics.h"

namespace hone::compute {

// What one side did, publication after publication. Those that do not count at all (see Watch) are
// not here. Times in nanoseconds, the way there and back already subtracted.
struct TimedSide {
  std::vector<double> times;
  std::vector<double> claimed;  // By the runner's own clock.
  std::vector<double> work;     // Processor time, as the kernel counts it.
  std::vector<double> delay;    // Of `times`, how long runner or judge waited for a processor.

  std::int64_t counted = 0;  // Publications that what follows is made of.
  double median = 0;
  Interval interval;  // Of the median, 95 %; without bounds if fewer than four are counted.
  double spread = 0;  // Its standard error; the median itself where there is no interval.
};

// How often a side worked when it should have slept. A publication in which one did is of no use.
struct Watch {
  std::int64_t publications = 0;
  std::int64_t beside = 0;      // Publications of the other side, and rounds of its empty calls.
  std::vector<double> outside;  // Processor time with its arrays outside of the call, ns.
  std::vector<double> aside;    // The same, while the other side was timed.

  double OutsideShare() const;  // Of its own publications.
  double AsideShare() const;    // Of those beside which it should have slept.
};

struct TimingReport {
  MaybeFinding finding;
  TimedSide candidate;
  TimedSide reference;  // Empty without a reference.
  Watch candidate_watch;
  Watch reference_watch;
  double speedup = 0;  // Of the paired ratios; 0 without a reference.
  Interval speedup_interval;
  double twin_reach = 0;  // Each way at least: what equal processes differ by.
  double round_trip = 0;  // Of an empty publication, ns; subtracted from each.
  std::int64_t warm_up = 0;
  std::vector<std::size_t> variants;  // Of each pair: the distributions of its inputs.
  std::vector<bool> counts;           // Of each pair, whether the speedup is made of it.
  std::int64_t disturbed = 0;         // Pairs in which one side had to wait for a processor.
  QuietPeriods quiet;                 // By the reference: where the times are taken from,
  QuietPeriods pulse_quiet;           // and by the pulse of the processor, if it was taken.
  double slowness = 1;                // Of the pulse over the best that is known of it.
  bool is_unstable = false;           // Too little of it was calm: the times may be too long.
  std::string cache;                  // "cold" or "fresh"
  Unseen unseen;                      // Of the candidate; its charge is in the times.
  std::int64_t checked = 0;           // Timed calls whose outputs were compared.
  std::string ended_by;  // "precise", "budget", "count", "limit", "stopped", "unsealed"

  // What equal processes differ by (twins.h): the interval is as wide at least.
  void Widen(double reach);
  Json ToJson() const;  // The evidence "times".
};

// Fills in median, interval and spread, from its times or what was made of them (levelled_times.h).
// Publications that count are in them; all do if `counts` is empty.
void Summarise(TimedSide& side, const std::vector<double>& times, const std::vector<bool>& counts);

}  // namespace hone::compute

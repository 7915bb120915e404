// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/core/rng.h"
#include "hone/domains/compute/judge/finding.h"
#include "hone/domains/compute/judge/quiet_periods.h"
#include "hone/domains/compute/judge/tolerance.h"
#include "hone/domains/compute/problem/problem.h"
#include "hone/domains/compute/runner/runner.h"
#include "hone/measure/statistics.h"

namespace hone::compute {

// Fresh inputs for one timed call; the runner of the reference makes the expected values.
using DrawForTiming = std::function<Result<Tensors>(Rng& rng)>;

struct TimingOrder {
  const Problem& problem;
  Sizes sizes = {};
  DrawForTiming draw = {};
  std::vector<Tolerance> tolerances = {};
  std::vector<TensorSpec> outputs = {};  // Empty: the runners decide.
  std::uint64_t secret = 0;
  std::int64_t max_samples = 100;  // Per side.
  std::int64_t min_samples = 10;
  std::int64_t warm_up = 3;  // At least; more until it is steady.
  double precision = 0.01;   // Enough when the interval of the ratio is this narrow, each way.
  std::chrono::milliseconds budget{200};  // Then it ends with what it has.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  const Tensors* expected = nullptr;  // Without a reference: of the inputs that `draw` gives.
  CacheState cache = CacheState::kCold;
  double quiet_level =
      0;  // What is known of the reference's time on a calm machine, ns; 0: nothing.
  std::chrono::nanoseconds call_timeout{std::chrono::seconds{10}};
  std::stop_token stop = {};
};

// Times of one side, in nanoseconds, in the order in which they were taken, the way there and back
// already subtracted.
struct TimedSide {
  std::vector<double> times;
  std::vector<double> claimed;    // By the runner's own clock.
  std::vector<double> work;       // Processor time, as the kernel counts it; see CallReport.
  std::vector<double> idle_work;  // Of `work`, what lies outside of the call; negative: not known.
  std::vector<double> spin;       // For how long it may have spun while the judge was away.
  std::vector<double> charged;    // Of the candidate: idle work beyond what is usual.

  double TimeOf(std::size_t call) const {
    return times[call] + (charged.empty() ? 0 : charged[call]);
  }

  std::int64_t counted = 0;  // Calls that what follows is made of.
  double median = 0;
  Interval interval;  // Of the median, 95 %.
  double spread = 0;  // Its standard error.
};

struct TimingReport {
  MaybeFinding finding;
  TimedSide candidate;
  TimedSide reference;  // Empty without a reference.
  double speedup = 0;   // Of the paired ratios; 0 without a reference.
  Interval speedup_interval;
  double round_trip = 0;  // Subtracted from each, ns.
  std::int64_t warm_up = 0;
  // Calls in which the machine was taken away for a while: there the processor time counts.
  std::int64_t disturbed = 0;
  QuietPeriods quiet;        // With a reference. If enough pairs are calm, only they count.
  bool is_unstable = false;  // They were not, though calm is known: the times may be too long.
  std::string cache;         // "cold" or "fresh"
  std::int64_t checked = 0;  // Timed calls whose outputs were compared.
  std::string ended_by;      // "precise", "budget", "count", "limit", "stopped"

  Json ToJson() const;  // The evidence "times".
};

// Below, all pairs count: the machine was restless.
inline constexpr std::int64_t kMinQuiet = 8;

// Calls candidate and reference in turn with the same fresh inputs. `reference` may be null.
Result<TimingReport> MeasureTimes(Runner& candidate, Runner* reference, const TimingOrder& order);

}  // namespace hone::compute

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "hone/base/clock.h"
#include "hone/base/fresh_number.h"
#include "hone/core/result.h"
#include "hone/core/rng.h"
#include "hone/domains/compute/judge/empty_calls.h"
#include "hone/domains/compute/judge/timing_report.h"
#include "hone/domains/compute/judge/tolerance.h"
#include "hone/domains/compute/problem/problem.h"
#include "hone/domains/compute/runner/runner.h"

namespace hone::compute {

// Fresh inputs for one timed call, of this one of the problem's distributions (input_data.h); the
// runner of the reference makes the expected values.
using DrawForTiming = std::function<Result<Tensors>(std::size_t variant, Rng& rng)>;

struct TimingOrder {
  const Problem& problem;
  Sizes sizes = {};
  DrawForTiming draw = {};
  // For each variant those of the outputs. Which variant it is, is another lot for every pair, and
  // each counts alike: who is right and fast with one of them only gains its share.
  std::vector<std::vector<Tolerance>> tolerances = {};
  std::vector<TensorSpec> outputs = {};  // Empty: the runners decide.
  std::vector<TensorSpec> wanted = {};   // Where they do, what is right.
  std::int64_t max_samples = 100;        // Pairs.
  // The same where a call is short: waking a runner varies as much as that takes.
  std::int64_t max_short_samples = 100;
  std::int64_t min_samples = 10;
  std::int64_t warm_up = 3;  // At least; more until it is steady.
  // Enough when the interval of the ratio is this narrow, each way.
  double precision = 0.01;
  // What a call can be known to, ns: with short ones it ends sooner, at up to three times as wide
  // an interval.
  double finest = 300;
  // All of a large output is compared in one of so many pairs, of the first ones in more
  // (full_looks.h), a part of it in the others.
  std::uint64_t full_every = 4;
  std::chrono::milliseconds budget{200};  // Then it ends with what it has.
  Clock::Monotonic deadline = Clock::Monotonic::max();
  CacheState cache = CacheState::kCold;
  // Each side is called twice in a row where a call is short, with inputs of their own, and both
  // count. A processor that has just served another process has forgotten what it had learnt of
  // this one: with one call, the time would depend on who had the turn before. Nothing is made for
  // nothing: a call that did not count would be time of one's own.
  bool calls_twice = true;
  // Whether times are taken from periods in which the reference is as fast as it can be. Where
  // nothing slows it for longer than a call, choosing only adds noise.
  bool seeks_calm = true;
  // Some pairs are sealed (sealed_calls.h) where both runners can be. Costs twice what it takes a
  // device to turn from one process to another, for each call.
  bool seals = false;
  // What is known of the reference's time on a calm machine, ns; 0: nothing. The same of the pulse.
  double quiet_level = 0;
  double pulse_level = 0;
  // The pulse of the runners' processor now (runner/pulse.h); none: nobody takes it.
  std::function<double()> pulse = {};
  std::chrono::nanoseconds call_timeout{std::chrono::seconds{10}};  // Of the candidate.
  std::chrono::nanoseconds reference_timeout{std::chrono::seconds{10}};
  std::stop_token stop = {};
  // Where the judge has no processor of its own, those that it shares with the runners: it takes
  // one by lot for every publication. Otherwise a runner that happens to wake beside it waits for
  // it in every call, another in none, and that would be taken for their speed.
  std::vector<int> shared = {};
  // Processors that may draw the next inputs meanwhile; none: they are drawn before each pair.
  std::vector<int> aside = {};
  // What a candidate sees of one publication (values, addresses, patterns) tells it nothing about
  // any other.
  std::function<std::uint64_t()> secret = FreshNumber;
  Clock* clock = &SystemClock();
};

// Each look at the precision is taken so much later than the one before: who looks after every
// sample ends when chance has made the interval too narrow.
inline constexpr double kLookGrowth = 1.2;

// Below, the times of all pairs count: the machine was restless.
inline constexpr std::int64_t kMinQuiet = 8;

// How many budgets it may take to wait for a calm machine.
inline constexpr int kMaxCalmBudgets = 3;

// Publishes to candidate and reference in turn, with the same fresh inputs.
Result<TimingReport> MeasureTimes(Runner& candidate, Runner& reference, const TimingOrder& order);

}  // namespace hone::compute

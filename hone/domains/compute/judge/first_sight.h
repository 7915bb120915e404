// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "hone/base/clock.h"
#include "hone/core/result.h"
#include "hone/domains/compute/backends/backend.h"
#include "hone/domains/compute/judge/correctness.h"
#include "hone/domains/compute/judge/timing.h"
#include "hone/domains/compute/judge/timing_report.h"
#include "hone/domains/compute/problem/problem.h"

namespace hone::compute {

struct FirstSightOrder {
  const Problem& problem;
  const TimedCase& timed;
  std::vector<TensorSpec> outputs = {};  // Empty: the runners decide.
  std::function<Result<Loaded>()> load = {};
  std::int64_t max_samples = 100;
  std::int64_t min_samples = 3;
  std::int64_t warm_up = 3;
  double precision = 0.01;
  std::chrono::milliseconds budget{200};
  Clock::Monotonic deadline = Clock::Monotonic::max();
  CacheState cache = CacheState::kCold;
  std::chrono::nanoseconds call_timeout{std::chrono::seconds{10}};
  std::stop_token stop = {};
  std::function<std::uint64_t()> secret = FreshSecret;
  Clock* clock = &SystemClock();
};

// Times a case whose inputs and outputs are fixed, without a reference. A process that has seen the
// inputs before could know the answer: so every sample is taken in a process of its own, which has
// warmed up with other values of the same shape. `empty` is a runner without a kernel.
Result<TimingReport> MeasureFirstSights(Runner& empty, const FirstSightOrder& order);

}  // namespace hone::compute

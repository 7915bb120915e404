// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
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
  TimingOrder timing;  // Without a way to draw: the inputs are those of the case.
  const TimedCase& timed;
  std::function<Result<Loaded>()> load = {};
  // As Backend::KeepStill: held while a sample is taken.
  std::function<std::shared_ptr<void>()> keep_still = [] { return nullptr; };
};

// Times a case whose inputs and outputs are fixed, without a reference. A process that has seen the
// inputs before could know the answer: so every sample is taken in a process of its own, which has
// warmed up with other values of the same shape (other_values.h), or not at all where there are
// none or the kernel does not bear them. `empty` is a runner without a kernel.
Result<TimingReport> MeasureFirstSights(Runner& empty, const FirstSightOrder& order);

}  // namespace hone::compute

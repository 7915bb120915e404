// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/domains/compute/judge/finding.h"
#include "hone/domains/compute/judge/tolerance.h"
#include "hone/domains/compute/problem/problem.h"
#include "hone/domains/compute/runner/runner.h"

namespace hone::compute {

// Inputs, and what must come out.
struct TimedCase {
  std::string name;  // "n=1000, wide": for people.
  Sizes sizes;
  Tensors inputs;
  Tensors expected;                   // Empty: it is only run.
  std::vector<Tolerance> tolerances;  // One per output.
};
using SharedTrial = std::shared_ptr<const TimedCase>;

struct CorrectnessReport {
  MaybeFinding finding;  // None: right in all trials.
  std::int64_t trials = 0;
  std::int64_t passed = 0;
  double largest_difference = 0;
  double mean_difference = 0;
  double tolerance = 0;  // The largest that was allowed.

  Json ToJson() const;  // The evidence "correctness".
};

struct CorrectnessOrder {
  const Problem& problem;
  const std::vector<SharedTrial>& trials;
  std::uint64_t secret = 0;
  std::chrono::nanoseconds call_timeout{std::chrono::seconds{10}};
  std::stop_token stop;
};

// Runs every trial, the first one twice (determinism), in an order that only the judge knows, and
// checks all that a call shows: the values, what was left unwritten, what was written elsewhere.
Result<CorrectnessReport> CheckCorrectness(Runner& candidate, const CorrectnessOrder& order);

// What one call shows against the candidate besides its time, whatever phase it is made in.
MaybeFinding JudgeCall(const Problem& problem, const TimedCase& trial, const CallReport& report);

// Says when a problem accepts what no kernel computed: zeros, a constant, a copy of an input. Empty
// if it does not.
std::string DegenerationOf(const std::vector<SharedTrial>& trials);

}  // namespace hone::compute

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
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
  std::uint64_t seed = 0;             // Of what is drawn in a call with them.
  Tensors expected;                   // Empty: it is only run.
  std::vector<TensorSpec> declared;   // Type and shape of the outputs; expected may be finer.
  std::vector<Tolerance> tolerances;  // One per output.
  std::chrono::nanoseconds reference_time{0};  // What the reference took.
};
using SharedTrial = std::shared_ptr<const TimedCase>;

std::size_t BytesOf(const TimedCase& trial);  // In memory, about.

// So many trials, each made when it is asked for, so that they are not all in memory. The first is
// asked for twice. Null: there is no time left to make it.
struct Trials {
  Trials(std::size_t how_many, std::function<Result<SharedTrial>(std::size_t)> make)
      : count(how_many), at(std::move(make)) {}
  Trials(const std::vector<SharedTrial>& made)  // Which outlives it.
      : count(made.size()), at([&made](std::size_t i) { return Result<SharedTrial>(made[i]); }) {}

  std::size_t count;
  std::function<Result<SharedTrial>(std::size_t)> at;
};

struct CorrectnessReport {
  MaybeFinding finding;  // None: right in all trials that were made.
  bool is_cut = false;   // Time ran out before all of them were.
  std::int64_t trials = 0;
  std::int64_t passed = 0;
  double largest_difference = 0;
  double mean_difference = 0;
  double tolerance = 0;  // The largest that was allowed.

  Json ToJson() const;  // The evidence "correctness".
};

struct CorrectnessOrder {
  const Problem& problem;
  Trials trials;
  std::uint64_t secret = 0;
  std::chrono::nanoseconds call_timeout{std::chrono::seconds{10}};
  std::stop_token stop;
};

// Runs every trial, the first one twice (determinism), in an order that only the judge knows, and
// checks all that a call shows: the values, what was left unwritten, what was written elsewhere.
Result<CorrectnessReport> CheckCorrectness(Runner& candidate, const CorrectnessOrder& order);

// What one call shows against the candidate besides its time, whatever phase it is made in.
MaybeFinding JudgeCall(const Problem& problem, const TimedCase& trial, const CallReport& report);

// Notices when a problem accepts what no kernel computed: zeros, a constant, a copy of an input,
// the answer to other inputs.
class Degeneration {
 public:
  void See(const SharedTrial& trial);

  std::string Text() const;  // Empty if it accepts nothing of the kind in some trial.

 private:
  void SeeFirst(const SharedTrial& trial);

  std::size_t trials_ = 0;
  std::vector<double> constants_ = {0.0, 1.0};               // That were accepted so far.
  std::vector<std::pair<std::size_t, std::string>> inputs_;  // Likewise, with their names.
  // The first trial, while others accept its answers, and the means of these. That it accepts its
  // own says nothing.
  SharedTrial first_;
  std::vector<double> means_;
  bool accepts_means_ = false;
};
std::string DegenerationOf(const std::vector<SharedTrial>& trials);

}  // namespace hone::compute

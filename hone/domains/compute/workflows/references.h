// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "hone/core/rng.h"
#include "hone/domains/compute/judge/correctness.h"
#include "hone/domains/compute/shared_state.h"
#include "hone/domains/compute/workflows/session_builds.h"

namespace hone::compute {

// The reference of a problem, built and running, in both precisions where the backend has them.
// What it does wrong is the problem's fault: kInvalidArgument. The declared one, which is timed,
// has a fresh process in every evaluation, as the candidate has: one that has been called for
// longer is faster by a hundredth or two (on processors; where that is not so, one serves several
// evaluations). Of a problem by name, the other one goes back to the shared state when this is
// destroyed. What was sent with a kernel is its sender's code and ends here: it could wait for the
// next evaluation, on the same processors, and have slowed its reference by appointment.
class References {
 public:
  // Builds only.
  static Result<void> Prepare(SessionBuilds& builds, const std::stop_token& stop);
  static Result<References> Open(SessionBuilds& builds, const std::vector<int>& cpus,
                                 const std::stop_token& stop);

  References(References&&) = default;
  References& operator=(References&&) = delete;
  ~References();

  Runner& declared() { return *declared_.runner; }
  // Its processes, and those that are started later, run there from now on.
  void Pin(const std::vector<int>& cpus);
  // Calls the declared one with trials that it has not computed, until it has been called as often
  // as a candidate that was tried with them.
  Result<void> Exercise(const std::vector<SharedTrial>& trials, std::chrono::nanoseconds limit);
  // Another fresh process with the declared one, exercised.
  Result<std::unique_ptr<Runner>> StartTwin(const std::vector<SharedTrial>& trials,
                                            std::chrono::nanoseconds limit);
  // Where processes load slowly: the one of the evaluation before, which has been called about as
  // often as this one when it was timed. A fresh one if there is none, or if one serves for long.
  Result<std::unique_ptr<Runner>> TakeOther(const std::vector<SharedTrial>& trials,
                                            std::chrono::nanoseconds limit);
  // What TakeOther gave, when it was compared: of lasting ones the younger stays.
  void GiveOther(std::unique_ptr<Runner> other);
  bool loads_fast() const;
  // None of its processes serves anybody else: something went wrong beside them.
  void Spoil() { is_spoilt_ = true; }
  // Inputs made by the reference's own code, in another process than the one that is timed.
  Result<Tensors> MakeInputs(std::uint64_t seed, std::chrono::nanoseconds limit);
  const std::string& key() const { return declared_.key; }  // Of the reference as it was built.

  // Inputs with expected values and tolerances. Cached by problem, shape, variant and seed.
  Result<SharedTrial> MakeTrial(std::size_t shape, std::size_t variant, std::uint64_t seed,
                                std::chrono::nanoseconds limit);

 private:
  // A call of the reference.
  struct Asked {
    const Sizes& sizes;
    const Tensors& inputs;
    std::uint64_t seed = 0;  // Of what it draws.
  };
  struct Held {
    std::string key;
    std::unique_ptr<Runner> runner;
    std::size_t calls = 0;
  };

  using Errors = std::vector<ReferenceError>;  // One per output.
  struct Draw {                                // How the inputs of a trial came about.
    std::size_t shape = 0;
    std::size_t variant = 0;
    Rng rng;
  };

  References(SessionBuilds& builds, std::vector<int> cpus, std::stop_token stop);

  Result<Held> Start(Precision precision);
  bool is_lasting() const;
  bool is_ours() const;  // A problem by name: its reference is a part of this program.
  std::string ElderKey() const;
  Result<void> ExerciseHeld(Held& held, const std::vector<SharedTrial>& trials,
                            std::chrono::nanoseconds limit);
  Result<Tensors> Inputs(std::size_t shape, std::size_t variant, std::uint64_t seed,
                         std::chrono::nanoseconds limit);
  Result<Tensors> Compute(Held& held, Precision precision, const Asked& asked,
                          std::chrono::nanoseconds limit);
  Result<Tensors> ComputeFinest(const Asked& asked, std::chrono::nanoseconds limit);
  // An output of few elements may by chance lie near the exact value: then other inputs are tried,
  // too. Moving the same ones would not do, for the roundings stay what they were.
  Result<Errors> MeasureErrors(const TimedCase& trial, const Tensors& exact,
                               const Tensors& declared, const Draw& draw,
                               std::chrono::nanoseconds limit);
  Result<void> FillTrial(TimedCase& trial, const Draw& draw, std::chrono::nanoseconds limit);

  SessionBuilds* builds_;
  const WorkflowContext* context_;
  std::vector<int> cpus_;
  std::stop_token stop_;
  Held declared_;
  Held high_;  // Without a runner where there is no higher precision.
  bool is_spoilt_ = false;
  std::chrono::nanoseconds last_call_{0};  // What it took.
};

}  // namespace hone::compute

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hone/core/rng.h"
#include "hone/domains/compute/judge/correctness.h"
#include "hone/domains/compute/judge/finding.h"
#include "hone/domains/compute/judge/timing.h"
#include "hone/domains/compute/workflow.h"
#include "hone/domains/compute/workflows/session_builds.h"

// What both workflows do alike.
namespace hone::compute {

// Which processor is whose while a candidate is timed.
struct CpuPlan {
  std::vector<int> runners;  // Candidate and reference alike, in turn.
  int judge = -1;            // Another one; -1: anywhere.
  std::vector<int> rest;     // What is left.
};

// From the processors that a worker was given, or all that we may use if none were.
CpuPlan PlanCpus(const std::vector<int>& given, int threads);

// One evaluation in progress: its deadline, its phases, its candidate's runner.
class CandidateRun {
 public:
  CandidateRun(SessionBuilds& builds, const RunOrder& order);

  // Of what is drawn for the trials.
  const Rng& rng() const { return rng_; }
  Phases& phases() { return phases_; }
  // Of the limit, which is the candidate's own: waiting and the reference do not count for it.
  std::chrono::nanoseconds Left() const;
  // The limit came, all else has taken as long, or we were asked to stop.
  bool IsOver() const;
  // Of what all else may take: as long as a run, or longer.
  std::chrono::nanoseconds LeftBeside() const;
  // Whether all else has taken less than half of what it may: what is only useful ends then.
  bool HasRoomBeside() const { return 2 * phases_.BesidesCandidate() < LimitBeside(); }
  // For one call of the candidate: what is left, or the backend's own limit where that is less.
  std::chrono::nanoseconds CallTimeout() const { return CallTimeoutWithin(Left()); }
  // That limit allows many times what the reference takes.
  void SeeReferenceCall(std::chrono::nanoseconds time) {
    reference_call_ = std::max(reference_call_, time);
  }

  // Loads what Prepare built. A finding if the candidate failed at it.
  Result<MaybeFinding> Load(const CpuPlan& plan);
  Runner& runner() { return *runner_; }

  // Another process with the same candidate, or without any kernel, for its time.
  Result<Loaded> LoadAgain(const CpuPlan& plan) const;
  Result<Loaded> LoadNothing(const CpuPlan& plan) const;

  // Ends the candidate's process; what comes to light then.
  MaybeFinding End();

  // Until nobody else uses the device, if that is wanted. Should they stay: an Error, and no
  // verdict, since it is not the candidate's fault.
  Result<void> AwaitAlone() const;
  // Whether its time is below what the machine can do, even when that is measured once more.
  MaybeFinding CheckFloor(const Sizes& sizes, const TimingReport& times) const;
  // What device and machine were like while kernels were timed.
  void NoteDevice();
  void NoteMachine(const TimingReport& times);

  // Some of these calls under the backend's sanitizer, if that is wanted of it. An Error only where
  // nothing is accepted without one. Nobody times meanwhile.
  Result<MaybeFinding> Sanitize(const std::vector<SharedTrial>& trials, bool is_record);

  RunResult Fail(const Finding& finding);
  // An Error if it was not the candidate that took so long.
  Result<RunResult> TimedOut();
  RunResult NotTimed();  // Not a single call of it could be counted.
  // A refusal of the problem: not the candidate's fault, and not ours.
  RunResult Reject(const Error& error);
  void Attach(std::string what, const Json& json);
  void Note(std::string what, std::string text);
  RunResult Accept(std::map<std::string, Reading> metrics);
  // It is right, and nobody asked how fast.
  Result<RunResult> AcceptUntimed(const std::vector<SharedTrial>& trials);

  // What a judgement that ended in an error means: we were stopped, or the problem is at fault.
  Result<RunResult> Settle(Result<RunResult> judged);

  // As the settings say; without inputs, expected values and tolerances.
  TimingOrder OrderTiming(const Sizes& sizes, const CpuPlan& plan) const;

 private:
  std::chrono::nanoseconds CallTimeoutWithin(std::chrono::nanoseconds left) const;
  std::chrono::milliseconds LimitBeside() const;
  RunResult Close(RunResult result);
  Result<MaybeFinding> SanitizeAll(const std::vector<const TimedCase*>& calls);
  Result<Loaded> LoadArtefact(std::shared_ptr<const Artefact> artefact, const CpuPlan& plan) const;

  SessionBuilds& builds_;
  const WorkflowContext& context_;
  const RunOrder& order_;
  const Rng rng_;
  const std::chrono::steady_clock::time_point began_;
  const WallTime started_;
  Phases phases_;
  std::shared_ptr<const Artefact> artefact_;
  std::unique_ptr<Runner> runner_;
  std::vector<Evidence> evidence_;
  std::chrono::nanoseconds reference_call_{0};
};

Reading ReadingOf(const TimedSide& side);  // In milliseconds.

}  // namespace hone::compute

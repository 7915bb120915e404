// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hone/core/candidate.h"
#include "hone/core/evaluation.h"
#include "hone/core/result.h"
#include "hone/core/reward.h"
#include "hone/core/space.h"
#include "hone/core/task.h"
#include "hone/tune/watch/watch_event.h"
#include "hone/tune/watch/watch_judge.h"
#include "hone/tune/watch/watch_steps.h"

namespace hone::tune {

// What is watched.
struct WatchSubject {
  std::string domain;
  Options options;
  Capabilities needs;
  Space space;
  Candidate originals;  // What is in force before the watch, and after it.
  RewardRule rule;
  std::chrono::milliseconds run_timeout{60'000};
};

// Numbers of rounds stand in place of times, so that the seed and the runs decide everything. A
// round is one step tried, one comparison with the originals, or one run at rest.
struct WatchSettings {
  std::uint64_t seed = 1;
  std::int64_t max_rounds = 0;  // 0: no limit.
  StepSettings steps;

  double min_gain = 0.00995;  // In reward, as log(1.01): of one step.
  double max_loss = 0.0953;   // In reward: a single run that loses more is harm.
  std::int64_t trial_pairs = 40;
  double false_adoption = 0.05;  // The chance that a sweep over steps that all do not help adopts
                                 // one.
  double confidence = 0.95;      // Of the comparison with the originals.
  std::int64_t proof_pairs = 80;

  std::int64_t settle_runs = 12;         // Before something is compared with what is in force.
  double runs_per_false_alarm = 10'000;  // Of shifts of the workload, while there are none.
  double min_shift = 0.0296;             // In reward: smaller shifts are not told.

  std::int64_t harm_rounds = 200;   // For so long a step that did harm is not tried again.
  std::int64_t prove_rounds = 200;  // At rest, what is in force is proven again after so many.
  std::int64_t rest_rounds = 1000;  // At rest, all steps are tried again after so many.
  int max_failures = 5;             // Runs in a row that could not be made: the watch ends.
};

// What a watch works with. All are called from the thread of the loop.
struct WatchHooks {
  // Makes the runs of the task. What the last run had in force stays in force until the next. An
  // Error is a failure of the service; kStale, which says that somebody else took what was held,
  // ends the watch.
  std::function<Result<Evaluation>(const Task& task)> measure;

  // Keeps the event before the watch goes on; an Error ends the watch.
  std::function<Result<void>(const WatchEvent& event)> record;

  // Waits until the next run at rest is due, or IsOver.
  std::function<void()> rest;

  // Whether the watch is to end. Asked before every run, and after one that failed.
  std::function<bool()> is_over;
};

// What a watch came to.
struct WatchSummary {
  std::int64_t rounds = 0;
  std::int64_t runs = 0;
  std::int64_t tried = 0;  // Steps that were compared until something could be said of them.
  std::int64_t adopted = 0;
  std::int64_t harms = 0;     // Steps that did harm, each reverted at once.
  std::int64_t reverted = 0;  // Times that the originals were put back.
  std::int64_t shifts = 0;
  std::int64_t failures = 0;
  Candidate originals;
  Candidate in_force;                   // At the end; who ends the session puts the originals back.
  std::optional<WatchGain> gain;        // Of what is in force over the originals, if it was proven.
  std::vector<std::string> suspicions;  // Why the numbers may not be measured; the grave ones.
  std::string does_not_run;             // How the originals failed, if that ended the watch.
  std::vector<Evidence> output;         // What a benchmark that does not run has printed last.
};

// Keeps measuring what is in force, tries small steps from there inside a trust region, adopts what
// is surely better, and reverts at the first harm.
//
// Every run is a task of its own, so that harm ends a comparison in the very run that shows it and
// the next run has the better values in force. Between rounds, what was adopted is in force. When a
// sweep over all steps adopts nothing the watch rests: one run now and then. A shift of its level
// wakes it: what is in force is compared with the originals again, and dropped for them unless it
// is surely better, and all steps are open again. The same seed and the same evaluations give the
// same events. While the benchmark is seen to read what it is scored on, nothing is tried and the
// originals are in force. Originals that fail again and again end the watch (`does_not_run`).
//
// An Error: the service failed too often, somebody else took what was held, or an event could not
// be recorded. Nothing is put back here: that is the measuring session's promise.
Result<WatchSummary> WatchOver(const WatchSubject& subject, const WatchSettings& settings,
                               const WatchHooks& hooks);

// An Error names the setting, what was found and what is allowed.
Result<void> Validate(const WatchSettings& settings);

}  // namespace hone::tune

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "hone/core/space.h"
#include "hone/tune/campaign/campaign_spec.h"
#include "hone/tune/campaign/ledger.h"
#include "hone/tune/campaign/pair_runner.h"
#include "hone/tune/campaign/progress.h"

namespace hone::tune {

// Keeps what the proposer has learnt, durably; see Proposer::Learnt.
using LearntSink = std::function<Result<void>(const std::string& learnt)>;

// Waits. False if it was told to stop before the time was over.
using Pause = std::function<bool(std::chrono::nanoseconds time, const std::stop_token& stop)>;
bool PauseFor(std::chrono::nanoseconds time, const std::stop_token& stop);

// What the stages of one campaign share: gate, search, proof, ablation. Everything it refers to
// outlives it.
struct Stage {
  const CampaignSpec& spec;
  const Space& space;
  const Candidate& baseline;
  PairRunner& runner;
  Ledger& ledger;
  ProgressSink sink;
  Progress progress;                        // As last sent.
  std::chrono::microseconds run_time{0};    // Of one run, known after the gate.
  std::int64_t planned_runs = 0;            // Of the whole campaign, known after the gate.
  std::chrono::microseconds search_end{0};  // Measuring time at which the search ends; 0: none.
  LearntSink keep_learnt = nullptr;
  Pause pause = PauseFor;

  // Begins a phase of so many steps.
  void Enter(Phase phase, std::int64_t planned);
  // Sends where the campaign is, `done` steps into the phase.
  void Report(std::int64_t done, std::string message = "");
};

// The error of a campaign that was told to stop at once.
Error Abandoned();

}  // namespace hone::tune

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "hone/agent/chat/chat_settings.h"
#include "hone/app/builtins.h"
#include "hone/app/plan/tune_plan.h"
#include "hone/eval/worker/pause_gate.h"
#include "hone/tune/campaign/campaign_store.h"
#include "hone/tune/campaign/gate.h"
#include "hone/tune/campaign/progress.h"
#include "hone/tune/campaign/verdict.h"

namespace hone::app {

inline constexpr std::int64_t kMaxWorkers = 1024;  // Of one process.

// How this process works on a campaign; none of it changes what the campaign decides.
struct LocalSettings {
  std::filesystem::path store;
  std::size_t workers = 1;
  std::chrono::milliseconds lease{5'000};  // How soon a killed worker's task is tried again.
  std::function<void(const tune::GateReport&)> on_gate;  // Once, before the search; may be null.
  tune::ProgressSink on_progress;                        // May be null.
  std::stop_token wrap_up;
  std::stop_token abandon;
  PauseGate* gate = nullptr;  // Before each run; may be null.
  agent::ChatSettings chat;   // Whom the engine llm asks; with no URL: as the campaign was begun.
  bool asks_nobody = false;   // The engine llm does without its model: a rehearsal is free.
};

// What this process can offer to tasks.
Capabilities LocalCapabilities();

// Says what of the needs is not there: "it needs root". Empty if all is.
std::string WhatIsMissing(const Capabilities& needs, const Capabilities& has);

// Stores a campaign without running it, with what was asked of a model for its plan. `file` is that
// of the store, `submitter` that of the campaign. Returns its id.
Result<std::string> CreateCampaign(tune::CampaignStore& store, const TunePlan& plan,
                                   const std::filesystem::path& file, Clock& clock,
                                   const std::string& submitter = "");

// Runs the campaign to its verdict, or goes on where it was killed; a finished one gives its
// verdict again. kStale if another process runs it. kCorrupt: somebody else could have written the
// store, whose commands would be run.
Result<tune::Verdict> RunLocally(const std::string& id, tune::CampaignStore& store,
                                 const Builtins& builtins, Clock& clock,
                                 const LocalSettings& settings);

// The proposer that a campaign begins with, also when it is resumed or replayed.
Result<std::unique_ptr<tune::Proposer>> MakeProposer(const tune::ProposerTable& table,
                                                     const tune::CampaignStart& start);

}  // namespace hone::app

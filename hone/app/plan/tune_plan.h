// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hone/agent/chat/chat_settings.h"
#include "hone/app/builtins.h"
#include "hone/app/plan/sentence_chat.h"
#include "hone/core/result.h"
#include "hone/core/reward.h"
#include "hone/domains/domain.h"
#include "hone/domains/sysctl/workload/workload_spec.h"
#include "hone/tune/campaign/campaign_spec.h"

namespace hone::app {

// What a person asked for. What is not set is the spec file's to say, or the default.
struct TuneRequest {
  std::string target;                 // As tune_target.h reads it.
  Options options;                    // Of the domain; they go before those of the file.
  std::vector<Objective> objectives;  // Directions are the domain's.
  std::vector<Limit> limits;
  std::optional<RewardRule::Formula> formula;
  bool wants_front = false;
  bool is_rehearsal = false;       // Of a workload: look, touch nothing.
  bool allows_unknown = false;     // Parameters that the knowledge base does not know.
  bool allows_disruption = false;  // Parameters whose change resets a link.
  bool has_no_ablation = false;
  std::optional<std::vector<sysctl::ParameterRequest>> parameters;  // Instead of the workload's.
  std::vector<std::string> services;  // Whose files are tuned too: names, or files of declarations.
  sysctl::Services declared_services;  // For keys that are asked for by name.
  std::optional<std::string> engine;
  Options engine_options;    // Of the engine.
  agent::ChatSettings chat;  // Whom the engine llm asks, and who reads a sentence.
  std::string warm_start;    // A stored run that the engine learns from first; empty: none.
  std::optional<std::int64_t> trials;
  std::optional<std::int64_t> pairs;
  std::optional<std::int64_t> batch;
  std::optional<std::uint64_t> seed;
  std::optional<std::chrono::milliseconds> time;
  std::optional<std::chrono::milliseconds> budget;  // For everything.
  std::optional<std::chrono::milliseconds> run_timeout;
  std::optional<double> confidence;
  std::optional<double> min_gain;  // A share: 0.01 is 1 %.
  std::optional<std::chrono::milliseconds> proof_over;
};

// A campaign that can be started: everything named in it exists.
struct TunePlan {
  tune::CampaignSpec spec;
  std::unique_ptr<Domain> domain;
  std::optional<sysctl::WorkloadSpec> workload;  // Where the target is one.
  std::string choice;                            // How a sentence was understood; else empty.
  std::optional<Candidate> baseline;             // A of a comparison; else what is in force.
  std::vector<std::string> notes;                // What was done before it could be made.
  std::optional<SentenceReading> reading = std::nullopt;  // Where a model read the sentence.
};

// An Error names the flag, or the file and the path in it, and lists what there is.
Result<TunePlan> MakePlan(const TuneRequest& request, const Builtins& builtins);

// The same without its engine, for what learns in another way; only the target is checked.
Result<TunePlan> MakeTargetPlan(const TuneRequest& request, const Builtins& builtins);

// Whether the engine takes its options as they are now; better said before anything is stored.
Result<void> CheckEngine(const TunePlan& plan, const tune::ProposerTable& proposers);

}  // namespace hone::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hone/app/campaign/chat_tally.h"
#include "hone/cli/console.h"
#include "hone/core/metric.h"
#include "hone/tune/campaign/campaign_history.h"
#include "hone/tune/campaign/campaign_spec.h"
#include "hone/tune/campaign/counter_changes.h"
#include "hone/tune/campaign/gate.h"
#include "hone/tune/campaign/verdict.h"
#include "hone/tune/campaign/words.h"

// The texts about a campaign: before, at the gate and at the end.
namespace hone::cli {

// What a campaign came to, in the numbers that each of its texts needs.
struct CampaignSummary {
  std::string id;
  tune::CampaignSpec spec;
  Candidate baseline;  // A of a comparison; else what was in force.
  Candidate in_force;  // When it began.
  std::optional<tune::Verdict> verdict;
  std::optional<tune::GateReport> gate;
  std::int64_t trials = 0;
  tune::CandidateTally candidates;
  std::int64_t runs = 0;
  std::chrono::microseconds measured{0};
  std::string last_error;
  std::string restore_text;
  std::vector<tune::IdleParameter> idle;  // Tried in vain.
  std::vector<std::string> suspicions;    // Reasons to doubt the numbers themselves.
  tune::CounterReport counters;           // Why it got faster, as far as they tell.
  std::optional<app::ChatTally> chat;     // Of one that asked a language model.
};

CampaignSummary Summarise(const tune::CampaignHistory& history);

// What will be done. `metrics` are those of the domain.
std::string PlanText(const tune::CampaignSpec& spec, const Space& space,
                     const std::vector<MetricFacts>& metrics, std::size_t workers);

// The parameters in which the two sides of the spec's comparison differ.
std::string ComparedText(const tune::CampaignSpec& spec, const Candidate& a);

// What the gate found: the noise, what can be proven and found under it, what is to come.
std::string GateText(const tune::CampaignStart& start, const tune::GateReport& gate,
                     const Ink& ink);

// Everything from the headline to what was spent. Without a verdict: what there is so far.
std::string VerdictText(const CampaignSummary& summary, const Ink& ink);

}  // namespace hone::cli

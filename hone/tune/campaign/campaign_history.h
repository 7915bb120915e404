// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hone/core/evaluation.h"
#include "hone/core/metric.h"
#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/eval/sqlite/evaluation_store.h"
#include "hone/tune/campaign/block_id.h"
#include "hone/tune/campaign/campaign_store.h"
#include "hone/tune/campaign/gate.h"
#include "hone/tune/campaign/search_book.h"

namespace hone::tune {

// One comparison of a campaign, as it was ordered and as it came out.
struct HistoryBlock {
  std::string name;  // The task's id without the campaign: "gate", "trial/7/0", "proof/0".
  Candidate candidate;
  Candidate baseline;         // What it was compared with; in an ablation, the winner so far.
  std::int64_t position = 0;  // Of its first run in the campaign.
  Evaluation evaluation;
  std::int64_t runs = 0;  // That were ordered, made or not.
};

// `campaign` is its id, with which the task's begins.
HistoryBlock MakeBlock(const std::string& campaign, const Evaluation& evaluation, const Task& task);

// Everything that is stored of one campaign, finished or not.
struct CampaignHistory {
  StoredCampaign campaign;
  std::vector<StoredDecision> decisions;
  std::vector<HistoryBlock> blocks;  // In the order in which they were planned.
};

// By id; "last" is the newest. Also while the campaign runs: then it is what there is so far.
Result<CampaignHistory> LoadHistory(CampaignStore& campaigns, EvaluationStore& evaluations,
                                    const std::string& id);

// None for a block that another build named.
std::optional<BlockPhase> PhaseOf(const HistoryBlock& block);

// None for blocks that belong to no trial.
std::optional<std::int64_t> TrialOf(const HistoryBlock& block);

// A candidate of the search: what was measured, and what the campaign made of it.
struct TrialHistory {
  std::int64_t number = 0;
  Candidate candidate;
  Outcome outcome = Outcome::kAccepted;
  std::string reason;  // Why it was not accepted; else empty.
  bool is_within_limits = true;
  bool is_asked = false;           // By the search; else the finals added it.
  bool is_finalist = false;        // It got more pairs at the end of the search.
  std::string race;                // How its race stood last: "hopeless", "dull", "enough", "more".
  std::optional<Estimate> reward;  // As last judged by the campaign; none if it failed, or was not
                                   // judged yet.
  PairNumbers numbers;             // Of all its pairs that the rule can use.
  std::vector<double> levels;      // The first objective's metric, in the candidate's runs.
};

// Adds what a block of the trial measured, and what a decision about it says. A decision that does
// not read as expected says nothing: an older build may have written it.
void AddTo(TrialHistory& trial, const RewardRule& rule, const HistoryBlock& block);
void AddTo(TrialHistory& trial, const Decision& decision);

// How many candidates the search asked for.
std::int64_t CountAsked(const CampaignHistory& history);

// What the gate found; none before it was passed.
std::optional<GateReport> GateOf(const CampaignHistory& history);

// The trials by number, without gaps.
std::vector<TrialHistory> TrialsOf(const CampaignHistory& history);

// What became of the candidates that the search asked for; those that were not measured yet are not
// in it.
struct CandidateTally {
  std::int64_t tried = 0;
  std::int64_t ran = 0;  // To the end, whatever was measured.
  std::map<Outcome, std::int64_t> failed = {};
  std::map<Outcome, std::string> reasons = {};  // Of the first that failed so.
};
CandidateTally TallyOf(const CampaignHistory& history);

// "47 of 50 candidates ran (94 %): 2 build_failed, 1 crashed"; empty if none was tried.
std::string ToText(const CandidateTally& tally);

// A parameter that was tried at other values, and that nothing the verdict recommends changes.
struct IdleParameter {
  std::string name;
  std::int64_t candidates = 0;  // In how many it was changed.
};

// Most tried first. Empty before there is a verdict.
std::vector<IdleParameter> TriedInVain(const CampaignHistory& history);

// Reasons to doubt that the numbers were measured at all, so far: see Suspicions.
std::vector<std::string> SuspicionsIn(const CampaignHistory& history);

// The pairs of all blocks of a phase that compare this candidate, in the order in which they ran.
std::vector<SamplePair> ComparedPairs(const CampaignHistory& history, BlockPhase phase,
                                      const Candidate& candidate);

// The pairs on which this candidate was proven; of the last proof, where it was proven twice.
std::vector<SamplePair> PairsOfProof(const CampaignHistory& history, const Candidate& candidate);

// The unit of a metric as the evaluations give it; empty if none does.
std::string UnitOf(const CampaignHistory& history, const std::string& metric);

}  // namespace hone::tune

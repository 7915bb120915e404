// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/campaign_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "hone/tune/campaign/ablation.h"
#include "hone/tune/campaign/suspicions.h"
#include "hone/tune/campaign/words.h"

namespace hone::tune {
namespace {

// Grows the list up to this trial, which decisions and blocks name in any order.
TrialHistory& At(std::vector<TrialHistory>& trials, std::int64_t number) {
  while (std::ssize(trials) <= number) {
    trials.push_back({});
    trials.back().number = std::ssize(trials) - 1;
  }
  return trials[static_cast<std::size_t>(number)];
}

// Runs whose metric cannot be used are left out.
void AddLevels(const std::string& metric, const Evaluation& evaluation,
               std::vector<double>& levels) {
  for (const Sample& sample : evaluation.samples) {
    const auto found = sample.metrics.find(metric);
    if (sample.arm != Arm::kCandidate || found == sample.metrics.end()) continue;
    if (std::isfinite(found->second.value)) levels.push_back(found->second.value);
  }
}

}  // namespace

HistoryBlock MakeBlock(const std::string& campaign, const Evaluation& evaluation,
                       const Task& task) {
  return {LifeOf(evaluation.task).first.substr(campaign.size() + 1),
          task.candidate,
          task.baseline.value_or(Candidate{}),
          task.position,
          evaluation,
          std::ssize(task.order)};
}

Result<CampaignHistory> LoadHistory(CampaignStore& campaigns, EvaluationStore& evaluations,
                                    const std::string& id) {
  CampaignHistory history;
  auto campaign = campaigns.Find(id);
  if (!campaign) return campaign.error();
  history.campaign = std::move(*campaign);
  auto decisions = campaigns.Decisions(history.campaign.id);
  if (!decisions) return decisions.error();
  history.decisions = std::move(*decisions);

  const auto read = evaluations.ForEachAfter(
      history.campaign.id + "/", 0,
      [&](const Evaluation& evaluation, const Task& task) -> Result<void> {
        history.blocks.push_back(MakeBlock(history.campaign.id, evaluation, task));
        return {};
      });
  if (!read) return read.error();
  std::stable_sort(history.blocks.begin(), history.blocks.end(),
                   [](const auto& a, const auto& b) { return a.position < b.position; });
  return history;
}

std::optional<BlockPhase> PhaseOf(const HistoryBlock& block) {
  const auto id = ParseBlockId(block.name);
  if (!id) return std::nullopt;
  return id->phase;
}

std::optional<std::int64_t> TrialOf(const HistoryBlock& block) {
  const auto id = ParseBlockId(block.name);
  if (!id) return std::nullopt;
  return id->Trial();
}

void AddTo(TrialHistory& trial, const RewardRule& rule, const HistoryBlock& block) {
  trial.candidate = block.candidate;
  if (block.evaluation.outcome != Outcome::kAccepted) {
    trial.outcome = block.evaluation.outcome;
    trial.reason = block.evaluation.reason;
    return;
  }
  const auto numbers = NumbersOf(rule, PairsOf(block.evaluation));
  if (!numbers) {
    trial.outcome = Outcome::kWrong;
    trial.reason = numbers.error().message;
    return;
  }
  trial.numbers.Append(*numbers);
  AddLevels(rule.objectives.front().metric, block.evaluation, trial.levels);
}

void AddTo(TrialHistory& trial, const Decision& decision) {
  if (auto ask = ReadAsk(decision)) {
    trial.candidate = std::move(ask->candidate);
    trial.is_asked = true;
  } else if (const auto race = ReadRace(decision)) {
    trial.reward = race->reward;
    trial.is_within_limits = race->is_within_limits;
    trial.race = NameOf(race->step);
  } else if (auto favourite = ReadFinal(decision)) {
    trial.candidate = std::move(favourite->candidate);
    trial.is_finalist = true;
    trial.reward = favourite->reward;
  }
}

std::int64_t CountAsked(const CampaignHistory& history) {
  return std::count_if(history.decisions.begin(), history.decisions.end(),
                       [](const auto& stored) { return Is(stored.decision, DecisionKind::kAsk); });
}

std::optional<GateReport> GateOf(const CampaignHistory& history) {
  for (const StoredDecision& stored : history.decisions) {
    if (auto report = ReadGate(stored.decision)) return std::move(*report);
  }
  return std::nullopt;
}

std::vector<TrialHistory> TrialsOf(const CampaignHistory& history) {
  std::vector<TrialHistory> trials;
  for (const StoredDecision& stored : history.decisions) {
    const auto number = TrialOf(stored.decision);
    if (number && *number <= std::ssize(trials)) AddTo(At(trials, *number), stored.decision);
  }
  const auto max = static_cast<std::int64_t>(history.decisions.size() + history.blocks.size());
  for (const HistoryBlock& block : history.blocks) {
    const auto number = TrialOf(block);
    if (!number || *number > max) continue;
    AddTo(At(trials, *number), history.campaign.start.spec.rule, block);
  }
  for (TrialHistory& trial : trials) {
    if (trial.outcome != Outcome::kAccepted || trial.numbers.rewards.empty()) trial.reward.reset();
  }
  return trials;
}

CandidateTally TallyOf(const CampaignHistory& history) {
  CandidateTally tally;
  for (const TrialHistory& trial : TrialsOf(history)) {
    const bool has_failed = trial.outcome != Outcome::kAccepted;
    if (!trial.is_asked || (!has_failed && trial.numbers.rewards.empty())) continue;
    ++tally.tried;
    if (has_failed) {
      ++tally.failed[trial.outcome];
      tally.reasons.emplace(trial.outcome, trial.reason);
    } else {
      ++tally.ran;
    }
  }
  return tally;
}

std::string ToText(const CandidateTally& tally) {
  if (tally.tried == 0) return "";
  const auto tried = static_cast<double>(tally.tried);
  std::string text =
      fmt::format("{} of {} ran ({:.0f} %)", tally.ran, CountText(tally.tried, "candidate"),
                  std::floor(100 * static_cast<double>(tally.ran) / tried));
  std::string failures;
  for (const auto& [outcome, count] : tally.failed) {
    failures += fmt::format("{}{} {}", failures.empty() ? ": " : ", ", count, NameOf(outcome));
  }
  return text + failures;
}

std::vector<IdleParameter> TriedInVain(const CampaignHistory& history) {
  if (!history.campaign.verdict) return {};
  const Verdict& verdict = *history.campaign.verdict;
  const Candidate& baseline = history.campaign.start.baseline;
  std::set<std::string> recommended;
  const auto add = [&](const Proof& proof) {
    if (!proof.is_gain) return;
    for (const std::string& name : ChangedParameters(baseline, proof.candidate)) {
      recommended.insert(name);
    }
  };
  if (verdict.proof) add(*verdict.proof);
  for (const Proof& proof : verdict.front) add(proof);
  std::map<std::string, std::int64_t> tried;
  for (const TrialHistory& trial : TrialsOf(history)) {
    for (const std::string& name : ChangedParameters(baseline, trial.candidate)) ++tried[name];
  }
  std::vector<IdleParameter> idle;
  for (const auto& [name, candidates] : tried) {
    if (!recommended.contains(name)) idle.push_back({name, candidates});
  }
  std::stable_sort(idle.begin(), idle.end(),
                   [](const auto& a, const auto& b) { return a.candidates > b.candidates; });
  return idle;
}

std::vector<std::string> SuspicionsIn(const CampaignHistory& history) {
  Suspicions suspicions;
  for (const HistoryBlock& block : history.blocks) suspicions.Add(block.evaluation);
  return suspicions.Texts();
}

std::vector<SamplePair> ComparedPairs(const CampaignHistory& history, BlockPhase phase,
                                      const Candidate& candidate) {
  std::vector<SamplePair> all;
  for (const HistoryBlock& block : history.blocks) {
    if (PhaseOf(block) != phase || block.candidate != candidate) continue;
    const auto pairs = PairsOf(block.evaluation);
    all.insert(all.end(), pairs.begin(), pairs.end());
  }
  return all;
}

std::vector<SamplePair> PairsOfProof(const CampaignHistory& history, const Candidate& candidate) {
  auto pairs = ComparedPairs(history, BlockPhase::kProofReduced, candidate);
  return pairs.empty() ? ComparedPairs(history, BlockPhase::kProof, candidate) : pairs;
}

std::string UnitOf(const CampaignHistory& history, const std::string& metric) {
  for (const HistoryBlock& block : history.blocks) {
    for (const Metric& known : block.evaluation.metrics) {
      if (known.name == metric) return known.unit;
    }
  }
  return "";
}

}  // namespace hone::tune

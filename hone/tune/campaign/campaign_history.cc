// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/campaign_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "hone/base/json/records.h"
#include "hone/tune/campaign/ablation.h"

namespace hone::tune {
namespace {

// A task that was dropped in an earlier life of the campaign has "~1" and so on at its end.
std::string NameIn(const TaskId& task, std::size_t prefix) {
  return task.substr(prefix, task.find('~', prefix) - prefix);
}

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
  return {NameIn(evaluation.task, campaign.size() + 1),
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

std::string_view PhaseOf(const HistoryBlock& block) {
  const std::string_view name = block.name;
  return name.substr(0, name.find('/'));
}

std::optional<std::int64_t> TrialOf(const HistoryBlock& block) {
  const std::string_view phase = PhaseOf(block);
  if ((phase != "trial" && phase != "finals") || phase.size() == block.name.size()) {
    return std::nullopt;
  }
  const char* begin = block.name.data() + phase.size() + 1;
  const char* end = block.name.data() + block.name.size();
  std::int64_t number = 0;
  const auto [rest, fault] = std::from_chars(begin, end, number);
  if (fault != std::errc() || number < 0 || (rest != end && *rest != '/')) return std::nullopt;
  return number;
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

std::optional<std::int64_t> TrialOf(const Decision& decision) {
  if (decision.kind != "ask" && decision.kind != "race" && decision.kind != "final") {
    return std::nullopt;
  }
  JsonReader choice(decision.choice, decision.kind);
  const std::int64_t number = choice.At("trial").Integer();
  if (!choice.Finish() || number < 0) return std::nullopt;
  return number;
}

void AddTo(TrialHistory& trial, const Decision& decision) {
  const bool is_final = decision.kind == "final";
  if (decision.kind == "ask" || is_final) {
    JsonReader reader(decision.choice, decision.kind);
    Candidate candidate = ReadCandidate(reader.At("candidate"));
    if (reader.Finish()) trial.candidate = std::move(candidate);
    trial.is_finalist = trial.is_finalist || is_final;
    trial.is_asked = trial.is_asked || !is_final;
  }
  if (decision.kind == "ask") return;
  JsonReader grounds(decision.grounds, decision.kind);
  const Estimate reward = ReadEstimate(grounds.At("reward"));
  if (!grounds.Finish()) return;
  trial.reward = reward;
  if (is_final) return;
  JsonReader choice(decision.choice, decision.kind);
  trial.is_within_limits = grounds.At("is_within_limits").Bool();
  trial.race = choice.At("step").String();
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
  constexpr std::string_view kPrefix = "suspicious: ";
  std::map<std::string, int> counts;
  int runs = 0;
  for (const HistoryBlock& block : history.blocks) {
    for (const Sample& sample : block.evaluation.samples) {
      ++runs;
      for (const std::string& mark : sample.marks) {
        if (mark.starts_with(kPrefix)) ++counts[mark.substr(kPrefix.size())];
      }
    }
  }
  std::vector<std::string> suspicions;
  suspicions.reserve(counts.size());
  for (const auto& [what, count] : counts) {
    suspicions.push_back(fmt::format("{} (in {} of {} runs)", what, count, runs));
  }
  return suspicions;
}

std::vector<SamplePair> ComparedPairs(const CampaignHistory& history, std::string_view phase,
                                      const Candidate& candidate) {
  std::vector<SamplePair> all;
  for (const HistoryBlock& block : history.blocks) {
    if (PhaseOf(block) != phase || block.candidate != candidate) continue;
    const auto pairs = PairsOf(block.evaluation);
    all.insert(all.end(), pairs.begin(), pairs.end());
  }
  return all;
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

// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/campaign_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "hone/base/json/records.h"
#include "hone/eval/worker/task_evaluation.h"
#include "hone/measure/statistics.h"
#include "hone/tune/campaign/counter_changes.h"
#include "hone/tune/campaign/event_sequencer.h"
#include "hone/tune/campaign/gate.h"
#include "hone/tune/campaign/words.h"

namespace hone::tune {
namespace {

constexpr std::size_t kLongestOption = 60;

// With null for every number that is not finite.
Json Finite(Json json) {
  if (json.is_number_float()) return FiniteOrNull(json.get<double>());
  if (json.is_structured()) {
    for (Json& part : json) part = Finite(std::move(part));
  }
  return json;
}

Json Plain(const Value& value) {
  return std::visit(
      [](const auto& known) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(known)>, double>) {
          return FiniteOrNull(known);
        } else {
          return known;
        }
      },
      value);
}

Json Plain(const Assignment& assignment) {
  Json json = Json::object();
  for (const auto& [name, value] : assignment) json[name] = Plain(value);
  return json;
}

std::string ShortText(const Value& value) {
  const auto* real = std::get_if<double>(&value);
  return real != nullptr ? fmt::format("{:.6g}", *real) : ToText(value);
}

// The workload's own name where an option holds a whole one; else the options that are short.
std::string WorkloadText(const CampaignSpec& spec) {
  std::string text;
  for (const auto& [name, value] : spec.options) {
    std::string shown = value;
    if (value.size() > kLongestOption) {
      const auto json = ParseJson(value, name);
      if (!json || !json->is_object() || !json->contains("name")) continue;
      const Json& inner = (*json)["name"];
      if (!inner.is_string()) continue;
      shown = inner.get<std::string>();
    }
    text += fmt::format("{}{}", text.empty() ? "" : " ",
                        name == "workload" ? shown : fmt::format("{}={}", name, shown));
  }
  return text;
}

Json GainJson(const CampaignSpec& spec, const Verdict& verdict) {
  if (!verdict.proof || verdict.proof->reward.count == 0) return nullptr;
  const PairedTest& test = verdict.proof->reward;
  return {{"effect", FiniteOrNull(ShareOf(spec.rule, test.effect))},
          {"low", FiniteOrNull(ShareOf(spec.rule, test.interval.low))},
          {"high", FiniteOrNull(ShareOf(spec.rule, test.interval.high))},
          {"confidence", spec.proof.confidence}};
}

Json VerdictLine(const StoredCampaign& campaign) {
  if (!campaign.verdict) return nullptr;
  const CampaignSpec& spec = campaign.start.spec;
  return {{"kind", NameOf(campaign.verdict->kind)},
          {"sentence", Headline(spec, *campaign.verdict)},
          {"gain", GainJson(spec, *campaign.verdict)}};
}

// The range, flattened into the parameter's own members.
void AddKind(Json& json, const Kind& kind) {
  if (const auto* range = std::get_if<IntegerRange>(&kind)) {
    json.update({{"low", range->low}, {"high", range->high}, {"is_log", range->is_log}});
  } else if (const auto* real = std::get_if<RealRange>(&kind)) {
    json.update({{"low", real->low}, {"high", real->high}, {"is_log", real->is_log}});
  } else if (const auto* category = std::get_if<Category>(&kind)) {
    json["choices"] = category->choices;
  } else if (const auto* tuple = std::get_if<OrderedTuple>(&kind); tuple && tuple->parts.empty()) {
    json.update(
        {{"low", tuple->range.low}, {"high", tuple->range.high}, {"is_log", tuple->range.is_log}});
  }
}

Json ParametersJson(const CampaignStart& start) {
  Json list = Json::array();
  for (const Parameter& parameter : start.space.parameters()) {
    const auto in_force = start.baseline.assignment.find(parameter.name);
    Json json{
        {"name", parameter.name},
        {"kind", ToJson(parameter)["kind"]["type"]},
        {"unit", parameter.unit},
        {"description", parameter.description},
        {"baseline", Plain(in_force != start.baseline.assignment.end() ? in_force->second
                                                                       : parameter.default_value)}};
    AddKind(json, parameter.kind);
    list.push_back(std::move(json));
  }
  return list;
}

Json ObjectivesJson(const CampaignHistory& history) {
  Json list = Json::array();
  for (const Objective& objective : history.campaign.start.spec.rule.objectives) {
    const bool is_lower = objective.direction == Direction::kLowerIsBetter;
    list.push_back({{"metric", objective.metric},
                    {"unit", UnitOf(history, objective.metric)},
                    {"direction", is_lower ? "lower_is_better" : "higher_is_better"},
                    {"weight", objective.weight}});
  }
  return list;
}

std::string_view PhaseWord(const HistoryBlock& block) {
  const auto phase = PhaseOf(block);
  if (!phase) return "";
  const bool is_proof = phase == BlockPhase::kProofReduced || phase == BlockPhase::kFront;
  if (phase == BlockPhase::kCheck) return NameOf(BlockPhase::kGate);
  return NameOf(is_proof ? BlockPhase::kProof : *phase);
}

Json MetricsJson(const HistoryBlock& block, const std::vector<SamplePair>& pairs) {
  std::set<std::string> names;
  for (const SamplePair& pair : pairs) {
    for (const auto& [name, reading] : pair.candidate.metrics) names.insert(name);
  }
  std::map<std::string, std::string> units;
  for (const Metric& metric : block.evaluation.metrics) units[metric.name] = metric.unit;
  const auto values = [&pairs](const std::string& name, Sample SamplePair::*arm) {
    Json list = Json::array();
    for (const SamplePair& pair : pairs) {
      const auto found = (pair.*arm).metrics.find(name);
      list.push_back(found == (pair.*arm).metrics.end() ? Json()
                                                        : FiniteOrNull(found->second.value));
    }
    return list;
  };
  Json json = Json::object();
  for (const std::string& name : names) {
    json[name] = {{"candidate", values(name, &SamplePair::candidate)},
                  {"baseline", values(name, &SamplePair::baseline)},
                  {"unit", units[name]}};
  }
  return json;
}

// The share of a run's time in which some task of the machine waited, for both runs of each pair.
Json PressureOf(const std::vector<SamplePair>& pairs) {
  Json json = Json::object();
  for (const char* const resource : {"cpu", "memory", "io"}) {
    const std::string name = fmt::format("pressure_{}_some", resource);
    bool is_known = false;
    const auto shares = [&](Sample SamplePair::*arm) {
      Json list = Json::array();
      for (const SamplePair& pair : pairs) {
        const auto found = (pair.*arm).observations.find(name);
        const bool is_there = found != (pair.*arm).observations.end();
        is_known = is_known || is_there;
        list.push_back(is_there ? Json(std::round(1e4 * found->second) / 1e4) : Json(nullptr));
      }
      return list;
    };
    Json both{{"candidate", shares(&SamplePair::candidate)},
              {"baseline", shares(&SamplePair::baseline)}};
    if (is_known) json[resource] = std::move(both);
  }
  return json;
}

// 1 less the variation of the candidate's runs, which takes two of them.
Json StabilityJson(const TrialHistory& trial) {
  if (trial.levels.size() < 2) return nullptr;
  const double mean = Mean(trial.levels);
  if (!(mean > 0)) return nullptr;
  return FiniteOrNull(1 - StandardDeviation(trial.levels) / mean);
}

// Which episode of a learner the trial belongs to; null where trials stand alone.
Json EpisodeJson(const CampaignSpec& spec, std::int64_t number) {
  const auto found = spec.search.options.find("max_steps_per_episode");
  if (spec.search.proposer != "ppo" || found == spec.search.options.end()) return nullptr;
  const std::int64_t steps = std::atoll(found->second.c_str());
  return steps > 0 ? Json(number / steps) : Json(nullptr);
}

}  // namespace

double ShareOf(const RewardRule& rule, double reward) {
  return rule.formula == RewardRule::Formula::kGain ? std::expm1(reward) : reward;
}

Json ShareJson(const RewardRule& rule, const Estimate& reward) {
  const double slope = rule.formula == RewardRule::Formula::kGain ? std::exp(reward.mean) : 1;
  return {{"mean", FiniteOrNull(ShareOf(rule, reward.mean))},
          {"standard_error", FiniteOrNull(slope * reward.standard_error)},
          {"count", reward.count}};
}

Json FiniteOrNull(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string ChangesText(const Candidate& baseline, const Candidate& candidate) {
  std::string text;
  for (const auto& [name, value] : candidate.assignment) {
    const auto before = baseline.assignment.find(name);
    const bool is_known = before != baseline.assignment.end();
    if (is_known && before->second == value) continue;
    text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", name,
                        is_known ? ShortText(before->second) : "(not set)", ShortText(value));
  }
  if (candidate.source != baseline.source)
    text += text.empty() ? "source changed" : ", source changed";
  return text.empty() ? "no change" : text;
}

Json LineJson(const StoredCampaign& campaign, std::string_view state,
              const CampaignActivity& activity, const CampaignLabel& label) {
  const CampaignSpec& spec = campaign.start.spec;
  Json objectives = Json::array();
  for (const Objective& objective : spec.rule.objectives) objectives.push_back(objective.metric);
  return {{"id", campaign.id},
          {"label", label.label},
          {"domain", spec.domain},
          {"workload", WorkloadText(spec)},
          {"engine", spec.search.proposer},
          {"state", state},
          {"created", IsoTime(campaign.created)},
          {"updated", IsoTime(std::max(campaign.updated, activity.last))},
          {"trials", activity.trials},
          {"most_trials", spec.search.max_trials},
          {"objectives", std::move(objectives)},
          {"verdict", VerdictLine(campaign)},
          {"last_error", campaign.last_error}};
}

Json CampaignJson(const CampaignHistory& history, std::string_view state,
                  const CampaignLabel& label) {
  const StoredCampaign& campaign = history.campaign;
  CampaignActivity activity;
  activity.trials = CountAsked(history);
  for (const StoredDecision& stored : history.decisions) {
    activity.last = std::max(activity.last, stored.at);
  }
  const auto gate = GateOf(history);
  Json idle = Json::object();
  for (const IdleParameter& parameter : TriedInVain(history)) {
    idle[parameter.name] = parameter.candidates;
  }
  const Json verdict = campaign.verdict ? Finite(ToJson(*campaign.verdict)) : Json(nullptr);
  return {{"line", LineJson(campaign, state, activity, label)},
          {"note", label.note},
          {"spec", ToJson(campaign.start.spec)},
          {"objectives", ObjectivesJson(history)},
          {"reward_is_share", true},
          {"confidence", campaign.start.spec.proof.confidence},
          {"parameters", ParametersJson(campaign.start)},
          {"machine", campaign.start.machine},
          {"version", campaign.start.version},
          {"verdict", verdict},
          {"gate", gate ? Finite(ToJson(*gate)) : Json(nullptr)},
          {"ablation", verdict.is_null() ? Json::array() : verdict["effects"]},
          {"aftermath", campaign.restore_text},
          {"suspicions", SuspicionsIn(history)},
          {"counters", ToJson(CountersOf(history))},
          {"tried_in_vain", std::move(idle)}};
}

Json BlockJson(const CampaignStart& start, const HistoryBlock& block) {
  const Evaluation& evaluation = block.evaluation;
  const RewardRule& rule = start.spec.rule;
  const auto pairs = PairsOf(evaluation);
  Json rewards = Json::array();
  for (const SamplePair& pair : pairs) {
    const auto reward = PairReward(rule, pair);
    rewards.push_back(reward ? FiniteOrNull(ShareOf(rule, *reward)) : Json(nullptr));
  }
  std::set<std::string> marks;
  for (const Sample& sample : evaluation.samples) {
    marks.insert(sample.marks.begin(), sample.marks.end());
  }
  const auto trial = TrialOf(block);
  const std::chrono::duration<double> spent =
      evaluation.provenance.finished - evaluation.provenance.started - PausedIn(evaluation);
  return {{"name", block.name},
          {"phase", PhaseWord(block)},
          {"trial", trial ? Json(*trial) : Json(nullptr)},
          {"at", IsoTime(evaluation.provenance.finished)},
          {"candidate", Plain(block.candidate.assignment)},
          {"outcome", NameOf(evaluation.outcome)},
          {"reason", evaluation.reason},
          {"marks", marks},
          {"pairs",
           {{"rewards", std::move(rewards)},
            {"metrics", MetricsJson(block, pairs)},
            {"pressure", PressureOf(pairs)}}},
          {"seconds", FiniteOrNull(spent.count())},
          {"position", block.position}};
}

Json RunsJson(const HistoryBlock& block) {
  Json runs = Json::array();
  for (const Sample& sample : block.evaluation.samples) {
    Json metrics = Json::object();
    for (const auto& [name, reading] : sample.metrics) metrics[name] = FiniteOrNull(reading.value);
    Json observations = Json::object();
    for (const auto& [name, value] : sample.observations) observations[name] = FiniteOrNull(value);
    runs.push_back({{"arm", sample.arm == Arm::kBaseline ? "baseline" : "candidate"},
                    {"at", IsoTime(sample.started)},
                    {"seconds", std::chrono::duration<double>(sample.duration).count()},
                    {"marks", sample.marks},
                    {"metrics", std::move(metrics)},
                    {"observations", std::move(observations)},
                    {"output", sample.output}});
  }
  Json evidence = Json::array();
  for (const Evidence& piece : block.evaluation.evidence) {
    evidence.push_back({{"what", piece.what}, {"text", piece.text}});
  }
  return {{"name", block.name},
          {"outcome", NameOf(block.evaluation.outcome)},
          {"reason", block.evaluation.reason},
          {"runs", std::move(runs)},
          {"evidence", std::move(evidence)}};
}

Json TrialJson(const CampaignStart& start, const TrialHistory& trial, WallTime at,
               std::optional<std::int64_t> best) {
  const RewardRule& rule = start.spec.rule;
  Json objectives = Json::object();
  for (std::size_t i = 0; i < trial.numbers.objectives.size(); ++i) {
    if (trial.numbers.objectives[i].empty()) continue;
    objectives[rule.objectives[i].metric] =
        FiniteOrNull(std::expm1(Mean(trial.numbers.objectives[i])));
  }
  return {{"number", trial.number},
          {"at", IsoTime(at)},
          {"candidate", Plain(trial.candidate.assignment)},
          {"changes", ChangesText(start.baseline, trial.candidate)},
          {"outcome", NameOf(trial.outcome)},
          {"reason", trial.reason},
          {"race", trial.race},
          {"is_asked", trial.is_asked},
          {"is_finalist", trial.is_finalist},
          {"is_within_limits", trial.is_within_limits},
          {"reward", trial.reward ? ShareJson(rule, *trial.reward) : Json(nullptr)},
          {"objectives", std::move(objectives)},
          {"stability", StabilityJson(trial)},
          {"episode", EpisodeJson(start.spec, trial.number)},
          {"best", best ? Json(*best) : Json(nullptr)}};
}

Json VerdictJson(const CampaignSpec& spec, const Verdict& verdict) {
  Json json = Finite(ToJson(verdict));
  Json effects = json["effects"];
  return {{"sentence", Headline(spec, verdict)},
          {"verdict", std::move(json)},
          {"ablation", std::move(effects)}};
}

}  // namespace hone::tune

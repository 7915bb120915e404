// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/campaign_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hone/base/json/records.h"
#include "hone/measure/power.h"

namespace hone::tune {
namespace {

Json SettingsJson(const SearchSettings& search) {
  return {{"proposer", search.proposer},
          {"options", search.options},
          {"most_trials", search.max_trials},
          {"most_pairs", search.max_pairs},
          {"most_seconds", search.max_time.count()},
          {"batch", search.batch},
          {"least_remaining_gain", search.min_remaining_gain}};
}

Json SettingsJson(const RaceSettings& race) {
  return {{"first_pairs", race.first_pairs},
          {"more_pairs", race.more_pairs},
          {"most_pairs", race.max_pairs}};
}

Json SettingsJson(const ProofSettings& proof) {
  Json json = {{"confidence", proof.confidence},     {"power", proof.power},
               {"least_pairs", proof.min_pairs},     {"most_pairs", proof.max_pairs},
               {"least_gain", proof.min_gain},       {"finalists", proof.finalists},
               {"has_ablation", proof.has_ablation}, {"confirms_dropped", proof.confirms_dropped}};
  if (proof.over.count() > 0) json["over_ms"] = proof.over.count();
  return json;
}

Json SettingsJson(const ComparisonSettings& comparison) {
  return {{"a", comparison.a}, {"b", comparison.b}, {"candidate", ToJson(comparison.candidate)}};
}

std::map<std::string, std::string> CampaignSpecReadTexts(JsonReader reader) {
  std::map<std::string, std::string> texts;
  for (auto& [name, value] : reader.Members()) texts[name] = value.String();
  return texts;
}

SearchSettings ReadSearch(JsonReader reader) {
  SearchSettings search;
  search.proposer = reader.At("proposer").String();
  search.options = CampaignSpecReadTexts(reader.At("options"));
  search.max_trials = reader.At("most_trials").Integer();
  search.max_pairs = reader.At("most_pairs").Integer();
  search.max_time = std::chrono::seconds(reader.At("most_seconds").Integer());
  search.batch = reader.At("batch").Integer();
  search.min_remaining_gain = reader.At("least_remaining_gain").Number();
  reader.RefuseOthers();
  return search;
}

RaceSettings ReadRace(JsonReader reader) {
  RaceSettings race;
  race.first_pairs = reader.At("first_pairs").Integer();
  race.more_pairs = reader.At("more_pairs").Integer();
  race.max_pairs = reader.At("most_pairs").Integer();
  reader.RefuseOthers();
  return race;
}

ProofSettings CampaignSpecReadProof(JsonReader reader) {
  ProofSettings proof;
  proof.confidence = reader.At("confidence").Number();
  proof.power = reader.At("power").Number();
  proof.min_pairs = reader.At("least_pairs").Integer();
  proof.max_pairs = reader.At("most_pairs").Integer();
  proof.min_gain = reader.At("least_gain").Number();
  proof.finalists = reader.At("finalists").Integer();
  proof.has_ablation = reader.At("has_ablation").Bool();
  proof.confirms_dropped = reader.Has("confirms_dropped") && reader.At("confirms_dropped").Bool();
  if (reader.Has("over_ms")) {
    proof.over = std::chrono::milliseconds(reader.At("over_ms").Integer());
  }
  reader.RefuseOthers();
  return proof;
}

ComparisonSettings ReadComparison(JsonReader reader) {
  ComparisonSettings comparison;
  comparison.a = reader.At("a").String();
  comparison.b = reader.At("b").String();
  comparison.candidate = ReadCandidate(reader.At("candidate"));
  reader.RefuseOthers();
  return comparison;
}

// The fewest pairs with which the signed-rank test can reject at this level at all.
std::int64_t FewestProofPairs(const CampaignSpec& spec) {
  const double level = 1 - spec.proof.confidence;
  const std::int64_t looks = spec.proof.finalists * std::ssize(spec.rule.objectives);
  const auto tests = static_cast<double>(spec.wants_front ? std::max<std::int64_t>(1, looks) : 1);
  std::int64_t pairs = 1;
  while (!std::isfinite(MinimumDetectableEffect(1, pairs, level / tests))) ++pairs;
  return pairs;
}

Error Refuse(const char* setting, const std::string& found, const char* allowed) {
  return Error{Errc::kInvalidArgument, fmt::format("{}: {} is not {}", setting, found, allowed)};
}

}  // namespace

Result<void> Validate(const CampaignSpec& spec) {
  if (!(spec.proof.confidence > 0.5 && spec.proof.confidence < 1)) {
    return Refuse("proof.confidence", fmt::format("{}", spec.proof.confidence),
                  "between 0.5 and 1; 0.95 is usual");
  }
  if (!(spec.proof.power > 0 && spec.proof.power < 1)) {
    return Refuse("proof.power", fmt::format("{}", spec.proof.power), "between 0 and 1");
  }
  if (!(spec.proof.min_gain > 0)) {
    return Refuse("proof.least_gain", fmt::format("{}", spec.proof.min_gain), "above 0");
  }
  const auto at_least = [](const char* setting, std::int64_t value,
                           std::int64_t min) -> Result<void> {
    if (value >= min) return {};
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: {} is too few, at least {} are needed", setting, value, min)};
  };
  const std::pair<const char*, std::pair<std::int64_t, std::int64_t>> counts[] = {
      {"gate_pairs", {spec.gate_pairs, 4}},
      {"search.most_trials", {spec.search.max_trials, 1}},
      {"search.most_pairs", {spec.search.max_pairs, 0}},
      {"search.batch", {spec.search.batch, 1}},
      {"race.first_pairs", {spec.race.first_pairs, 1}},
      {"race.more_pairs", {spec.race.more_pairs, 1}},
      {"race.most_pairs", {spec.race.max_pairs, spec.race.first_pairs}},
      {"proof.least_pairs", {spec.proof.min_pairs, FewestProofPairs(spec)}},
      {"proof.most_pairs", {spec.proof.max_pairs, spec.proof.min_pairs}},
      {"proof.finalists", {spec.proof.finalists, 1}},
      {"run_limit_ms", {spec.run_timeout.count(), 1}}};
  for (const auto& [setting, bound] : counts) {
    if (auto fault = at_least(setting, bound.first, bound.second); !fault) return fault;
  }
  if (spec.rule.objectives.empty()) return Refuse("rule.objectives", "nothing", "an objective");
  if (spec.wants_front && spec.rule.objectives.size() < 2) {
    return Refuse("wants_front", "one objective", "a trade-off: a front needs two or more");
  }
  if (spec.wants_front && spec.comparison) {
    return Refuse("wants_front", "a comparison", "a search: only that finds a trade-off");
  }
  return {};
}

Json ToJson(const CampaignSpec& spec) {
  Json json{{"domain", spec.domain},
            {"options", spec.options},
            {"rule", ToJson(spec.rule)},
            {"wants_front", spec.wants_front},
            {"seed", spec.seed},
            {"gate_pairs", spec.gate_pairs},
            {"run_limit_ms", spec.run_timeout.count()},
            {"search", SettingsJson(spec.search)},
            {"race", SettingsJson(spec.race)},
            {"proof", SettingsJson(spec.proof)}};
  if (spec.max_time.count() > 0) json["budget_ms"] = spec.max_time.count();
  if (spec.comparison) json["comparison"] = SettingsJson(*spec.comparison);
  return json;
}

Result<CampaignSpec> ReadCampaignSpec(const Json& json, const std::string& what) {
  JsonReader reader(json, what);
  CampaignSpec spec;
  spec.domain = reader.At("domain").String();
  spec.options = CampaignSpecReadTexts(reader.At("options"));
  spec.rule = ReadRewardRule(reader.At("rule"));
  spec.wants_front = reader.At("wants_front").Bool();
  spec.seed = reader.At("seed").Unsigned();
  spec.gate_pairs = reader.At("gate_pairs").Integer();
  spec.run_timeout = std::chrono::milliseconds(reader.At("run_limit_ms").Integer());
  spec.search = ReadSearch(reader.At("search"));
  spec.race = ReadRace(reader.At("race"));
  spec.proof = CampaignSpecReadProof(reader.At("proof"));
  if (reader.Has("budget_ms")) {
    spec.max_time = std::chrono::milliseconds(reader.At("budget_ms").Integer());
  }
  if (reader.Has("comparison")) spec.comparison = ReadComparison(reader.At("comparison"));
  reader.RefuseOthers();
  if (auto done = reader.Finish(); !done) return done.error();
  if (auto valid = Validate(spec); !valid) return valid.error();
  return spec;
}

}  // namespace hone::tune

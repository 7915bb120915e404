// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/measured.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "hone/base/json/records.h"
#include "hone/base/sha256.h"
#include "hone/core/letter_case.h"
#include "hone/core/value.h"
#include "hone/measure/distributions.h"

namespace hone::agent {
namespace {

using tune::StoredCampaign;
using tune::Verdict;

constexpr std::size_t kMaxNames = 64;
constexpr const char* kJoint = " + ";
constexpr int kCampaignsVersion = 2;  // To be raised whenever their passages are made differently.

std::string MetricOf(const StoredCampaign& campaign) {
  const auto& objectives = campaign.start.spec.rule.objectives;
  return objectives.empty() ? "" : CleanText(objectives.front().metric, 100);
}

struct ValueChange {
  std::string name;
  std::string from;
  std::string to;
};

std::vector<ValueChange> ChangesOf(const StoredCampaign& campaign, const Candidate& candidate) {
  std::vector<ValueChange> changes;
  const Assignment& before = campaign.start.baseline.assignment;
  for (const auto& [name, value] : candidate.assignment) {
    const auto found = before.find(name);
    if (found != before.end() && found->second == value) continue;
    changes.push_back({CleanText(name, 200),
                       found == before.end() ? "" : CleanText(hone::ToText(found->second), 200),
                       CleanText(hone::ToText(value), 200)});
  }
  return changes;
}

MeasuredEffect EffectIn(const StoredCampaign& campaign, EffectOrigin origin,
                        const PairedTest& test) {
  const std::string& workload = campaign.start.name;
  return {.campaign = campaign.id,
          .workload = CleanText(workload.empty() ? campaign.start.spec.domain : workload, 100),
          .ended = campaign.updated,
          .origin = origin,
          .name = {},
          .from = {},
          .to = {},
          .metric = MetricOf(campaign),
          .effect = test,
          .verdict = std::string(NameOf(campaign.verdict->kind))};
}

void AddChange(const std::vector<ValueChange>& changes, MeasuredEffect effect,
               std::vector<MeasuredEffect>& effects) {
  if (changes.empty()) return;
  effect.is_joint = changes.size() > 1;
  for (const ValueChange& change : changes) {
    const std::string joint = effect.name.empty() ? "" : kJoint;
    effect.name += joint + change.name;
    effect.from += joint + change.from;
    effect.to += joint + change.to;
  }
  effects.push_back(std::move(effect));
}

void AddProof(const StoredCampaign& campaign, const tune::Proof& proof,
              std::vector<MeasuredEffect>& effects) {
  if (!proof.failure.empty() || proof.reward.count == 0) return;
  AddChange(ChangesOf(campaign, proof.candidate),
            EffectIn(campaign, EffectOrigin::kProof, proof.reward), effects);
}

void AddVerdict(const StoredCampaign& campaign, std::vector<MeasuredEffect>& effects) {
  const Verdict& verdict = *campaign.verdict;
  const std::size_t first = effects.size();
  if (verdict.proof) AddProof(campaign, *verdict.proof, effects);
  for (const tune::Proof& proof : verdict.front) AddProof(campaign, proof, effects);
  const bool is_told = effects.size() > first && !effects[first].is_joint;
  if (is_told) return;  // The only change is worth what the whole is.
  for (const tune::ParameterEffect& part : verdict.effects) {
    AddChange({{CleanText(part.name, 200), CleanText(part.from, 200), CleanText(part.to, 200)}},
              EffectIn(campaign, EffectOrigin::kAblation, part.effect), effects);
  }
}

bool IsProven(const Verdict& verdict, const Candidate& candidate) {
  if (verdict.proof && verdict.proof->candidate == candidate) return true;
  return std::any_of(verdict.front.begin(), verdict.front.end(),
                     [&](const tune::Proof& proof) { return proof.candidate == candidate; });
}

void AddTrials(const SearchedCampaign& searched, std::vector<MeasuredEffect>& effects) {
  const StoredCampaign& campaign = searched.campaign;
  for (const SearchedTrial& trial : ToldTrials(searched)) {
    if (IsProven(*campaign.verdict, trial.candidate)) continue;
    const double reach = kErrorsOf95 * trial.reward.standard_error;
    AddChange(ChangesOf(campaign, trial.candidate),
              EffectIn(campaign, EffectOrigin::kTrial,
                       {.effect = trial.reward.mean,
                        .interval = {trial.reward.mean - reach, trial.reward.mean + reach},
                        .count = trial.reward.count}),
              effects);
  }
}

void AddCampaign(const SearchedCampaign& searched, std::vector<MeasuredEffect>& effects) {
  const auto& verdict = searched.campaign.verdict;
  if (!verdict || verdict->kind == Verdict::Kind::kSuspicious) return;
  AddVerdict(searched.campaign, effects);
  AddTrials(searched, effects);
}

std::string DayOf(WallTime time) { return hone::ToText(time).substr(0, 10); }

std::string PlainName(std::string_view name) {
  if (name.starts_with("CONFIG_")) name.remove_prefix(7);
  return LowerCase(name);
}

bool IsAbout(const MeasuredEffect& effect, const std::string& wanted) {
  const std::string names = " + " + PlainName(effect.name) + " + ";
  if (names.find(" + " + wanted + " + ") != std::string::npos) return true;
  // The last part of a name is enough: swappiness.
  return names.find("." + wanted + " + ") != std::string::npos ||
         names.find("/" + wanted + " + ") != std::string::npos;
}

// JSON has no infinity; too few pairs give one.
Json BoundJson(double bound) {
  return std::isfinite(bound) ? Json(tune::ToPercent(bound)) : Json();
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Passage PassageOfCampaign(const SearchedCampaign& searched) {
  const StoredCampaign& campaign = searched.campaign;
  const Verdict& verdict = *campaign.verdict;
  Passage passage;
  passage.kind = PassageKind::kMeasured;
  passage.title = fmt::format("Campaign {}: {}", campaign.id, NameOf(verdict.kind));
  passage.source = fmt::format("campaign {}", campaign.id);
  passage.text = CleanText(verdict.reason, 2'000) + "\n";
  std::vector<MeasuredEffect> effects;
  AddCampaign(searched, effects);
  for (const MeasuredEffect& effect : effects) {
    passage.text += ToText(effect) + "\n";
    if (!effect.is_joint && !Contains(passage.names, effect.name)) {
      passage.names.push_back(effect.name);
    }
  }
  std::vector<std::string> tried;
  for (const Parameter& parameter : campaign.start.space.parameters()) {
    const std::string name = CleanText(parameter.name, 200);
    if (tried.size() < kMaxNames) tried.push_back(name);
    if (!Contains(passage.names, name) && passage.names.size() < kMaxNames) {
      passage.names.push_back(name);
    }
  }
  passage.text += fmt::format("Searched: {}\n", fmt::join(tried, ", "));
  passage.facts =
      fmt::format("metric: {}\nended: {}\n", MetricOf(campaign), DayOf(campaign.updated));
  passage.topics = "measured effect campaign " + CleanText(campaign.start.name, 200);
  passage.weight = 0.7;
  return passage;
}

}  // namespace

std::string_view NameOf(EffectOrigin origin) {
  switch (origin) {
    case EffectOrigin::kProof:
      return "proof";
    case EffectOrigin::kAblation:
      return "ablation";
    case EffectOrigin::kTrial:
      return "trial";
  }
  return "";
}

std::vector<MeasuredEffect> MeasuredEffects(const std::vector<SearchedCampaign>& campaigns) {
  std::vector<MeasuredEffect> effects;
  for (const SearchedCampaign& searched : campaigns) AddCampaign(searched, effects);
  return effects;
}

std::vector<std::string> NamesOf(const MeasuredEffect& effect) {
  std::vector<std::string> names;
  const std::string_view joint = kJoint;
  std::string_view rest = effect.name;
  for (;;) {
    const std::size_t end = rest.find(joint);
    names.emplace_back(rest.substr(0, end));
    if (end == std::string_view::npos) return names;
    rest.remove_prefix(end + joint.size());
  }
}

std::vector<MeasuredEffect> EffectsOf(const std::vector<MeasuredEffect>& all,
                                      std::string_view name) {
  if (name.empty()) return all;
  const std::string wanted = PlainName(name);
  std::vector<MeasuredEffect> found;
  for (const MeasuredEffect& effect : all) {
    if (IsAbout(effect, wanted)) found.push_back(effect);
  }
  return found;
}

std::string ToText(const MeasuredEffect& effect) {
  const std::string numbers =
      effect.origin == EffectOrigin::kTrial
          ? fmt::format("{:+.1f} % [{:+.1f} %, {:+.1f} %], n = {} pairs",
                        tune::ToPercent(effect.effect.effect),
                        tune::ToPercent(effect.effect.interval.low),
                        tune::ToPercent(effect.effect.interval.high), effect.effect.count)
          : tune::ToText(effect.effect);
  return fmt::format("{}: {} -> {}: {} {} ({}{}, campaign {}, {})", effect.name,
                     effect.from.empty() ? "unset" : effect.from, effect.to, effect.metric, numbers,
                     effect.is_joint ? "together, " : "", NameOf(effect.origin), effect.campaign,
                     DayOf(effect.ended));
}

Json ToJson(const MeasuredEffect& effect) {
  const bool is_trial = effect.origin == EffectOrigin::kTrial;
  return {{"campaign", effect.campaign},
          {"workload", effect.workload},
          {"ended", hone::ToText(effect.ended)},
          {"origin", NameOf(effect.origin)},
          {"name", effect.name},
          {"from", effect.from},
          {"to", effect.to},
          {"metric", effect.metric},
          {"percent", BoundJson(effect.effect.effect)},
          {"low", BoundJson(effect.effect.interval.low)},
          {"high", BoundJson(effect.effect.interval.high)},
          {"p_value", is_trial ? Json() : Json(effect.effect.p_value)},
          {"pairs", effect.effect.count},
          {"is_joint", effect.is_joint},
          {"is_shown", effect.IsShown()},
          {"verdict", effect.verdict}};
}

std::string DigestOfCampaigns(const std::vector<StoredCampaign>& campaigns) {
  std::string all;
  for (const StoredCampaign& campaign : campaigns) {
    if (campaign.verdict)
      all += fmt::format("{} {}\n", campaign.id, ToMicroseconds(campaign.updated));
  }
  return fmt::format("{}-{}", kCampaignsVersion, Sha256Of(all));
}

PassageGroup CampaignPassages(const std::vector<SearchedCampaign>& campaigns) {
  PassageGroup group{.origin = kCampaignsOrigin, .digest = {}, .passages = {}};
  std::vector<StoredCampaign> stored;
  for (const SearchedCampaign& searched : campaigns) {
    stored.push_back(searched.campaign);
    if (searched.campaign.verdict) group.passages.push_back(PassageOfCampaign(searched));
  }
  group.digest = DigestOfCampaigns(stored);
  return group;
}

}  // namespace hone::agent

// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/measured.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "hone/base/sha256.h"
#include "hone/core/value.h"

namespace hone::agent {
namespace {

using tune::StoredCampaign;
using tune::Verdict;

constexpr std::size_t kMaxNames = 64;

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

void AddProof(const StoredCampaign& campaign, const tune::Proof& proof,
              std::vector<MeasuredEffect>& effects) {
  const std::vector<ValueChange> changes = ChangesOf(campaign, proof.candidate);
  if (changes.empty() || !proof.failure.empty() || proof.reward.count == 0) return;
  MeasuredEffect whole{.campaign = campaign.id,
                       .name = {},
                       .from = {},
                       .to = {},
                       .metric = MetricOf(campaign),
                       .effect = proof.reward,
                       .verdict = std::string(NameOf(campaign.verdict->kind)),
                       .is_joint = changes.size() > 1};
  for (const ValueChange& change : changes) {
    const std::string joint = whole.name.empty() ? "" : " + ";
    whole.name += joint + change.name;
    whole.from += joint + change.from;
    whole.to += joint + change.to;
  }
  effects.push_back(std::move(whole));
}

void AddVerdict(const StoredCampaign& campaign, std::vector<MeasuredEffect>& effects) {
  const Verdict& verdict = *campaign.verdict;
  const std::size_t first = effects.size();
  if (verdict.proof) AddProof(campaign, *verdict.proof, effects);
  for (const tune::Proof& proof : verdict.front) AddProof(campaign, proof, effects);
  const bool is_told = effects.size() > first && !effects[first].is_joint;
  if (is_told) return;  // The only change is worth what the whole is.
  for (const tune::ParameterEffect& part : verdict.effects) {
    effects.push_back({.campaign = campaign.id,
                       .name = CleanText(part.name, 200),
                       .from = CleanText(part.from, 200),
                       .to = CleanText(part.to, 200),
                       .metric = MetricOf(campaign),
                       .effect = part.effect,
                       .verdict = std::string(NameOf(verdict.kind)),
                       .is_joint = false});
  }
}

std::string PlainName(std::string_view name) {
  if (name.starts_with("CONFIG_")) name.remove_prefix(7);
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
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

Passage PassageOfCampaign(const StoredCampaign& campaign) {
  const Verdict& verdict = *campaign.verdict;
  Passage passage;
  passage.kind = PassageKind::kMeasured;
  passage.title = fmt::format("Campaign {}: {}", campaign.id, NameOf(verdict.kind));
  passage.source = fmt::format("campaign {}", campaign.id);
  passage.text = CleanText(verdict.reason, 2'000) + "\n";
  std::vector<MeasuredEffect> effects;
  if (verdict.kind != Verdict::Kind::kSuspicious) AddVerdict(campaign, effects);
  for (const MeasuredEffect& effect : effects) {
    passage.text += ToText(effect) + "\n";
    if (!effect.is_joint) passage.names.push_back(effect.name);
  }
  std::vector<std::string> tried;
  for (const Parameter& parameter : campaign.start.space.parameters()) {
    const std::string name = CleanText(parameter.name, 200);
    if (tried.size() < kMaxNames) tried.push_back(name);
    const bool is_new =
        std::find(passage.names.begin(), passage.names.end(), name) == passage.names.end();
    if (is_new && passage.names.size() < kMaxNames) passage.names.push_back(name);
  }
  passage.text += fmt::format("Searched: {}\n", fmt::join(tried, ", "));
  passage.facts = fmt::format("metric: {}\n", MetricOf(campaign));
  passage.topics = "measured effect campaign " + CleanText(campaign.start.name, 200);
  passage.weight = 0.7;
  return passage;
}

}  // namespace

std::vector<MeasuredEffect> MeasuredEffects(const std::vector<StoredCampaign>& campaigns) {
  std::vector<MeasuredEffect> effects;
  for (const StoredCampaign& campaign : campaigns) {
    if (!campaign.verdict || campaign.verdict->kind == Verdict::Kind::kSuspicious) continue;
    AddVerdict(campaign, effects);
  }
  return effects;
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
  return fmt::format("{}: {} -> {}: {} {} ({}campaign {})", effect.name,
                     effect.from.empty() ? "unset" : effect.from, effect.to, effect.metric,
                     tune::ToText(effect.effect), effect.is_joint ? "together, " : "",
                     effect.campaign);
}

Json ToJson(const MeasuredEffect& effect) {
  return {{"campaign", effect.campaign},
          {"name", effect.name},
          {"from", effect.from},
          {"to", effect.to},
          {"metric", effect.metric},
          {"percent", BoundJson(effect.effect.effect)},
          {"low", BoundJson(effect.effect.interval.low)},
          {"high", BoundJson(effect.effect.interval.high)},
          {"p_value", effect.effect.p_value},
          {"pairs", effect.effect.count},
          {"is_joint", effect.is_joint},
          {"is_shown", effect.IsShown()},
          {"verdict", effect.verdict}};
}

PassageGroup CampaignPassages(const std::vector<StoredCampaign>& campaigns) {
  PassageGroup group{.origin = "campaigns", .digest = {}, .passages = {}};
  std::string all;
  for (const StoredCampaign& campaign : campaigns) {
    if (!campaign.verdict) continue;
    group.passages.push_back(PassageOfCampaign(campaign));
    all += group.passages.back().source + "\n" + group.passages.back().text;
  }
  group.digest = "1-" + Sha256Of(all);
  return group;
}

}  // namespace hone::agent

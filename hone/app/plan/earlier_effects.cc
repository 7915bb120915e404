// SPDX-License-Identifier: Apache-2.0
#include "hone/app/plan/earlier_effects.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "hone/agent/knowledge/measured.h"
#include "hone/agent/proposer/tuning_brief.h"
#include "hone/app/knowledge/knowledge_here.h"

namespace hone::app {
namespace {

using agent::MeasuredEffect;

constexpr const char* kAskingEngine = "llm";
constexpr const char* kBrief = "brief";
constexpr std::size_t kMaxEarlier = 40;         // More than a question shows.
constexpr std::size_t kMaxBytesOfLine = 1'000;  // It is kept with the campaign.

std::string FactIn(const tune::CampaignStart& start, const char* name) {
  const auto found = start.machine.find(name);
  return found == start.machine.end() ? "" : found->second;
}

// A store may have come from elsewhere, and a virtual machine may have grown.
bool IsSameMachine(const tune::CampaignStart& one, const tune::CampaignStart& other) {
  return FactIn(one, "cpu") == FactIn(other, "cpu") &&
         FactIn(one, "cpus online") == FactIn(other, "cpus online");
}

bool IsOfSpace(const MeasuredEffect& effect, const Space& space) {
  const std::vector<std::string> names = agent::NamesOf(effect);
  return std::all_of(names.begin(), names.end(),
                     [&](const std::string& name) { return space.IndexOf(name).has_value(); });
}

Result<std::vector<MeasuredEffect>> EarlierEffects(tune::CampaignStore& store,
                                                   const tune::CampaignStart& start) {
  auto campaigns = store.List({start.submitter, start.submitter.empty()});
  if (!campaigns) return campaigns.error();
  std::erase_if(*campaigns, [&](const tune::StoredCampaign& other) {
    return other.start.spec.domain != start.spec.domain || !IsSameMachine(other.start, start);
  });
  std::stable_partition(
      campaigns->begin(), campaigns->end(),
      [&](const tune::StoredCampaign& other) { return other.start.name == start.name; });
  const auto searched = SearchedIn(store, std::move(*campaigns));
  if (!searched) return searched.error();
  std::vector<MeasuredEffect> effects = agent::MeasuredEffects(*searched);
  std::erase_if(effects, [&](const MeasuredEffect& one) { return !IsOfSpace(one, start.space); });
  return effects;
}

std::string LineOf(const MeasuredEffect& effect) {
  return agent::CleanText("workload " + effect.workload + ": " + ToText(effect), kMaxBytesOfLine);
}

}  // namespace

Result<void> KeepEarlier(tune::CampaignStore& store, tune::CampaignStart& start) {
  auto& options = start.spec.search.options;
  const auto kept = options.find(kBrief);
  if (start.spec.search.proposer != kAskingEngine || kept == options.end()) return {};
  auto brief = agent::ReadTuningBrief(kept->second);
  if (!brief) return brief.error();
  const auto effects = EarlierEffects(store, start);
  if (!effects) return effects.error();
  const std::size_t told = std::min(effects->size(), kMaxEarlier);
  brief->earlier.clear();
  std::transform(effects->begin(), effects->begin() + static_cast<std::ptrdiff_t>(told),
                 std::back_inserter(brief->earlier), LineOf);
  brief->earlier_cut = static_cast<std::int64_t>(effects->size() - told);
  kept->second = agent::BriefText(*brief);
  return {};
}

}  // namespace hone::app

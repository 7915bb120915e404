// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/tuning_policy.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <variant>

namespace hone::learn {
namespace {

constexpr double kMaxReward = 10;  // In units of the spread.

std::size_t PartsOf(const Parameter& parameter) {
  const auto* tuple = std::get_if<OrderedTuple>(&parameter.kind);
  return tuple == nullptr ? 1 : tuple->arity;
}

}  // namespace

ActionDistribution DistributionFor(const Space& space) {
  std::vector<std::unique_ptr<ActionPart>> parts;
  for (const Parameter& parameter : space.parameters()) {
    const auto* category = std::get_if<Category>(&parameter.kind);
    if (category != nullptr) {
      parts.push_back(MakeCategoryPart(category->choices.size()));
    } else if (std::holds_alternative<Boolean>(parameter.kind)) {
      parts.push_back(MakeCategoryPart(2));
    } else {
      for (std::size_t i = 0; i < PartsOf(parameter); ++i) parts.push_back(MakeBetaPart());
    }
  }
  return ActionDistribution(std::move(parts));
}

std::vector<double> MaskOf(const Space& space, const ActionDistribution& distribution,
                           const Assignment& assignment) {
  std::vector<double> mask(distribution.mask_count(), 1);
  std::size_t part = 0;
  for (const Parameter& parameter : space.parameters()) {
    const double is_active = assignment.contains(parameter.name) ? 1 : 0;
    for (std::size_t i = 0; i < PartsOf(parameter); ++i) mask[part++] = is_active;
  }
  return mask;
}

TuningView::TuningView(const Space& space, const Assignment& baseline)
    : space_(space), baseline_(space.ToUnit(baseline)) {
  BeginEpisode();
}

void TuningView::BeginEpisode() {
  numbers_ = baseline_;
  for (double& unit : numbers_) unit = 2 * unit - 1;
  numbers_.resize(size(), 0);
}

void TuningView::Note(const Assignment* assignment, double reward,
                      const std::map<std::string, double>& deltas) {
  const std::size_t parameters = baseline_.size();
  if (assignment != nullptr) {
    const std::vector<double> unit = space_.ToUnit(*assignment);
    for (std::size_t i = 0; i < parameters; ++i) numbers_[i] = 2 * unit[i] - 1;
  }
  numbers_[parameters] = std::clamp(reward, -kMaxReward, kMaxReward);
  numbers_[parameters + 1] = assignment == nullptr ? 1 : 0;
  for (const auto& [name, delta] : deltas) {
    if (!std::isfinite(delta)) continue;
    const auto [place, is_new] = places_.try_emplace(name, places_.size());
    if (place->second >= kDeltas) continue;
    double& largest = largest_[name];
    largest = std::max(largest, std::abs(delta));
    numbers_[parameters + 2 + place->second] = largest > 0 ? delta / largest : 0;
  }
}

std::vector<TuningView::Delta> TuningView::deltas() const {
  std::vector<Delta> deltas(std::min(places_.size(), kDeltas));
  for (const auto& [name, place] : places_) {
    if (place < kDeltas) deltas[place] = {name, largest_.at(name)};
  }
  return deltas;
}

void TuningView::Expect(const std::vector<Delta>& deltas) {
  for (const Delta& delta : deltas) {
    places_.try_emplace(delta.name, places_.size());
    largest_[delta.name] = std::abs(delta.unit);
  }
}

}  // namespace hone::learn

// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/action_distribution.h"

#include <algorithm>
#include <utility>

namespace hone::learn {

ActionDistribution::ActionDistribution(std::vector<std::unique_ptr<ActionPart>> parts)
    : parts_(std::move(parts)) {
  for (const auto& part : parts_) {
    places_.push_back({output_count_, free_count_, noise_count_, choice_count_});
    output_count_ += part->outputs();
    free_count_ += part->free_count();
    noise_count_ += part->noise_count();
    choice_count_ += part->choices();
  }
}

std::vector<double> ActionDistribution::InitialFree() const {
  std::vector<double> free;
  for (const auto& part : parts_) {
    free.insert(free.end(), part->free_count(), part->initial_free());
  }
  return free;
}

PartInput ActionDistribution::InputOf(std::size_t part, const PolicyRow& row,
                                      const FreeParameters& free) const {
  const Place& place = places_[part];
  const ActionPart& of = *parts_[part];
  PartInput input{.outputs = row.outputs.subspan(place.output, of.outputs()),
                  .free = free.logs.subspan(place.free, of.free_count()),
                  .spreads = free.spreads.subspan(place.free, of.free_count()),
                  .features = row.features,
                  .noise = {},
                  .allowed = {}};
  if (!row.noise.empty()) input.noise = row.noise.subspan(place.noise, of.noise_count());
  if (!row.mask.empty() && of.choices() > 0) {
    input.allowed = row.mask.subspan(parts_.size() + place.choice, of.choices());
  }
  return input;
}

bool ActionDistribution::TakesPart(std::size_t part, const PolicyRow& row) const {
  return row.mask.empty() || row.mask[part] != 0;
}

void ActionDistribution::DrawNoise(const FreeParameters& free, std::span<double> noise,
                                   Rng& rng) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    parts_[i]->DrawNoise(free.spreads.subspan(places_[i].free, parts_[i]->free_count()),
                         noise.subspan(places_[i].noise, parts_[i]->noise_count()), rng);
  }
}

void ActionDistribution::Sample(const PolicyRow& row, const FreeParameters& free, Rng& rng,
                                std::span<double> action) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    action[i] = parts_[i]->Sample(InputOf(i, row, free), rng);
  }
}

void ActionDistribution::Mode(const PolicyRow& row, const FreeParameters& free,
                              std::span<double> action) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    action[i] = parts_[i]->Mode(InputOf(i, row, free));
  }
}

void ActionDistribution::ToUnit(std::span<const double> action, std::span<double> unit) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    unit[i] = std::clamp(parts_[i]->ToUnit(action[i]), 0.0, 1.0);
  }
}

LogTerms ActionDistribution::Evaluate(const PolicyRow& row, const FreeParameters& free,
                                      std::span<const double> action) const {
  LogTerms sum;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (!TakesPart(i, row)) continue;
    const LogTerms terms = parts_[i]->Evaluate(InputOf(i, row, free), action[i]);
    sum.log_prob += terms.log_prob;
    sum.entropy += terms.entropy;
  }
  return sum;
}

void ActionDistribution::Differentiate(const PolicyRow& row, const FreeParameters& free,
                                       std::span<const double> action, double by_log_prob,
                                       double by_entropy, std::span<double> output_gradient,
                                       std::span<double> free_gradient) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (!TakesPart(i, row)) continue;
    const Place& place = places_[i];
    parts_[i]->Differentiate(
        InputOf(i, row, free), action[i], by_log_prob, by_entropy,
        {.outputs = output_gradient.subspan(place.output, parts_[i]->outputs()),
         .free = free_gradient.subspan(place.free, parts_[i]->free_count())});
  }
}

ActionDistribution DistributionFor(const env::EnvironmentFacts& facts, PolicyKind kind,
                                   std::size_t features, double initial_log_std) {
  std::vector<std::unique_ptr<ActionPart>> parts;
  for (std::size_t i = 0; i < facts.action_size; ++i) {
    const env::ActionCoordinate coordinate =
        facts.actions.empty() ? env::ActionCoordinate() : facts.actions[i];
    const double low = coordinate.low;
    const double high = coordinate.high;
    if (coordinate.choices > 0) {
      parts.push_back(MakeCategoryPart(coordinate.choices));
    } else if (kind == PolicyKind::kGaussian) {
      parts.push_back(MakeGaussianPart(low, high, initial_log_std));
    } else if (kind == PolicyKind::kSquashed) {
      parts.push_back(MakeSquashedPart(initial_log_std));
    } else if (kind == PolicyKind::kBeta) {
      parts.push_back(MakeBetaPart());
    } else {
      parts.push_back(
          MakeSdePart(low, high, features, initial_log_std, kind == PolicyKind::kSquashedSde));
    }
  }
  return ActionDistribution(std::move(parts));
}

}  // namespace hone::learn

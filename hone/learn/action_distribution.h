// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "hone/core/rng.h"
#include "hone/env/environment.h"
#include "hone/learn/action_part.h"

namespace hone::learn {

// How continuous coordinates are distributed; categories are always categorical.
enum class PolicyKind { kGaussian, kSde, kSquashedSde, kSquashed, kBeta };

// What a policy is told of one observation; see PartInput.
struct PolicyRow {
  std::span<const double> outputs;
  std::span<const double> features;
  std::span<const double> noise;

  // Of each part 1, or 0 where it does not take part: a parameter that does not exist under the
  // others' values. Then, of every choice of every category, 1 or 0 where it must not be taken.
  // Empty: all 1.
  std::span<const double> mask;
};

// The policy's parameters that no observation changes, as logs and as what they are the logs of.
struct FreeParameters {
  std::span<const double> logs;
  std::span<const double> spreads;
};

// The joint distribution of an action: independent parts, one a coordinate. Diagonal Gaussian,
// multi-categorical and mixed policies are all of this form. Immutable.
class ActionDistribution {
 public:
  explicit ActionDistribution(std::vector<std::unique_ptr<ActionPart>> parts);

  std::size_t size() const { return parts_.size(); }  // Of an action.
  std::size_t output_count() const { return output_count_; }
  std::size_t free_count() const { return free_count_; }
  std::size_t noise_count() const { return noise_count_; }
  std::size_t mask_count() const { return parts_.size() + choice_count_; }
  std::vector<double> InitialFree() const;

  void DrawNoise(const FreeParameters& free, std::span<double> noise, Rng& rng) const;
  void Sample(const PolicyRow& row, const FreeParameters& free, Rng& rng,
              std::span<double> action) const;
  void Mode(const PolicyRow& row, const FreeParameters& free, std::span<double> action) const;
  void ToUnit(std::span<const double> action, std::span<double> unit) const;

  // Sums over the parts that take part.
  LogTerms Evaluate(const PolicyRow& row, const FreeParameters& free,
                    std::span<const double> action) const;
  void Differentiate(const PolicyRow& row, const FreeParameters& free,
                     std::span<const double> action, double by_log_prob, double by_entropy,
                     std::span<double> output_gradient, std::span<double> free_gradient) const;

 private:
  struct Place {
    std::size_t output = 0;
    std::size_t free = 0;
    std::size_t noise = 0;
    std::size_t choice = 0;
  };

  PartInput InputOf(std::size_t part, const PolicyRow& row, const FreeParameters& free) const;
  bool TakesPart(std::size_t part, const PolicyRow& row) const;

  std::vector<std::unique_ptr<ActionPart>> parts_;
  std::vector<Place> places_;
  std::size_t output_count_ = 0;
  std::size_t free_count_ = 0;
  std::size_t noise_count_ = 0;
  std::size_t choice_count_ = 0;
};

// What fits the environment's actions. `features` is the width of the last hidden layer.
ActionDistribution DistributionFor(const env::EnvironmentFacts& facts, PolicyKind kind,
                                   std::size_t features, double initial_log_std);

}  // namespace hone::learn

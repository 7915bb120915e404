// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "hone/core/rng.h"

namespace hone::learn {

// What decides how one coordinate of an action is distributed, for one observation.
struct PartInput {
  std::span<const double> outputs;   // Of the policy network, those of this part.
  std::span<const double> free;      // Parameters that do not depend on the observation: logs,
  std::span<const double> spreads;   // and what they are the logs of.
  std::span<const double> features;  // Of the last hidden layer.
  std::span<const double> noise;     // Kept over several steps, where the part has such.
  std::span<const double> allowed;   // Of each choice: 0 if it must not be taken. Empty: all may.
};

struct LogTerms {
  double log_prob = 0;
  double entropy = 0;
};

// Where a loss's derivatives by a part's outputs and free parameters are added up.
struct PartGradient {
  std::span<double> outputs;
  std::span<double> free;
};

// The distribution of one coordinate of an action. An action is kept as it was drawn (a Gaussian
// one may lie outside its bounds, a squashed one is kept before squashing), so that its probability
// can be computed again exactly; only ToUnit says what the environment gets. Immutable.
class ActionPart {
 public:
  virtual ~ActionPart() = default;

  virtual std::size_t outputs() const = 0;
  virtual std::size_t free_count() const { return 0; }
  virtual double initial_free() const { return 0; }
  virtual std::size_t choices() const { return 0; }  // 0: not a category.
  virtual std::size_t noise_count() const { return 0; }

  virtual double Sample(const PartInput& input, Rng& rng) const = 0;
  virtual double Mode(const PartInput& input) const = 0;
  virtual double ToUnit(double action) const = 0;  // May lie outside [0, 1].

  virtual LogTerms Evaluate(const PartInput& input, double action) const = 0;

  // Adds by_log_prob · d log_prob + by_entropy · d entropy.
  virtual void Differentiate(const PartInput& input, double action, double by_log_prob,
                             double by_entropy, const PartGradient& gradient) const = 0;

  // Draws what is kept over several steps.
  virtual void DrawNoise(std::span<const double> spreads, std::span<double> noise, Rng& rng) const;
};

// N(mean, exp(log_std)), with one log_std for all observations; low and high are what 0 and 1 of
// the unit cube mean.
std::unique_ptr<ActionPart> MakeGaussianPart(double low, double high, double initial_log_std);

// tanh of such a variable, in (-1, 1). Its entropy has no closed form; it is estimated by the
// negative log-probability of the action, as Stable-Baselines3 does.
std::unique_ptr<ActionPart> MakeSquashedPart(double initial_log_std);

// Generalised state-dependent exploration (Raffin, Kober and Stulp, "Smooth Exploration for Robotic
// Reinforcement Learning", 2020): the noise is a linear function of the features, drawn once in
// several steps:  a = mean + features · theta,  theta_i ~ N(0, exp(log_std_i)).
std::unique_ptr<ActionPart> MakeSdePart(double low, double high, std::size_t features,
                                        double initial_log_std, bool is_squashed);

// Beta(1 + softplus(o_1), 1 + softplus(o_2)) on the unit interval: bounded, and never heaped up at
// a bound (Chou, Maturana and Scherer, ICML 2017).
std::unique_ptr<ActionPart> MakeBetaPart();

// One of n choices, by logits.
std::unique_ptr<ActionPart> MakeCategoryPart(std::size_t choices);

}  // namespace hone::learn

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/core/rng.h"
#include "hone/learn/action_distribution.h"
#include "hone/learn/kernels.h"
#include "hone/learn/mlp.h"

namespace hone::learn {

enum class Precision { kSingle, kDouble };

struct ActorCriticShape {
  std::size_t observations = 0;
  std::size_t policy_outputs = 0;
  std::size_t free_count = 0;  // Parameters of the policy that no observation changes.
  std::vector<std::size_t> hidden = {64, 64};
  Activation activation = Activation::kTanh;
  Precision precision = Precision::kSingle;

  bool operator==(const ActorCriticShape&) const = default;
};

struct AdamSettings {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-5;
};

// Everything that training changes, exactly; numbers of single precision stay such.
struct ActorCriticState {
  std::vector<double> parameters;
  std::vector<double> first_moments;
  std::vector<double> second_moments;
  std::int64_t steps = 0;

  bool operator==(const ActorCriticState&) const = default;
};

// A policy network and a value network of the same hidden shape, the policy's free parameters, and
// one Adam over all of them. Not safe for concurrent use.
class ActorCritic {
 public:
  virtual ~ActorCritic() = default;

  virtual const ActorCriticShape& shape() const = 0;

  // Orthogonal with gain sqrt(2), 0.01 at the policy's head and 1 at the value's, and biases of 0;
  // or else uniform, as PyTorch has it by default.
  virtual void Initialise(bool is_orthogonal, std::span<const double> free, const Rng& rng) = 0;

  // Of the observations, row by row. What follows speaks of the last batch.
  virtual void Forward(std::span<const double> observations) = 0;
  virtual std::span<const double> Outputs(std::size_t row) const = 0;
  virtual std::span<const double> Features(std::size_t row) const = 0;  // If asked for.
  virtual double ValueOf(std::size_t row) const = 0;
  virtual void WantFeatures(bool is_wanted) = 0;

  virtual FreeParameters free() const = 0;

  // Of the last batch: the gradient of everything, given that of the outputs (row by row), the
  // values and the free parameters. Returns its norm.
  virtual double Backward(std::span<const double> by_outputs, std::span<const double> by_values,
                          std::span<const double> by_free) = 0;

  // Along the last gradient, scaled down to the norm `max_norm` if it is longer.
  virtual void Step(double learning_rate, double max_norm) = 0;

  virtual ActorCriticState Save() const = 0;
  virtual Result<void> Load(const ActorCriticState& state) = 0;  // kInvalidArgument: other sizes.

  // Parameters as PyTorch lists them: for each network and layer the weights with a row an output,
  // then the biases; policy first, then value, then the free ones. For tests against it.
  virtual std::vector<double> Listed() const = 0;
  virtual void SetListed(std::span<const double> numbers) = 0;
  virtual std::vector<double> ListedGradient() const = 0;
};

std::unique_ptr<ActorCritic> MakeActorCritic(const ActorCriticShape& shape,
                                             const AdamSettings& adam = {},
                                             const KernelLevel& kernels = BestKernels());

}  // namespace hone::learn

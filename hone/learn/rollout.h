// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hone::learn {

// What a policy did and what came of it, step by step; within a step, environment by environment.
struct Rollout {
  std::size_t environments = 1;
  std::vector<double> observations;  // As the policy saw them.
  std::vector<double> actions;       // As drawn.
  std::vector<double> masks;         // Empty: nothing was masked.
  std::vector<double> log_probs;
  std::vector<double> values;
  std::vector<double> rewards;  // Where an episode was cut off, the value of what came after is in.
  std::vector<bool> ends;       // An episode ended with this step.

  std::size_t size() const { return rewards.size(); }
};

struct Advantages {
  std::vector<double> advantages;
  std::vector<double> returns;  // What the value network should have said.
};

// Generalised advantage estimation (Schulman et al., 2015):
//   delta_t = r_t + gamma V(s_{t+1}) - V(s_t),   A_t = delta_t + gamma lambda A_{t+1},
// where V and A of what follows an end count 0; returns are A + V. `last_values` are those of what
// the environments showed last.
Advantages EstimateAdvantages(const Rollout& rollout, std::span<const double> last_values,
                              double gamma, double lambda);

}  // namespace hone::learn

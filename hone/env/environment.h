// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hone/core/evaluation.h"
#include "hone/core/result.h"

namespace hone::env {

// What one coordinate of an action stands for. A learner may ignore it; one that matches published
// results must know what 0 and 1 mean where they come from.
struct ActionCoordinate {
  double low = 0;  // In the environment's own unit.
  double high = 1;
  std::size_t choices = 0;  // 0: a number. Else the unit interval is cut into so many equal slices.

  bool operator==(const ActionCoordinate&) const = default;
};

// What an environment declares about itself. Facts never change after construction.
struct EnvironmentFacts {
  std::size_t action_size = 0;                 // Coordinates of the unit cube.
  std::vector<std::string> observations;       // The name of each number of an observation.
  std::int64_t max_steps = 0;                  // An episode is truncated after so many.
  std::vector<ActionCoordinate> actions = {};  // One a coordinate; none: all are plain numbers.
};

// What a step led to. An episode that was terminated is over: no further reward could have come.
// One that was truncated was only cut off, so a learner still counts on the value of what it saw
// last. Never both.
struct Transition {
  std::vector<double> observation;  // Finite numbers, one a name.
  double reward = 0;
  bool is_terminated = false;
  bool is_truncated = false;
  Evaluation evaluation;  // Where the reward comes from.

  bool IsEnd() const { return is_terminated || is_truncated; }
};

// A task for a learner, as reset and step. Not safe for concurrent use. The same seed and the same
// actions give the same transitions wherever what is evaluated is deterministic. Implementations
// must pass env/environment_contract.h.
class Environment {
 public:
  virtual ~Environment() = default;

  virtual const EnvironmentFacts& Facts() const = 0;

  // Begins an episode, also in the middle of one, and gives its first observation.
  virtual Result<std::vector<double>> Reset(std::uint64_t seed) = 0;

  // Tries an action. Coordinates outside [0, 1] are clamped. kInvalidArgument: the action has
  // another size or is not finite, or no episode is going on. After an Error, whichever it is, the
  // episode stands where it stood.
  virtual Result<Transition> Step(std::span<const double> action) = 0;
};

}  // namespace hone::env

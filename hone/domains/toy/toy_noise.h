// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hone/core/rng.h"

namespace hone::toy {

enum class NoiseShape { kNormal, kLaplace, kStudent3, kLognormalSpikes };

// In the order of the enumerators.
const std::vector<std::string>& NoiseShapeNames();

// Everything is relative: 0.05 is 5 %.
struct NoiseSettings {
  double size = 0;  // Standard deviation of one run.
  NoiseShape shape = NoiseShape::kNormal;
  double autocorrelation = 0;  // Of neighbouring runs; at most kMaxAutocorrelation.
  double drift = 0;            // Steady change of the level over 100 runs.
  double wander = 0;           // Standard deviation of the level's random walk over 100 runs.
  std::uint64_t seed = 0;      // Of what all runs share: the walk, the correlated noise.
};

inline constexpr double kMaxAutocorrelation = 0.8;

// Noise that is a function of seed and position, so that any run can be made again alone.
// Immutable, so safe for concurrent use.
class Noise {
 public:
  explicit Noise(const NoiseSettings& settings);

  // The log of the machine's level at this position: the same for whoever runs there.
  double LevelAt(std::int64_t position) const;

  // The log by which a run comes out worse than the truth; 0 in the mean. Streams (one a metric)
  // are independent. The part that is correlated with the neighbours is normal and depends on the
  // settings' seed, as their level does; the fresh part has the shape and depends on the task's.
  double LossAt(std::uint64_t task_seed, std::int64_t position, std::uint64_t stream) const;

 private:
  double CorrelatedAt(std::int64_t position, std::uint64_t stream) const;

  NoiseSettings settings_;
  Rng walk_;
  Rng correlated_;
  double correlated_share_;  // Of the variance.
};

}  // namespace hone::toy

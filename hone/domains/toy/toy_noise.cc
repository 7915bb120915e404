// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/toy/toy_noise.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hone::toy {
namespace {

constexpr double kRunsPerDrift = 100;

// A moving average over this many positions: neighbours share all terms but one.
constexpr std::uint64_t kWindow = 10;
constexpr double kNeighbourCorrelation = 1 - 1.0 / kWindow;
static_assert(kMaxAutocorrelation <= kNeighbourCorrelation);

// Each draw has mean 0 and variance 1.
double Laplace(Rng& rng) {
  const double size = rng.Exponential() / std::numbers::sqrt2;
  return rng.Coin() ? size : -size;
}

double Student3(Rng& rng) {
  const double numerator = rng.Normal();
  double squares = 0;
  for (int i = 0; i < 3; ++i) {
    const double normal = rng.Normal();
    squares += normal * normal;
  }
  return numerator / std::sqrt(squares);
}

double LognormalSpikes(Rng& rng) {
  const double mean = std::exp(0.5);
  const double deviation = std::sqrt((std::numbers::e - 1) * std::numbers::e);
  return (std::exp(rng.Normal()) - mean) / deviation;
}

double Draw(NoiseShape shape, Rng rng) {
  switch (shape) {
    case NoiseShape::kNormal:
      return rng.Normal();
    case NoiseShape::kLaplace:
      return Laplace(rng);
    case NoiseShape::kStudent3:
      return Student3(rng);
    case NoiseShape::kLognormalSpikes:
      return LognormalSpikes(rng);
  }
  return 0;
}

// Brownian motion at one time by Lévy's construction: its value at the powers of two first, then
// at the middle of ever smaller intervals, given both ends. Every point takes its own stream, so
// the path is the same whichever point is asked for, at a cost of O(log time).
double WalkAt(const Rng& rng, std::uint64_t time) {
  if (time == 0) return 0;
  const auto draw = [&rng](std::uint64_t point) { return rng.Split(point).Normal(); };
  std::uint64_t low = 1;
  std::uint64_t high = 2;
  double low_value = draw(1);
  double high_value = low_value + draw(2);
  while (high <= time) {
    low = high;
    low_value = high_value;
    high *= 2;
    high_value = low_value + std::sqrt(static_cast<double>(low)) * draw(high);
  }
  while (low != time) {
    const std::uint64_t middle = low + (high - low) / 2;
    const double deviation = std::sqrt(static_cast<double>(high - low)) / 2;
    const double value = (low_value + high_value) / 2 + deviation * draw(middle);
    (middle <= time ? low : high) = middle;
    (middle <= time ? low_value : high_value) = value;
  }
  return low_value;
}

}  // namespace

const std::vector<std::string>& NoiseShapeNames() {
  static const std::vector<std::string> names = {"normal", "laplace", "student3",
                                                 "lognormal-spikes"};
  return names;
}

Noise::Noise(const NoiseSettings& settings)
    : settings_(settings),
      walk_(Rng(settings.seed).Split("walk")),
      correlated_(Rng(settings.seed).Split("correlated")),
      correlated_share_(settings.autocorrelation / kNeighbourCorrelation) {}

double Noise::LevelAt(std::int64_t position) const {
  const auto time = static_cast<std::uint64_t>(std::max<std::int64_t>(position, 0));
  double level = std::log1p(settings_.drift) * static_cast<double>(time) / kRunsPerDrift;
  if (settings_.wander > 0) {
    level += settings_.wander * WalkAt(walk_, time) / std::sqrt(kRunsPerDrift);
  }
  return level;
}

double Noise::LossAt(std::uint64_t task_seed, std::int64_t position, std::uint64_t stream) const {
  if (settings_.size <= 0) return 0;
  const Rng own = Rng(task_seed).Split(static_cast<std::uint64_t>(position)).Split(stream);
  double loss = std::sqrt(1 - correlated_share_) * Draw(settings_.shape, own);
  if (correlated_share_ > 0) {
    loss += std::sqrt(correlated_share_) * CorrelatedAt(position, stream);
  }
  return settings_.size * loss;
}

double Noise::CorrelatedAt(std::int64_t position, std::uint64_t stream) const {
  const Rng rng = correlated_.Split(stream);
  double sum = 0;
  for (std::uint64_t i = 0; i < kWindow; ++i) {
    sum += rng.Split(static_cast<std::uint64_t>(position) + i).Normal();
  }
  return sum / std::sqrt(static_cast<double>(kWindow));
}

}  // namespace hone::toy

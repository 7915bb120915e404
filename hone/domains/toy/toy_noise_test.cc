// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/toy/toy_noise.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hone::toy {
namespace {

constexpr int kRuns = 40'000;

struct Moments {
  double mean = 0;
  double deviation = 0;
  double skewness = 0;
  double tail_share = 0;  // Beyond four deviations.
  double neighbour_correlation = 0;
};

std::vector<double> LossesOf(const NoiseSettings& settings, std::uint64_t task_seed = 5) {
  const Noise noise(settings);
  std::vector<double> losses;
  for (int i = 0; i < kRuns; ++i) losses.push_back(noise.LossAt(task_seed, i, 0));
  return losses;
}

Moments MomentsOf(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  Moments moments;
  for (const double value : values) moments.mean += value / count;
  double squares = 0;
  double cubes = 0;
  double products = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double here = values[i] - moments.mean;
    squares += here * here / count;
    cubes += here * here * here / count;
    if (i > 0) products += here * (values[i - 1] - moments.mean) / count;
  }
  moments.deviation = std::sqrt(squares);
  moments.skewness = cubes / std::pow(squares, 1.5);
  moments.neighbour_correlation = products / squares;
  for (const double value : values) {
    moments.tail_share += std::abs(value - moments.mean) > 4 * moments.deviation ? 1 / count : 0;
  }
  return moments;
}

TEST(NoiseTest, NoNoiseIsExactlyNone) {
  const Noise noise{NoiseSettings{}};
  EXPECT_EQ(noise.LossAt(1, 2, 3), 0);
  EXPECT_EQ(noise.LevelAt(1000), 0);
}

TEST(NoiseTest, EveryShapeHasMeanZeroAndTheDeviationAskedFor) {
  for (const NoiseShape shape : {NoiseShape::kNormal, NoiseShape::kLaplace, NoiseShape::kStudent3,
                                 NoiseShape::kLognormalSpikes}) {
    const Moments moments = MomentsOf(LossesOf({.size = 0.05, .shape = shape}));
    EXPECT_NEAR(moments.mean, 0, 0.001);
    EXPECT_NEAR(moments.deviation, 0.05, shape == NoiseShape::kStudent3 ? 0.01 : 0.003);
  }
}

TEST(NoiseTest, TailsAreAsTheShapeSays) {
  const auto moments_of = [](NoiseShape shape) {
    return MomentsOf(LossesOf({.size = 1, .shape = shape}));
  };
  EXPECT_LT(moments_of(NoiseShape::kNormal).tail_share, 0.0005);
  EXPECT_GT(moments_of(NoiseShape::kLaplace).tail_share, 0.002);
  EXPECT_GT(moments_of(NoiseShape::kStudent3).tail_share, 0.002);
  EXPECT_NEAR(moments_of(NoiseShape::kLaplace).skewness, 0, 0.2);
  EXPECT_GT(moments_of(NoiseShape::kLognormalSpikes).skewness, 3);  // Only losses are large.
}

TEST(NoiseTest, NeighboursAreCorrelatedAsAskedFor) {
  for (const double wanted : {0.0, 0.3, 0.8}) {
    const Moments moments = MomentsOf(LossesOf({.size = 0.05, .autocorrelation = wanted}));
    EXPECT_NEAR(moments.neighbour_correlation, wanted, 0.03);
    EXPECT_NEAR(moments.deviation, 0.05, 0.003);
  }
}

TEST(NoiseTest, CorrelationReachesAcrossTasks) {
  const Noise noise({.size = 1, .autocorrelation = 0.8});
  double products = 0;
  for (int i = 0; i < kRuns; ++i) products += noise.LossAt(1, i, 0) * noise.LossAt(2, i + 1, 0);
  EXPECT_NEAR(products / kRuns, 0.8, 0.05);
}

TEST(NoiseTest, DependsOnTaskSeedPositionAndStreamAlone) {
  const NoiseSettings settings = {.size = 0.05, .shape = NoiseShape::kStudent3, .wander = 0.1};
  const Noise noise(settings);
  const Noise same(settings);
  const double loss = noise.LossAt(1, 2, 3);
  noise.LossAt(9, 9, 9);
  EXPECT_EQ(noise.LossAt(1, 2, 3), loss);
  EXPECT_EQ(same.LossAt(1, 2, 3), loss);
  EXPECT_NE(noise.LossAt(2, 2, 3), loss);
  EXPECT_NE(noise.LossAt(1, 3, 3), loss);
  EXPECT_NE(noise.LossAt(1, 2, 4), loss);
}

TEST(NoiseTest, DriftIsTheRelativeChangeOverAHundredRuns) {
  const Noise noise({.drift = -0.05});
  EXPECT_EQ(noise.LevelAt(0), 0);
  EXPECT_NEAR(std::exp(noise.LevelAt(100)), 0.95, 1e-12);
  EXPECT_NEAR(std::exp(noise.LevelAt(200)), 0.95 * 0.95, 1e-12);
}

TEST(NoiseTest, WanderIsARandomWalkOfTheSizeAskedFor) {
  double near = 0;
  double far = 0;
  double product = 0;
  constexpr int kWalks = 4000;
  for (int seed = 0; seed < kWalks; ++seed) {
    const Noise noise({.wander = 0.03, .seed = static_cast<std::uint64_t>(seed)});
    const double first = noise.LevelAt(137) - noise.LevelAt(37);
    const double second = noise.LevelAt(237) - noise.LevelAt(137);
    const double step = noise.LevelAt(38) - noise.LevelAt(37);
    far += first * first / kWalks;
    near += step * step / kWalks;
    product += first * second / kWalks;
  }
  EXPECT_NEAR(std::sqrt(far), 0.03, 0.002);
  EXPECT_NEAR(std::sqrt(near), 0.003, 0.0002);
  EXPECT_NEAR(product, 0, 0.00006);  // Steps that do not overlap are independent.
}

TEST(NoiseTest, LevelExistsAtAnyPosition) {
  const Noise noise({.drift = 0.01, .wander = 0.01});
  EXPECT_EQ(noise.LevelAt(-5), 0);
  EXPECT_TRUE(std::isfinite(noise.LevelAt(std::numeric_limits<std::int64_t>::max())));
}

}  // namespace
}  // namespace hone::toy

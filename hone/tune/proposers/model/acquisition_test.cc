// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/acquisition.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "hone/core/rng.h"

namespace hone::tune {
namespace {

TEST(AcquisitionTest, ExpectedImprovementHasItsKnownValues) {
  const double at_zero = 1 / std::sqrt(2 * std::numbers::pi);
  EXPECT_NEAR(std::exp(LogExpectedImprovement(0, 1)), at_zero, 1e-12);
  EXPECT_NEAR(std::exp(LogExpectedImprovement(0, 3)), 3 * at_zero, 1e-12);
  EXPECT_NEAR(std::exp(LogExpectedImprovement(5, 0.01)), 5, 1e-9);
  EXPECT_DOUBLE_EQ(LogExpectedImprovement(2, 0), std::log(2.0));
  EXPECT_EQ(LogExpectedImprovement(-1, 0), -INFINITY);
}

TEST(AcquisitionTest, HopelessPointsStillDiffer) {
  EXPECT_GT(LogExpectedImprovement(-30, 1), LogExpectedImprovement(-31, 1));
  EXPECT_GT(LogExpectedImprovement(-60, 1), LogExpectedImprovement(-61, 1));
  EXPECT_TRUE(std::isfinite(LogExpectedImprovement(-1000, 1)));
}

TEST(AcquisitionTest, TheFarFormulaMeetsTheNearOne) {
  const double near = LogExpectedImprovement(-19.999, 1);
  const double far = LogExpectedImprovement(-20.001, 1);
  EXPECT_NEAR(near, far, 0.06);
}

TEST(AcquisitionTest, ImprovementAgreesWithSimulation) {
  Rng rng(1);
  double sum = 0;
  constexpr int kDraws = 200'000;
  for (int i = 0; i < kDraws; ++i) sum += std::max(0.0, -0.3 + 0.8 * rng.Normal());
  EXPECT_NEAR(std::exp(LogExpectedImprovement(-0.3, 0.8)), sum / kDraws, 0.004);
}

}  // namespace
}  // namespace hone::tune

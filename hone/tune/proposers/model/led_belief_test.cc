// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/led_belief.h"

#include <gtest/gtest.h>

#include "hone/core/check.h"
#include "hone/core/rng.h"

namespace hone::tune {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// One number of three is wished to be higher: 0.7 instead of 0.3.
class LedBeliefTest : public testing::Test {
 protected:
  LedBeliefTest() {
    for (int i = 0; i < 6; ++i) {
      shape_.Note({.assignment = {{"x0", 0.7}, {"x1", 0.3}, {"x2", 0.3}}, .set = {"x0"}});
    }
  }

  static Space ThreeNumbers() {
    std::vector<Parameter> parameters(3);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      parameters[i].name = "x" + std::to_string(i);
      parameters[i].kind = RealRange{0, 1};
      parameters[i].default_value = 0.3;
    }
    auto space = Space::Make(std::move(parameters));
    HONE_CHECK(space.has_value());
    return std::move(*space);
  }

  // After so many noisy looks at a hill in x0.
  GaussianProcess Seen(Index looks, double top) const {
    Rng rng(5);
    Observations seen{.points = MatrixXd::Constant(3, looks + 1, 0.3),
                      .values = VectorXd::Zero(looks + 1),
                      .variances = VectorXd::Constant(looks + 1, 0.01),
                      .doubt = VectorXd::Ones(looks + 1)};
    seen.variances(0) = 0;
    seen.doubt(0) = 0;
    for (Index i = 1; i <= looks; ++i) {
      for (double& x : seen.points.col(i)) x = rng.Uniform();
      const double off = seen.points(0, i) - top;
      seen.values(i) = 4 * ((0.3 - top) * (0.3 - top) - off * off) + 0.1 * rng.Normal();
    }
    GaussianProcess process(map_.groups());
    process.SetObservations(std::move(seen));
    process.Fit(20);
    return process;
  }

  static VectorXd At(double x0) { return Eigen::Vector3d(x0, 0.3, 0.3); }

  const Space space_ = ThreeNumbers();
  const FeatureMap map_{space_};
  WishedShape shape_{space_, map_, space_.Defaults()};
};

TEST_F(LedBeliefTest, BeforeMuchWasSeenWhatIsWishedForIsExpected) {
  const GaussianProcess plain = Seen(2, 0.5);
  const GaussianProcess led = LedBy(shape_, 1, plain, 0.1);
  EXPECT_GT(led.PredictMean(At(0.7))(0) - plain.PredictMean(At(0.7))(0), 0.02);
  EXPECT_LT(led.PredictMean(At(0.0))(0), plain.PredictMean(At(0.0))(0));
  EXPECT_NEAR(led.PredictMean(At(0.3))(0), plain.PredictMean(At(0.3))(0), 0.02);
}

TEST_F(LedBeliefTest, WhoIsNotTrustedLeadsNowhere) {
  const GaussianProcess plain = Seen(4, 0.5);
  EXPECT_EQ(LedBy(shape_, 0, plain, 0.1).PredictMean(At(0.7)), plain.PredictMean(At(0.7)));
}

TEST_F(LedBeliefTest, WhatMeasurementsContradictIsGivenUp) {
  const GaussianProcess plain = Seen(40, 0.0);  // The other way is better.
  const GaussianProcess led = LedBy(shape_, 1, plain, 0.1);
  for (const double x : {0.0, 0.3, 0.7, 1.0}) {
    EXPECT_NEAR(led.PredictMean(At(x))(0), plain.PredictMean(At(x))(0), 0.05) << x;
  }
}

TEST_F(LedBeliefTest, WhatMeasurementsBearOutStays) {
  const GaussianProcess led = LedBy(shape_, 1, Seen(40, 0.7), 0.1);
  EXPECT_GT(led.PredictMean(At(0.7))(0), 0.5);
}

}  // namespace
}  // namespace hone::tune

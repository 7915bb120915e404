// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/belief_model.h"

#include <gtest/gtest.h>

#include "hone/core/rng.h"

namespace hone::tune {
namespace {

using Eigen::VectorXd;

Space LineSpace() {
  Parameter x;
  x.name = "x";
  x.kind = RealRange{0, 1, 0, false};
  x.default_value = 0.1;
  return *Space::Make({x});
}

class BeliefModelTest : public testing::Test {
 protected:
  void Tell(std::int64_t number, double x, double reward, Outcome outcome = Outcome::kAccepted) {
    Trial& trial = trials_[number];
    trial.number = number;
    trial.candidate.assignment["x"] = x;
    trial.outcome = outcome;
    trial.reward = {.mean = reward, .standard_error = 0.02, .count = 1};
    model_.Learn(trials_, number);
  }

  Belief At(double x) const { return model_.reward().Predict(map_.Encode({{"x", x}})); }
  double ChanceAt(double x) const { return model_.ChanceOfSuccess(map_.Encode({{"x", x}}))(0); }

  const Space space_ = LineSpace();
  const FeatureMap map_{space_};
  std::map<std::int64_t, Trial> trials_;
  BeliefModel model_{map_, {{"x", 0.1}}};
};

TEST_F(BeliefModelTest, TheBaselineIsKnownToBeAtZero) {
  for (int i = 0; i < 8; ++i) Tell(i, 0.3 + 0.08 * i, 0.5 + 0.02 * i);
  EXPECT_NEAR(At(0.1).mean(0), 0, 0.1);
  EXPECT_GT(At(0.6).mean(0), 0.3);
}

TEST_F(BeliefModelTest, FailuresAreAvoidedAndSuccessesAreNot) {
  EXPECT_EQ(ChanceAt(0.9), 1);
  for (int i = 0; i < 10; ++i) {
    const double x = 0.05 + 0.1 * i;
    Tell(i, x, 0.1, x > 0.6 ? Outcome::kCrashed : Outcome::kAccepted);
  }
  EXPECT_LT(ChanceAt(0.9), 0.2);
  EXPECT_GT(ChanceAt(0.3), 0.8);
}

TEST_F(BeliefModelTest, ATrialToldAgainCountsOnce) {
  for (int i = 0; i < 6; ++i) Tell(i, 0.15 * i, 0.1 * i);
  Tell(3, 0.45, 0.9);
  Tell(3, 0.45, 0.3);
  EXPECT_NEAR(At(0.45).mean(0), 0.3, 0.1);
  EXPECT_EQ(model_.reward().size(), 7);  // The baseline and six trials.
}

TEST_F(BeliefModelTest, NoiseOfTheNextTrialIsTheUsualOne) {
  for (int i = 0; i < 5; ++i) Tell(i, 0.2 * i, 0.0);
  EXPECT_NEAR(model_.TypicalNoise(), 0.0004, 1e-12);
}

TEST(SquashedTest, OnlyTheVeryBadIsDrawnTogether) {
  const VectorXd values{{0.0, 0.1, 0.2, -0.1, -5.0, -10.0, 0.05}};
  const VectorXd squashed = Squashed(values);
  EXPECT_EQ(squashed.head(4), values.head(4));
  EXPECT_GT(squashed(4), -1);
  EXPECT_LT(squashed(5), squashed(4));
}

TEST(SquashedTest, TheBaselineStaysAtZero) {
  const VectorXd values{{0.0, 0.5, 0.52, 0.54, 0.56}};
  EXPECT_EQ(Squashed(values), values);
}

TEST(SquashedTest, EqualValuesStay) {
  EXPECT_EQ(Squashed(VectorXd::Constant(4, -0.4)), VectorXd::Constant(4, -0.4));
  EXPECT_EQ(Squashed(VectorXd()).size(), 0);
}

}  // namespace
}  // namespace hone::tune

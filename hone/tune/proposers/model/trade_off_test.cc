// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/trade_off.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::tune {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST(TradeOffTest, DominatedPointsAreLeftOut) {
  const MatrixXd objectives{{0, 1, 2, 1, 2}, {2, 1, 0, 0.5, 0}};
  EXPECT_THAT(NonDominated(objectives), testing::ElementsAre(0, 1, 2, 4));
}

TEST(TradeOffTest, WeightsDecideWhichEndOfTheFrontIsBest) {
  const MatrixXd objectives{{0, 6, 10}, {10, 6, 0}};
  Index best = 0;
  Scalarised(objectives, VectorXd{{0.9, 0.1}}).maxCoeff(&best);
  EXPECT_EQ(best, 2);
  Scalarised(objectives, VectorXd{{0.1, 0.9}}).maxCoeff(&best);
  EXPECT_EQ(best, 0);
  Scalarised(objectives, VectorXd{{0.5, 0.5}}).maxCoeff(&best);
  EXPECT_EQ(best, 1);
}

TEST(TradeOffTest, AnObjectiveThatNeverChangesDoesNoHarm) {
  const MatrixXd objectives{{1, 2, 3}, {5, 5, 5}};
  const VectorXd values = Scalarised(objectives, VectorXd{{0.5, 0.5}});
  EXPECT_LT(values(0), values(1));
  EXPECT_LT(values(1), values(2));
}

TEST(TradeOffTest, WeightsArePositiveAndSumToOne) {
  const VectorXd weights = RandomWeights(3, Rng(1));
  EXPECT_NEAR(weights.sum(), 1, 1e-12);
  EXPECT_GT(weights.minCoeff(), 0);
  EXPECT_NE(weights, RandomWeights(3, Rng(2)));
}

TEST(TradeOffTest, TheBaselineIsTheFirstColumnOfTheTable) {
  Trial trial;
  trial.objectives = {{0.3, 0.1, 1}, {-0.2, 0.2, 1}};
  const ObjectiveTable table = TabulateObjectives({trial});
  EXPECT_EQ(table.means, (MatrixXd{{0, 0.3}, {0, -0.2}}));
  EXPECT_TRUE(table.variances.isApprox(MatrixXd{{0, 0.01}, {0, 0.04}}));
}

}  // namespace
}  // namespace hone::tune

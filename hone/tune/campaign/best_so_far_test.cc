// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/best_so_far.h"

#include <gtest/gtest.h>

#include <limits>

namespace hone::tune {
namespace {

TEST(BestSoFarTest, MeanLessOneStandardErrorDecides) {
  BestSoFar best;
  EXPECT_EQ(best.trial(), std::nullopt);
  EXPECT_TRUE(best.Add(0, Estimate{0.10, 0.01, 8}));
  EXPECT_FALSE(best.Add(1, Estimate{0.15, 0.10, 2}));  // Higher, but hardly known.
  EXPECT_EQ(best.trial(), 0);
  EXPECT_TRUE(best.Add(2, Estimate{0.11, 0.01, 8}));
  EXPECT_FALSE(best.Add(3, Estimate{0.11, 0.01, 8}));  // Of equals the first stays.
  EXPECT_EQ(best.trial(), 2);
}

TEST(BestSoFarTest, TheLastJudgementOfATrialCounts) {
  BestSoFar best;
  best.Add(0, Estimate{0.3, 0.01, 2});
  best.Add(1, Estimate{0.2, 0.01, 2});
  EXPECT_FALSE(best.Add(0, Estimate{0.1, 0.01, 8}));
  EXPECT_EQ(best.trial(), 1);
  EXPECT_FALSE(best.Add(1, Estimate{0.25, 0.01, 8}));  // It was the best already.
  EXPECT_EQ(best.trial(), 1);
}

TEST(BestSoFarTest, FailedTrialsDoNotCount) {
  BestSoFar best;
  EXPECT_FALSE(best.Add(0, std::nullopt));
  EXPECT_EQ(best.trial(), std::nullopt);
  EXPECT_TRUE(best.Add(1, Estimate{-0.1, 0.01, 2}));
  EXPECT_FALSE(best.Add(1, std::nullopt));
  EXPECT_EQ(best.trial(), std::nullopt);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(best.Add(2, Estimate{0.5, infinity, 1}));  // All that there is.
  EXPECT_TRUE(best.Add(3, Estimate{-0.5, 0.1, 2}));
}

}  // namespace
}  // namespace hone::tune

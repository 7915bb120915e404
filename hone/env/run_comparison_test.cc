// SPDX-License-Identifier: Apache-2.0
#include "hone/env/run_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::env {
namespace {

using ::testing::ElementsAre;

Sample RunOf(Arm arm, double speed, double load) {
  Sample sample;
  sample.arm = arm;
  sample.metrics["speed"].value = speed;
  sample.observations["load"] = load;
  return sample;
}

const RunComparison kComparison({RunOf(Arm::kBaseline, 1, 1)});

TEST(RunComparisonTest, NamesMetricsBeforeObservations) {
  EXPECT_THAT(kComparison.names(), ElementsAre("speed", "load"));
}

TEST(RunComparisonTest, ComparesTheMeansOfBothArms) {
  EXPECT_THAT(
      kComparison.Compare({RunOf(Arm::kBaseline, 100, -4), RunOf(Arm::kCandidate, 110, -3),
                           RunOf(Arm::kCandidate, 130, -3), RunOf(Arm::kBaseline, 140, -4)}),
      ElementsAre(0, 0.25));
}

TEST(RunComparisonTest, ClipsWhatIsFarOff) {
  EXPECT_THAT(
      kComparison.Compare({RunOf(Arm::kBaseline, 1, 0), RunOf(Arm::kCandidate, 1000, -0.1)}),
      ElementsAre(10, -10));
}

TEST(RunComparisonTest, IsZeroWhereThereIsNothingToCompare) {
  EXPECT_THAT(kComparison.Compare({}), ElementsAre(0, 0));
  EXPECT_THAT(kComparison.Compare({RunOf(Arm::kBaseline, 5, 5)}), ElementsAre(0, 0));
  EXPECT_THAT(kComparison.Compare({RunOf(Arm::kBaseline, 0, 0), RunOf(Arm::kCandidate, 0, 0)}),
              ElementsAre(0, 0));
}

}  // namespace
}  // namespace hone::env

// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/outliers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

auto Mark(std::int64_t index, Outlier::Grade grade, double score) {
  return testing::AllOf(Field(&Outlier::index, index), Field(&Outlier::grade, grade),
                        Field(&Outlier::score, DoubleNear(score, 1e-3)));
}

// By hand: median 5, MAD 2, so the score of 20 is 0.6745 * 15 / 2.
TEST(ModifiedZTest, ScoresAreComputedFromMedianAndMad) {
  const std::vector<double> values = {5, 3, 20, 7, 4, 6, 1, 9, 2};
  EXPECT_THAT(MarkByModifiedZ(values), ElementsAre(Mark(2, Outlier::Grade::kMild, 5.0588)));
}

TEST(ModifiedZTest, FarRunsAreSevereOnBothSides) {
  const std::vector<double> values = {5, 3, 100, 7, 4, 6, -90, 8, 2};
  EXPECT_THAT(MarkByModifiedZ(values),
              ElementsAre(Mark(2, Outlier::Grade::kSevere, 0.6745 * 95 / 2),
                          Mark(6, Outlier::Grade::kSevere, -0.6745 * 95 / 2)));
}

TEST(ModifiedZTest, MostlyEqualValuesFallBackToTheMeanDeviation) {
  // Median 1, MAD 0, mean deviation 99 / 10: 99 / (1.2533 * 9.9).
  std::vector<double> values(10, 1.0);
  values[4] = 100;
  EXPECT_THAT(MarkByModifiedZ(values), ElementsAre(Mark(4, Outlier::Grade::kSevere, 7.9789)));
  EXPECT_THAT(MarkByModifiedZ(std::vector<double>(10, 1.0)), IsEmpty());
}

}  // namespace
}  // namespace hone

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

TEST(TukeyTest, FencesGradeByInterquartileRanges) {
  // Quartiles of 0 … 8 with 13 and 16: 2.5 and 7.5, so fences at 15 and 22.5.
  const std::vector<double> values = {0, 1, 2, 3, 4, 5, 6, 7, 8, 13, 16};
  EXPECT_THAT(MarkByTukeyFences(values), ElementsAre(Mark(10, Outlier::Grade::kMild, 1.7)));
  const std::vector<double> wild = {0, 1, 2, 3, 4, 5, 6, 7, 8, -8, 40};
  EXPECT_THAT(MarkByTukeyFences(wild), ElementsAre(Mark(9, Outlier::Grade::kMild, -1.9),
                                                   Mark(10, Outlier::Grade::kSevere, 6.7)));
}

TEST(TukeyTest, ConstantValuesHaveNoneAndTheOddOneOutIsSevere) {
  std::vector<double> values(9, 2.0);
  EXPECT_THAT(MarkByTukeyFences(values), IsEmpty());
  values[3] = 2.1;
  ASSERT_EQ(MarkByTukeyFences(values).size(), 1U);
  EXPECT_EQ(MarkByTukeyFences(values)[0].grade, Outlier::Grade::kSevere);
}

}  // namespace
}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/multiple.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<double> kPValues = {0.01, 0.04, 0.03, 0.005};

// R 4.2: p.adjust(p, "holm").
TEST(MultipleTest, HolmMatchesR) {
  EXPECT_THAT(AdjustByHolm(kPValues),
              ElementsAre(DoubleEq(0.03), DoubleEq(0.06), DoubleEq(0.06), DoubleEq(0.02)));
  const std::vector<double> rising = {0.01, 0.02, 0.03, 0.04, 0.05};
  EXPECT_THAT(AdjustByHolm(rising), ElementsAre(DoubleEq(0.05), DoubleEq(0.08), DoubleEq(0.09),
                                                DoubleEq(0.09), DoubleEq(0.09)));
}

TEST(MultipleTest, OneTestStaysAsItIsAndNoneIsNone) {
  EXPECT_THAT(AdjustByHolm(std::vector<double>{0.2}), ElementsAre(0.2));
  EXPECT_THAT(AdjustByHolm({}), IsEmpty());
}

TEST(MultipleTest, NothingGoesAboveOne) {
  EXPECT_THAT(AdjustByHolm(std::vector<double>{0.7, 0.8}), ElementsAre(1, 1));
}

}  // namespace
}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/proposer/wished_values.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace hone::agent {
namespace {

Parameter Whole(const char* name) {
  Parameter parameter;
  parameter.name = name;
  parameter.kind = IntegerRange{0, 100};
  parameter.default_value = std::int64_t{50};
  return parameter;
}

Assignment At(std::int64_t a, std::int64_t b) { return {{"a", a}, {"b", b}}; }

class WishedValuesTest : public ::testing::Test {
 protected:
  const Space space_ = Space::Make({Whole("a"), Whole("b")}).value();
  WishedValues wishes_{space_, At(50, 50)};
};

TEST_F(WishedValuesTest, WithoutAWishAllIsAlike) {
  EXPECT_EQ(wishes_.LogLikeness(At(0, 0)), wishes_.LogLikeness(At(100, 70)));
}

TEST_F(WishedValuesTest, WhatIsNearAWishIsLikerThanWhatIsFar) {
  wishes_.Note(At(90, 50));
  EXPECT_GT(wishes_.LogLikeness(At(88, 10)), 0);
  EXPECT_LT(wishes_.LogLikeness(At(10, 10)), 0);
}

TEST_F(WishedValuesTest, AParameterThatWasLeftAloneIsNoWish) {
  wishes_.Note(At(90, 50));
  EXPECT_EQ(wishes_.LogLikeness(At(90, 0)), wishes_.LogLikeness(At(90, 100)));
}

TEST_F(WishedValuesTest, OldWishesAreForgotten) {
  wishes_.Note(At(10, 50));
  for (int i = 0; i < 30; ++i) wishes_.Note(At(90, 50));
  EXPECT_LT(wishes_.LogLikeness(At(10, 50)), -1);
}

TEST_F(WishedValuesTest, AProposalIsFilledWhereItLeavesTheBaseline) {
  EXPECT_EQ(wishes_.Filled(At(90, 50), At(20, 30)), At(90, 30));
  EXPECT_EQ(wishes_.Filled(At(50, 50), At(20, 30)), At(20, 30));
}

}  // namespace
}  // namespace hone::agent

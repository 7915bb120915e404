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

Proposal SetTo(std::int64_t a) { return {.assignment = At(a, 50), .set = {"a"}}; }

class WishedValuesTest : public ::testing::Test {
 protected:
  const Space space_ = Space::Make({Whole("a"), Whole("b")}).value();
  WishedValues wishes_{space_, At(50, 50)};
};

TEST_F(WishedValuesTest, WithoutAWishAllIsAlike) {
  EXPECT_EQ(wishes_.LogLikeness(At(0, 0)), wishes_.LogLikeness(At(100, 70)));
}

TEST_F(WishedValuesTest, WhatIsNearAWishIsLikerThanWhatIsFar) {
  wishes_.Note(SetTo(90));
  EXPECT_GT(wishes_.LogLikeness(At(88, 10)), 0);
  EXPECT_LT(wishes_.LogLikeness(At(10, 10)), 0);
}

TEST_F(WishedValuesTest, AParameterThatWasLeftAloneIsNoWish) {
  wishes_.Note(SetTo(90));
  EXPECT_EQ(wishes_.LogLikeness(At(90, 0)), wishes_.LogLikeness(At(90, 100)));
}

TEST_F(WishedValuesTest, WhatComesFromAnotherTrialIsNoWish) {
  wishes_.Note({.assignment = At(90, 10), .set = {"a"}});
  EXPECT_EQ(wishes_.LogLikeness(At(90, 10)), wishes_.LogLikeness(At(90, 100)));
}

TEST_F(WishedValuesTest, OldWishesAreForgotten) {
  wishes_.Note(SetTo(10));
  for (int i = 0; i < 30; ++i) wishes_.Note(SetTo(90));
  EXPECT_LT(wishes_.LogLikeness(At(10, 50)), -1);
}

TEST_F(WishedValuesTest, AProposalIsFilledWhereItSetsNothing) {
  EXPECT_EQ(wishes_.Filled(SetTo(90), {0.2, 0.3}), At(90, 30));
  EXPECT_EQ(wishes_.Filled(SetTo(50), {0.2, 0.3}), At(50, 30));
  EXPECT_EQ(wishes_.Filled({.assignment = At(90, 10), .set = {"a"}}, {0.2, 0.3}), At(90, 30));
}

TEST_F(WishedValuesTest, UnmovedItHasTheBaselineWhereTheModelSetSomething) {
  EXPECT_EQ(wishes_.Unmoved(SetTo(90), At(90, 30), {0.2, 0.3}), At(50, 30));
}

TEST_F(WishedValuesTest, UnmovedItKeepsWhatIsInForceOutsideOfItsRange) {
  Parameter outside = Whole("b");
  outside.default_value = std::int64_t{700};
  const Space space = Space::Make({Whole("a"), outside}).value();
  const WishedValues wishes(space, At(50, 700));
  EXPECT_EQ(wishes.Unmoved(SetTo(90), At(90, 700), {0.9, 1}), At(50, 700));
  EXPECT_EQ(wishes.Unmoved({.assignment = At(50, 20), .set = {"b"}}, At(50, 20), {0.5, 0.2}),
            At(50, 700));
}

Parameter Choice(const char* name, std::vector<std::string> choices) {
  Parameter parameter;
  parameter.name = name;
  parameter.default_value = choices.front();
  parameter.kind = Category{std::move(choices)};
  return parameter;
}

Parameter Under(Parameter child, const char* value) {
  child.condition = Condition{"scheduler", {std::string(value)}};
  return child;
}

TEST(WishedValuesOfAConditionalSpaceTest, WhatOnlyTheModelsChoiceHasIsFilledToo) {
  const Space space =
      Space::Make({Choice("scheduler", {"lottery", "deadline"}), Under(Whole("tickets"), "lottery"),
                   Under(Whole("window"), "deadline")})
          .value();
  const WishedValues wishes(space, space.Defaults());
  // The point has a lottery, and a window none the less.
  EXPECT_EQ(wishes.Filled({.assignment = {{"scheduler", "deadline"}, {"window", std::int64_t{50}}},
                           .set = {"scheduler"}},
                          {0, 0.7, 0.9}),
            (Assignment{{"scheduler", "deadline"}, {"window", std::int64_t{90}}}));
  EXPECT_EQ(wishes.Filled({.assignment = {{"scheduler", "deadline"}, {"window", std::int64_t{20}}},
                           .set = {"scheduler", "window"}},
                          {0, 0.7, 0.9}),
            (Assignment{{"scheduler", "deadline"}, {"window", std::int64_t{20}}}));
}

}  // namespace
}  // namespace hone::agent

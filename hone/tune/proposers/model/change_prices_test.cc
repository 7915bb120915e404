// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/change_prices.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace hone::tune {
namespace {

Space Options() {
  std::vector<Parameter> parameters(3);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameters[i].name = std::string(1, static_cast<char>('a' + i));
    parameters[i].kind = Boolean{};
    parameters[i].default_value = false;
  }
  return *Space::Make(parameters);
}

Assignment At(bool a, bool b, bool c) { return {{"a", a}, {"b", b}, {"c", c}}; }

class ChangePricesTest : public ::testing::Test {
 protected:
  Space space_ = Options();
  ChangePrices prices_{space_, space_.Defaults(), {{"a", 20}, {"b", 3}}};
};

TEST_F(ChangePricesTest, ACandidateCostsItsDearestChange) {
  EXPECT_EQ(prices_.Of(At(false, false, true)), 0);
  EXPECT_EQ(prices_.Of(At(false, true, true)), 3);
  EXPECT_EQ(prices_.Of(At(true, true, false)), 20);
}

TEST_F(ChangePricesTest, WhatWasTriedIsThere) {
  prices_.NoteTried(At(true, false, false));
  EXPECT_EQ(prices_.Of(At(true, false, true)), 0);
  EXPECT_EQ(prices_.Of(At(true, true, false)), 3);
}

TEST_F(ChangePricesTest, WhatIsDearMovesAloneAndBothComeUp) {
  // "a" costs 20 trials, "b" 3: "b" moves in the third and fourth point, "a" when half of both is
  // spent on others; then it begins again.
  std::string moved;
  for (std::size_t i = 0; i < 15; ++i) {
    const Assignment at = space_.FromUnit(prices_.Settled({0.9, 0.1, 0.9}, i));
    const bool a = std::get<bool>(at.at("a"));
    const bool b = std::get<bool>(at.at("b"));
    EXPECT_FALSE(a && b) << i;
    EXPECT_TRUE(std::get<bool>(at.at("c"))) << i;
    moved += a ? 'a' : b ? 'b' : '-';
  }
  EXPECT_EQ(moved, "--bb-------aa--");
}

TEST_F(ChangePricesTest, ADearParameterThatMovesHasAnotherValue) {
  for (const double unit : {0.01, 0.3, 0.5, 0.7, 0.99}) {
    EXPECT_TRUE(std::get<bool>(space_.FromUnit(prices_.Settled({0, unit, 0}, 2)).at("b"))) << unit;
  }
}

TEST_F(ChangePricesTest, WithoutPricesNothingIsHeldBack) {
  ChangePrices free(space_, space_.Defaults(), {});
  EXPECT_TRUE(free.IsFree());
  EXPECT_EQ(free.Of(At(true, true, true)), 0);
  EXPECT_EQ(free.Settled({0.9, 0.8, 0.7}, 0), (std::vector<double>{0.9, 0.8, 0.7}));
}

}  // namespace
}  // namespace hone::tune

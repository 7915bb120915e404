// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/change_prices.h"

#include <gtest/gtest.h>

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

TEST_F(ChangePricesTest, WhatIsDearMovesSeldomAndBeginsWithTheBaseline) {
  // 20 trials: once in 16 points; 3 trials: every other point.
  for (std::size_t i = 0; i < 16; ++i) EXPECT_LT(prices_.Settled({0.9, 0.9, 0.9}, i)[0], 0.5) << i;
  EXPECT_EQ(prices_.Settled({0.9, 0.8, 0.7}, 16), (std::vector<double>{0.9, 0.8, 0.7}));
  EXPECT_EQ(prices_.Settled({0.1, 0.1, 0.1}, 17), (std::vector<double>{0.9, 0.8, 0.1}));
  EXPECT_EQ(prices_.Settled({0.1, 0.1, 0.1}, 18), (std::vector<double>{0.9, 0.1, 0.1}));
}

TEST_F(ChangePricesTest, WithoutPricesNothingIsHeldBack) {
  ChangePrices free(space_, space_.Defaults(), {});
  EXPECT_TRUE(free.IsFree());
  EXPECT_EQ(free.Of(At(true, true, true)), 0);
  EXPECT_EQ(free.Settled({0.9, 0.8, 0.7}, 0), (std::vector<double>{0.9, 0.8, 0.7}));
}

}  // namespace
}  // namespace hone::tune

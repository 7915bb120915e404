// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/change_prices.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

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
  ChangePrices prices_{space_, space_.Defaults(), {{"a", 20}, {"b", 3}}, 20};
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

// How many dear switches move in the design, each alone.
std::size_t MovedAlone(std::size_t switches, double price, std::size_t design_size) {
  std::vector<Parameter> parameters(switches);
  std::map<std::string, double> costs;
  for (std::size_t i = 0; i < switches; ++i) {
    parameters[i].name = "dear" + std::to_string(i);
    parameters[i].kind = Boolean{};
    parameters[i].default_value = false;
    costs[parameters[i].name] = price;
  }
  const Space space = *Space::Make(parameters);
  const ChangePrices prices(space, space.Defaults(), costs, design_size);
  std::set<std::string> moved;
  for (std::size_t at = 0; at < design_size; ++at) {
    std::vector<std::string> now;
    const auto unit = prices.Settled(std::vector<double>(switches, 0.5), at);
    for (const auto& [name, value] : space.FromUnit(unit)) {
      if (std::get<bool>(value)) now.push_back(name);
    }
    EXPECT_LE(now.size(), 1u) << at;
    moved.insert(now.begin(), now.end());
  }
  return moved.size();
}

TEST(ChangePricesPlotTest, WhatIsVeryDearMovesInTheDesignToo) {
  EXPECT_EQ(MovedAlone(8, 35, 50), 8u);
  EXPECT_EQ(MovedAlone(8, 2, 50), 8u);
}

TEST(ChangePricesPlotTest, AShortDesignIsNotSpentOnWhatIsDear) {
  EXPECT_EQ(MovedAlone(8, 35, 10), 2u);
  EXPECT_EQ(MovedAlone(8, 1000, 50), 0u);
}

TEST_F(ChangePricesTest, ADearParameterThatMovesHasAnotherValue) {
  for (const double unit : {0.01, 0.3, 0.5, 0.7, 0.99}) {
    EXPECT_TRUE(std::get<bool>(space_.FromUnit(prices_.Settled({0, unit, 0}, 2)).at("b"))) << unit;
  }
}

TEST_F(ChangePricesTest, WithoutPricesNothingIsHeldBack) {
  ChangePrices free(space_, space_.Defaults(), {}, 20);
  EXPECT_TRUE(free.IsFree());
  EXPECT_EQ(free.Of(At(true, true, true)), 0);
  EXPECT_EQ(free.Settled({0.9, 0.8, 0.7}, 0), (std::vector<double>{0.9, 0.8, 0.7}));
}

}  // namespace
}  // namespace hone::tune

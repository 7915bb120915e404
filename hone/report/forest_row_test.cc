// SPDX-License-Identifier: Apache-2.0
#include "hone/report/forest_row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hone::report {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ExtentTest, WhatIsNotFiniteDoesNotCount) {
  Extent extent;
  for (const double value : {std::nan(""), kInfinity, 2.0, -kInfinity, 1.0}) extent.Include(value);
  EXPECT_EQ(extent.low, 1);
  EXPECT_EQ(extent.high, 2);
}

TEST(ForestRowTest, InfiniteEndsRunToTheEdge) {
  const std::string row = ForestRow(-kInfinity, 0.5, kInfinity, {0, 1}, "about");
  EXPECT_THAT(row, HasSubstr(R"(x1="0.00%" y1="11" x2="100.00%")"));
  EXPECT_THAT(row, HasSubstr(R"(cx="50.00%")"));
}

TEST(ForestRowTest, WhatIsNoNumberIsLeftOut) {
  const std::string row = ForestRow(std::nan(""), std::nan(""), 1, {0, 1}, "about");
  EXPECT_THAT(row, Not(HasSubstr("class=\"interval\"")));
  EXPECT_THAT(row, Not(HasSubstr("<circle")));
}

TEST(ForestRowTest, DegenerateExtentsStillShowSomething) {
  for (const Extent extent : {Extent{}, Extent{0, 0}, Extent{7, 7}, Extent{-1e-300, -1e-300}}) {
    const std::string row = ForestRow(0, 0, 0, extent, "about");
    EXPECT_THAT(row, Not(HasSubstr("nan")));
    EXPECT_THAT(row, Not(HasSubstr("inf")));
  }
}

TEST(ForestRowTest, TheDescriptionIsEscaped) {
  const std::string row = ForestRow(0, 0, 1, {0, 1}, "<about>");
  EXPECT_THAT(row, HasSubstr("<title>&lt;about&gt;</title>"));
}

}  // namespace
}  // namespace hone::report

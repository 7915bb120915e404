// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/data/split.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "hone/agent/data/rows_for_test.h"

namespace hone::agent {
namespace {

using testing::HasSubstr;

// Forty menus, asked for six goals; some options stand in two menus.
std::vector<QuestionRow> ManyRows() {
  std::vector<QuestionRow> rows;
  for (const char* goal : {"faster network", "less memory", "short boot", "calm tail latency",
                           "low power use", "small image"}) {
    for (int menu = 0; menu < 40; ++menu) {
      std::vector<std::string> keys;
      for (int i = 0; i < 4; ++i) keys.push_back(fmt::format("OPTION{}", menu * 10 + i));
      if (menu % 8 == 0) keys.push_back(fmt::format("OPTION{}", (menu + 1) * 10));
      rows.push_back(LabelledRow(goal, keys));
    }
  }
  return rows;
}

double ShareOf(const std::vector<QuestionRow>& rows, const std::string& split) {
  return static_cast<double>(std::count_if(rows.begin(), rows.end(),
                                           [&](const auto& row) { return row.split == split; })) /
         static_cast<double>(rows.size());
}

TEST(SplitTest, NoOptionStandsInTwoSplits) {
  auto rows = ManyRows();
  ASSERT_TRUE(DealOut(rows, {.by = SplitBy::kOption}));
  EXPECT_TRUE(IsLeakFree(FindLeaks(rows), SplitBy::kOption));
  EXPECT_NEAR(ShareOf(rows, "train"), 0.8, 0.06);
  EXPECT_NEAR(ShareOf(rows, "validation"), 0.1, 0.06);
  EXPECT_NEAR(ShareOf(rows, "test"), 0.1, 0.06);
}

TEST(SplitTest, NoGoalStandsInTwoSplits) {
  auto rows = ManyRows();
  ASSERT_TRUE(DealOut(rows, {.by = SplitBy::kGoal, .validation = 0.2, .test = 0.2}));
  EXPECT_TRUE(IsLeakFree(FindLeaks(rows), SplitBy::kGoal));
  EXPECT_FALSE(IsLeakFree(FindLeaks(rows), SplitBy::kOption));
}

TEST(SplitTest, ASeedDealsTheSame) {
  auto first = ManyRows();
  auto second = ManyRows();
  auto other = ManyRows();
  ASSERT_TRUE(DealOut(first, {.seed = 5}));
  ASSERT_TRUE(DealOut(second, {.seed = 5}));
  ASSERT_TRUE(DealOut(other, {.seed = 6}));
  EXPECT_EQ(first, second);
  EXPECT_NE(first, other);
}

TEST(SplitTest, NearOnesStayTogether) {
  std::vector<QuestionRow> rows;
  for (int i = 0; i < 20; ++i) {
    rows.push_back(LabelledRow("x", {fmt::format("UNLIKE{}A{}", i * 7919, i)}));
  }
  rows[3].question.items[0].prompt = rows[11].question.items[0].prompt =
      "one line of text that is the very same for both of these two";
  ASSERT_TRUE(DealOut(rows, {.validation = 0.3, .test = 0.3}));
  EXPECT_EQ(rows[3].split, rows[11].split);
}

TEST(SplitTest, WhatHangsTogetherCannotBeDealtOut) {
  std::vector<QuestionRow> rows = {LabelledRow("x", {"A", "B"}), LabelledRow("x", {"B", "C"})};
  const auto dealt = DealOut(rows, {});
  ASSERT_FALSE(dealt);
  EXPECT_THAT(dealt.error().message, HasSubstr("hang together"));
  EXPECT_FALSE(DealOut(rows, {.validation = 0.6, .test = 0.5}));
  EXPECT_FALSE(DealOut(rows, {.validation = -0.1}));
  EXPECT_TRUE(DealOut(rows, {.validation = 0, .test = 0}));
}

}  // namespace
}  // namespace hone::agent

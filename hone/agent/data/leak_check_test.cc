// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/data/leak_check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "hone/agent/data/rows_for_test.h"
#include "hone/core/rng.h"

namespace hone::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

QuestionRow In(const std::string& split, const std::string& goal,
               const std::vector<std::string>& keys) {
  QuestionRow row = LabelledRow(goal, keys);
  row.split = split;
  return row;
}

TEST(LeakCheckTest, SplitsThatShareNothingAreClean) {
  const auto report = FindLeaks(
      {In("train", "faster network", {"NET", "TLS"}), In("test", "less memory", {"USB", "HID"})});
  EXPECT_TRUE(IsLeakFree(report, SplitBy::kOption));
  EXPECT_TRUE(IsLeakFree(report, SplitBy::kGoal));
  EXPECT_THAT(report.splits, ElementsAre(Pair("test", 1), Pair("train", 1)));
  EXPECT_THAT(ToText(report, SplitBy::kGoal), HasSubstr("nothing leaks"));
}

TEST(LeakCheckTest, AQuestionInTwoSplitsLeaksInAnyOrderOfItsItems) {
  const auto report =
      FindLeaks({In("train", "Faster network!", {"NET", "TLS"}),
                 In("test", "faster   network", {"TLS", "NET"}), In("test", "x", {"USB"})});
  EXPECT_THAT(report.same_questions, SizeIs(1));
  EXPECT_EQ(report.leaked_rows, 1U);
  EXPECT_FALSE(IsLeakFree(report, SplitBy::kOption));
  EXPECT_FALSE(IsLeakFree(report, SplitBy::kGoal));
  EXPECT_THAT(ToText(report, SplitBy::kOption), HasSubstr("it leaks"));
}

TEST(LeakCheckTest, TheSameItemsForAnotherGoalLeakByOptionAlone) {
  const auto report =
      FindLeaks({In("train", "faster network", {"NET"}), In("test", "less memory", {"NET"})});
  EXPECT_THAT(report.same_items, SizeIs(1));
  EXPECT_THAT(report.shared_options, SizeIs(1));
  EXPECT_EQ(report.shared_options[0].what, "NET");
  EXPECT_FALSE(IsLeakFree(report, SplitBy::kOption));
  EXPECT_TRUE(IsLeakFree(report, SplitBy::kGoal));
}

TEST(LeakCheckTest, WhatIsNearlyTheSameIsFound) {
  QuestionRow a = In("train", "a b c d e f g h i j", {"SCHED_A1"});
  QuestionRow b = In("test", "a b c d e f g h i k", {"SCHED_A2"});
  a.question.items[0].prompt = b.question.items[0].prompt =
      "Preemptible kernel with many long words in its one line of text";
  const auto report = FindLeaks({a, b});
  EXPECT_THAT(report.near_questions, SizeIs(1));
  EXPECT_THAT(report.near_goals, SizeIs(1));
  EXPECT_THAT(report.same_items, IsEmpty());
  EXPECT_FALSE(IsLeakFree(report, SplitBy::kOption));
  EXPECT_FALSE(IsLeakFree(report, SplitBy::kGoal));
}

TEST(LeakCheckTest, DuplicatesInOneSplitAreCountedAndNoLeak) {
  const auto report = FindLeaks({In("train", "x", {"NET"}), In("train", "x", {"NET"})});
  EXPECT_EQ(report.duplicates, 1U);
  EXPECT_TRUE(IsLeakFree(report, SplitBy::kOption));
}

double PlainShare(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::set<std::string> all = a;
  all.insert(b.begin(), b.end());
  const std::size_t common = a.size() + b.size() - all.size();
  return static_cast<double>(common) / static_cast<double>(all.size());
}

// Against the plain way: every pair compared.
TEST(LeakCheckTest, NoNearPairIsMissed) {
  Rng rng(8);
  std::vector<std::string> texts;
  std::vector<std::set<std::string>> sets;
  for (int i = 0; i < 120; ++i) {
    std::set<std::string> words;
    for (int word = 0; word < 12; ++word) {
      words.insert(fmt::format("w{}", i % 10 * 12 + word + (rng.Below(10) == 0 ? 500 : 0)));
    }
    texts.push_back(fmt::format("{}", fmt::join(words, " ")));
    sets.push_back(std::move(words));
  }
  std::vector<std::pair<std::size_t, std::size_t>> expected;
  for (std::size_t a = 0; a < texts.size(); ++a) {
    for (std::size_t b = a + 1; b < texts.size(); ++b) {
      if (PlainShare(sets[a], sets[b]) >= kNearShare) expected.emplace_back(a, b);
    }
  }
  EXPECT_GT(expected.size(), 100U);
  EXPECT_EQ(NearPairs(texts), expected);
}

TEST(LeakCheckTest, GoalsInOtherScriptsAreNotOneGoal) {
  const auto report = FindLeaks({In("train", "\xe5\x86\x85\xe5\xad\x98", {"NET"}),
                                 In("test", "\xe7\xbd\x91\xe7\xbb\x9c", {"USB"})});
  EXPECT_THAT(report.shared_goals, IsEmpty());
}

TEST(LeakCheckTest, NearnessIsTheShareOfWordsInCommon) {
  EXPECT_THAT(NearPairs({"a b c d", "D C B A", "a b c x", ""}), ElementsAre(Pair(0, 1)));
  EXPECT_THAT(NearPairs({"one two three four five", "one two three four"}),
              ElementsAre(Pair(0, 1)));
}

}  // namespace
}  // namespace hone::agent

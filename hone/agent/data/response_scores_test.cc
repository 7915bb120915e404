// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/data/response_scores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/agent/data/rows_for_test.h"

namespace hone::agent {
namespace {

using testing::HasSubstr;

TEST(ResponseScoresTest, EachResponseIsScoredByItsRow) {
  QuestionRow bare = LabelledRow("x", {"USB"});
  bare.label.reset();
  const std::vector<QuestionRow> rows = {LabelledRow("x", {"NET", "TLS"}), bare};
  const auto scores = ScoreResponses(rows, {{rows[0].id, "<answer>\nNET = y\n</answer>"},
                                            {rows[0].id, "garbage"},
                                            {bare.id, "<answer>\n</answer>"},
                                            {"q0", "x"}});
  EXPECT_EQ(scores.rewarded, 2U);
  EXPECT_DOUBLE_EQ(scores.mean, 0.5);
  EXPECT_THAT(scores.scored[2].reward.error().message, HasSubstr("no label"));
  EXPECT_THAT(scores.scored[3].reward.error().message, HasSubstr("not in the set"));
  const Json json = ToJson(scores);
  EXPECT_EQ(json["responses"][0]["reward"], 1);
  EXPECT_EQ(json["responses"][1]["reward"], 0);
  EXPECT_TRUE(json["responses"][2]["reward"].is_null());
}

TEST(ResponseScoresTest, AnIdOfTwoQuestionsIsWorthNothing) {
  QuestionRow other = LabelledRow("x", {"USB"});
  const QuestionRow row = LabelledRow("x", {"NET", "TLS"});
  other.id = row.id;
  const std::vector<Response> responses = {{row.id, "<answer>\nNET = y\n</answer>"}};
  EXPECT_EQ(ScoreResponses({row, row}, responses).rewarded, 1U);
  const auto scores = ScoreResponses({row, other}, responses);
  EXPECT_EQ(scores.rewarded, 0U);
  EXPECT_THAT(scores.scored[0].reward.error().message, HasSubstr("several in the set"));
}

TEST(ResponseScoresTest, ResponsesAreReadStrictly) {
  const auto read = ParseResponses("{\"id\": \"a\", \"response\": \"b\"}\n", "r");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->front().text, "b");
  EXPECT_FALSE(ParseResponses("{\"id\": \"a\"}", "r"));
  EXPECT_TRUE(ToJson(ScoreResponses({}, {}))["mean"].is_null());
}

}  // namespace
}  // namespace hone::agent

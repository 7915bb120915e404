// SPDX-License-Identifier: Apache-2.0
#include "hone/server/service/v1_records.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace hone::server {
namespace {

TaskView JudgedView(std::vector<Evidence> evidence) {
  Evaluation evaluation;
  evaluation.evidence = std::move(evidence);
  TaskView view;
  view.state = TaskState::kSettled;
  view.settlement = std::make_shared<const Settlement>(Settlement{std::move(evaluation)});
  return view;
}

TEST(V1RecordsTest, FeedbackIsAnObjectAndNotToldTwice) {
  const Json json = TaskJson(JudgedView({{"log", "x"}, {"feedback", R"({"text": "faster"})"}}));
  EXPECT_EQ(json["evaluation"]["feedback"]["text"], "faster");
  ASSERT_EQ(json["evaluation"]["evidence"].size(), 1U);
  EXPECT_EQ(json["evaluation"]["evidence"][0]["what"], "log");
}

TEST(V1RecordsTest, FeedbackThatIsNoObjectStaysEvidence) {
  const Json json = TaskJson(JudgedView({{"feedback", "just words"}}));
  EXPECT_FALSE(json["evaluation"].contains("feedback"));
  EXPECT_EQ(json["evaluation"]["evidence"].size(), 1U);
}

}  // namespace
}  // namespace hone::server

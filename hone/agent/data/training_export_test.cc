// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/data/training_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/agent/data/rows_for_test.h"

namespace hone::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> KeysOf(const Json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

TEST(TrainingExportTest, VerlRowsHaveItsColumns) {
  QuestionRow row = LabelledRow("faster", {"NET", "TLS"});
  row.split = "train";
  const auto made = ExportQuestion(row, Trainer::kVerl, 3);
  ASSERT_TRUE(made);
  EXPECT_THAT(KeysOf(*made),
              ElementsAre("ability", "data_source", "extra_info", "prompt", "reward_model"));
  EXPECT_THAT(KeysOf((*made)["reward_model"]), ElementsAre("ground_truth", "style"));
  EXPECT_EQ((*made)["reward_model"]["style"], "rule");
  EXPECT_EQ((*made)["extra_info"]["index"], 3);
  EXPECT_EQ((*made)["extra_info"]["split"], "train");
  EXPECT_EQ((*made)["prompt"][0]["role"], "system");
  EXPECT_EQ((*made)["prompt"][1]["role"], "user");
  // The truth is a text from which the reward can be computed.
  const auto truth = ParseJson((*made)["reward_model"]["ground_truth"].get<std::string>(), "truth");
  ASSERT_TRUE(truth);
  JsonReader reader(*truth, "truth");
  EXPECT_EQ(ReadQuestion(reader.At("question")), row.question);
  EXPECT_EQ(ReadLabel(reader.At("label")), *row.label);
  EXPECT_TRUE(reader.Finish());
}

TEST(TrainingExportTest, TrlRowsHaveAPromptAndColumns) {
  const auto made = ExportQuestion(LabelledRow("faster", {"NET"}), Trainer::kTrl, 0);
  ASSERT_TRUE(made);
  EXPECT_THAT(KeysOf(*made),
              ElementsAre("goal", "id", "kind", "label", "prompt", "question", "split"));
  EXPECT_TRUE((*made)["label"].is_string());
  EXPECT_THAT(KeysOf((*made)["prompt"][0]), ElementsAre("content", "role"));
}

TEST(TrainingExportTest, WhatHasNoLabelCannotBeTrainedOn) {
  QuestionRow bare = LabelledRow("faster", {"NET"});
  bare.label.reset();
  EXPECT_FALSE(ExportQuestion(bare, Trainer::kTrl, 0));
  const auto lines = JsonLines({ToJson(bare), ToJson(LabelledRow("faster", {"TLS"}))});
  const auto exported = ExportLines(lines, "set", Trainer::kVerl);
  ASSERT_TRUE(exported) << exported.error().message;
  EXPECT_EQ(exported->rows.size(), 1U);
  EXPECT_EQ(exported->left_out, 1U);
}

TEST(TrainingExportTest, EpisodesArePromptAndCompletion) {
  const Json episode = {
      {"id", "a"},
      {"messages",
       {{{"role", "user"}, {"content", "u"}}, {{"role", "assistant"}, {"content", "s"}}}},
      {"reward", nullptr},
      {"machine", "x"}};
  const auto trl = ExportLines(Dump(episode), "episodes", Trainer::kTrl);
  ASSERT_TRUE(trl) << trl.error().message;
  EXPECT_EQ(trl->rows[0]["prompt"].size(), 1U);
  EXPECT_EQ(trl->rows[0]["completion"][0]["content"], "s");
  EXPECT_TRUE(trl->rows[0]["reward"].is_null());
  const auto verl = ExportLines(Dump(episode), "episodes", Trainer::kVerl);
  EXPECT_EQ(verl->rows[0]["messages"].size(), 2U);
}

TEST(TrainingExportTest, LinesThatAreNeitherAreErrors) {
  EXPECT_FALSE(ExportLines("{\"x\": 1}", "set", Trainer::kTrl));
  EXPECT_FALSE(ExportLines("7", "set", Trainer::kTrl));
  const auto endless =
      ExportLines(R"({"messages": [{"role": "user", "content": "u"}]})", "set", Trainer::kTrl);
  ASSERT_FALSE(endless);
  EXPECT_THAT(endless.error().message, HasSubstr("assistant"));
  EXPECT_FALSE(TrainerNamed("rllib"));
  EXPECT_EQ(NameOf(*TrainerNamed("verl")), "verl");
}

}  // namespace
}  // namespace hone::agent

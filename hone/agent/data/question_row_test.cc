// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/data/question_row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/agent/data/rows_for_test.h"
#include "hone/core/rng.h"

namespace hone::agent {
namespace {

using testing::HasSubstr;

TEST(QuestionRowTest, WhatIsWrittenIsReadBack) {
  QuestionRow row = LabelledRow("faster", {"NET", "TLS"});
  row.tree = "linux";
  row.path = {"Main", "Net \"x\""};
  row.split = "test";
  row.question.items[0].lowest = "1";
  row.label->items[0].source = {LabelOrigin::kMeasured, "toy-7", "+1 %"};
  QuestionRow bare = row;
  bare.label.reset();
  const auto read = ParseQuestionSet(JsonLines({ToJson(row), ToJson(bare)}) + "\n\n", "set");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ((*read)[0], row);
  EXPECT_EQ((*read)[1], bare);
}

TEST(QuestionRowTest, TheIdIsThatOfGoalAndItems) {
  QuestionRow row = LabelledRow("faster", {"NET", "TLS"});
  const std::string id = row.id;
  row.split = "test";
  EXPECT_EQ(IdOf(row), id);
  row.goal = "smaller";
  EXPECT_NE(IdOf(row), id);
}

TEST(QuestionRowTest, WhereGoalAndTitleMeetIsAPartOfTheId) {
  QuestionRow row = LabelledRow("faster", {"NET"});
  QuestionRow other = row;
  row.goal = "faster\nbool";
  row.question.title = "b";
  other.goal = "faster";
  other.question.title = "bool\nb";
  EXPECT_NE(IdOf(row), IdOf(other));
}

TEST(QuestionRowTest, FaultsNameTheLine) {
  const QuestionRow row = LabelledRow("faster", {"NET"});
  const auto why = [](const std::string& text) {
    const auto read = ParseQuestionSet(text, "set.jsonl");
    EXPECT_FALSE(read);
    return read ? std::string() : read.error().message;
  };
  EXPECT_THAT(why(JsonLines({ToJson(row)}) + "{"), HasSubstr("set.jsonl:2"));
  Json json = ToJson(row);
  json["surprise"] = 1;
  EXPECT_THAT(why(Dump(json)), HasSubstr("surprise"));
  json = ToJson(row);
  json["question"]["kind"] = "Bools";
  EXPECT_THAT(why(Dump(json)), HasSubstr("expected Bool"));
  json = ToJson(row);
  json["label"][0]["key"] = "USB";
  EXPECT_THAT(why(Dump(json)), HasSubstr("no such item"));
  json = ToJson(row);
  json["label"][0]["source"]["origin"] = "rumour";
  EXPECT_THAT(why(Dump(json)), HasSubstr("rumour"));
  json = ToJson(row);
  json["question"]["items"] = Json::array();
  EXPECT_THAT(why(Dump(json)), HasSubstr("1 to 1000 items"));
}

// Whatever a file holds, it is read or refused.
TEST(QuestionRowTest, MutilatedLinesAreReadOrRefused) {
  const std::string line = Dump(ToJson(LabelledRow("faster", {"NET", "TLS"})));
  Rng rng(12);
  int refused = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::string text = line;
    for (std::uint64_t i = 0; i <= rng.Below(4); ++i) {
      const std::size_t at = rng.Below(text.size());
      if (rng.Coin()) {
        text[at] = static_cast<char>(rng.Below(256));
      } else {
        text.erase(at, 1 + rng.Below(20));
      }
    }
    const auto row = ParseQuestionRow(text, "line");
    if (row && row->label) {
      EXPECT_TRUE(CheckLabel(row->question, *row->label));
    }
    if (!row) ++refused;
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace hone::agent

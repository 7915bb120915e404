// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/block_id.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace hone::tune {
namespace {

TEST(BlockIdTest, EveryPhaseIsWrittenAsItIsStoredAndReadBack) {
  const std::vector<std::pair<BlockId, std::string>> ids = {
      {{BlockPhase::kGate}, "gate"},
      {{BlockPhase::kTrial, 7, 2}, "trial/7/2"},
      {{BlockPhase::kFinals, 12}, "finals/12"},
      {{BlockPhase::kProof, 0, 3}, "proof/3"},
      {{BlockPhase::kProofReduced, 0, 1}, "proof-reduced/1"},
      {{BlockPhase::kFront, 2, 1}, "front/2/1"},
      {{BlockPhase::kAblation, 4, 0}, "ablation/4/0"},
      {{BlockPhase::kCheck, 9, 0}, "check/9/0"},
  };
  for (const auto& [id, text] : ids) {
    EXPECT_EQ(ToText(id), text);
    const auto parsed = ParseBlockId(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, id) << text;
    EXPECT_TRUE(text.starts_with(NameOf(id.phase)));
  }
}

TEST(BlockIdTest, RubbishIsAnErrorThatQuotesIt) {
  for (const char* text : {"", "/", "gate/0", "gate/", "trial", "trial/7", "trial/7/", "trial/x/0",
                           "trial/-1/0", "trial/7/0/1", "trial/7/0x", "finals/7/0", "proof",
                           "proof/99999999999999999999", "Trial/7/0", "trial/ 7/0", "what/7"}) {
    const auto parsed = ParseBlockId(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, Errc::kCorrupt);
    EXPECT_TRUE(parsed.error().message.starts_with("\"" + std::string(text) + "\": not the name"))
        << parsed.error().message;
  }
}

TEST(BlockIdTest, OnlySearchAndFinalsAreAboutATrial) {
  EXPECT_EQ((BlockId{BlockPhase::kTrial, 7, 2}.Trial()), 7);
  EXPECT_EQ((BlockId{BlockPhase::kFinals, 3}.Trial()), 3);
  EXPECT_EQ((BlockId{BlockPhase::kAblation, 3}.Trial()), std::nullopt);
  EXPECT_EQ(BlockId{}.Trial(), std::nullopt);
}

TEST(BlockIdTest, TasksKnowTheirLife) {
  const TaskId first = TaskIdOf("toy-7", {BlockPhase::kTrial, 7, 0});
  EXPECT_EQ(first, "toy-7/trial/7/0");
  EXPECT_EQ(InLife(first, 0), first);
  EXPECT_EQ(InLife(first, 2), "toy-7/trial/7/0~2");
  for (const int life : {0, 1, 12}) {
    EXPECT_EQ(LifeOf(InLife(first, life)).first, first);
    EXPECT_EQ(LifeOf(InLife(first, life)).life, life);
  }
}

}  // namespace
}  // namespace hone::tune

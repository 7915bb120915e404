// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/data/episodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/temp_dir.h"
#include "hone/eval/sqlite/sqlite_queue.h"
#include "hone/testing/fake_clock.h"
#include "hone/tune/campaign/history_for_test.h"

namespace hone::agent {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(EpisodesTest, EachTrialIsAConversationWithItsReward) {
  tune::HistoryBuilder builder;
  builder.AddTrial(0, 0.1);
  builder.AddFailedTrial(1, Outcome::kCrashed, "segmentation fault");
  builder.AddTrial(2, 0.2);
  const auto episodes = EpisodesOf(builder.history());
  ASSERT_EQ(episodes.size(), 3U);
  EXPECT_EQ(episodes[0].id, "toy-7/trial/0");
  EXPECT_THAT(episodes[0].messages[1].text, HasSubstr("No trials yet"));
  EXPECT_THAT(episodes[0].messages[1].text, HasSubstr("throughput (higher is better)"));
  EXPECT_THAT(episodes[0].messages[2].text, HasSubstr("\"threads\""));
  EXPECT_EQ(episodes[0].messages[2].role, ChatRole::kAssistant);
  ASSERT_TRUE(episodes[0].reward);
  EXPECT_NEAR(*episodes[0].reward, 0.1, 0.05);
  EXPECT_EQ(episodes[1].outcome, Outcome::kCrashed);
  EXPECT_EQ(episodes[1].reward, builder.history().campaign.start.spec.rule.failure_reward);
  EXPECT_THAT(episodes[2].messages[1].text, HasSubstr("crashed: segmentation fault"));
  EXPECT_THAT(episodes[2].messages[1].text, HasSubstr("reward +0."));
  EXPECT_EQ(episodes[2].machine, "Imaginary 9000");
}

TEST(EpisodesTest, OnlyTheLastTrialsAreShown) {
  tune::HistoryBuilder builder;
  for (std::int64_t i = 0; i < 25; ++i) builder.AddTrial(i, 0.01);
  const auto episodes = EpisodesOf(builder.history());
  EXPECT_THAT(episodes.back().messages[1].text, HasSubstr("Trials (4 earlier ones not shown)"));
  EXPECT_THAT(episodes.back().messages[1].text, Not(HasSubstr("\n3: ")));
  EXPECT_THAT(episodes.back().messages[1].text, HasSubstr("\n4: "));
}

Task KernelTask(const std::string& id) {
  Task task;
  task.id = id;
  task.domain = "compute";
  task.options = {{"problem", "relu"}};
  task.candidate.source = "void kernel() {}";
  task.order = {Arm::kCandidate};
  return task;
}

Evaluation JudgedAs(const std::string& id, Outcome outcome) {
  Evaluation evaluation;
  evaluation.task = id;
  evaluation.outcome = outcome;
  if (outcome == Outcome::kAccepted) evaluation.metrics = {{"speedup", "1", 2.0, 0.1, 5}};
  return evaluation;
}

TEST(EpisodesTest, AJudgedKernelHasDrKernelsReward) {
  const auto episode = EpisodeOf(KernelTask("a"), JudgedAs("a", Outcome::kAccepted));
  ASSERT_TRUE(episode);
  EXPECT_EQ(episode->reward, 1.5);
  EXPECT_EQ(episode->reward_rule, "pr_without_coverage");
  EXPECT_EQ(episode->messages.back().text, "void kernel() {}");
  EXPECT_THAT(episode->messages[1].text, HasSubstr("problem: relu"));
  EXPECT_EQ(EpisodeOf(KernelTask("a"), JudgedAs("a", Outcome::kCheated))->reward, 0.0);
}

TEST(EpisodesTest, ARewardThatCannotBeComputedIsNull) {
  const auto rejected = EpisodeOf(KernelTask("a"), JudgedAs("a", Outcome::kRejected));
  ASSERT_TRUE(rejected);
  EXPECT_FALSE(rejected->reward);
  const Json json = ToJson(*rejected);
  EXPECT_TRUE(json["reward"].is_null());
  EXPECT_THAT(json["no_reward"].get<std::string>(), HasSubstr("rejected"));
  Evaluation untimed = JudgedAs("a", Outcome::kAccepted);
  untimed.metrics.clear();
  EXPECT_FALSE(EpisodeOf(KernelTask("a"), untimed)->reward);
  Task no_source = KernelTask("a");
  no_source.candidate.source.clear();
  EXPECT_FALSE(EpisodeOf(no_source, untimed));
}

TEST(EpisodesTest, AStoreGivesWhatTheServiceJudged) {
  const auto folder = TempDir::Make("episodes");
  ASSERT_TRUE(folder);
  const auto path = folder->path() / "store.db";
  FakeClock clock;
  {
    auto queue = MakeSqliteQueue(path, clock);
    ASSERT_TRUE(queue) << queue.error().message;
    for (const char* id : {"svc-1", "svc-2", "other"}) {
      ASSERT_TRUE((*queue)->Push(KernelTask(id)));
      auto claim = (*queue)->Take({}, std::chrono::minutes(1), std::chrono::seconds(0));
      ASSERT_TRUE(claim && *claim);
      ASSERT_TRUE((*queue)->Settle((*claim)->lease, JudgedAs(id, Outcome::kAccepted)));
    }
  }
  auto store = EvaluationStore::Open(path);
  ASSERT_TRUE(store) << store.error().message;
  std::vector<std::string> ids;
  const auto count = ForEachEpisode(*store, "svc-", [&ids](const Episode& episode) -> Result<void> {
    ids.push_back(episode.id);
    return {};
  });
  ASSERT_TRUE(count) << count.error().message;
  EXPECT_EQ(*count, 2);
  EXPECT_THAT(ids, testing::ElementsAre("task/svc-1", "task/svc-2"));
}

}  // namespace
}  // namespace hone::agent

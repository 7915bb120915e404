// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/campaign_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/temp_dir.h"
#include "hone/eval/sqlite/sqlite_queue.h"
#include "hone/testing/fake_clock.h"
#include "hone/tune/campaign/history_for_test.h"

namespace hone::tune {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

HistoryBlock Named(const std::string& name) {
  HistoryBlock block;
  block.name = name;
  return block;
}

TEST(CampaignHistoryTest, NamesOfBlocksTellPhaseAndTrial) {
  EXPECT_EQ(PhaseOf(Named("gate")), BlockPhase::kGate);
  EXPECT_EQ(PhaseOf(Named("proof-reduced/2")), BlockPhase::kProofReduced);
  EXPECT_EQ(TrialOf(Named("trial/7/0")), 7);
  EXPECT_EQ(TrialOf(Named("finals/12")), 12);
  EXPECT_EQ(TrialOf(Named("proof/3")), std::nullopt);
  EXPECT_EQ(TrialOf(Named("trial")), std::nullopt);
  EXPECT_EQ(TrialOf(Named("trial/x/0")), std::nullopt);
  EXPECT_EQ(TrialOf(Named("trial/-1/0")), std::nullopt);
}

TEST(CampaignHistoryTest, TrialsGatherTheirPairsOverRacesAndFinals) {
  const CampaignHistory history = HistoryBuilder::Gain();
  const auto trials = TrialsOf(history);
  ASSERT_THAT(trials, SizeIs(5));
  EXPECT_THAT(trials[0].numbers.rewards, SizeIs(2));
  EXPECT_THAT(trials[3].numbers.rewards, SizeIs(10));
  EXPECT_TRUE(trials[3].is_finalist);
  EXPECT_FALSE(trials[0].is_finalist);
  EXPECT_EQ(trials[3].candidate, HistoryBuilder::CandidateWith(5));
  ASSERT_TRUE(trials[3].reward);
  EXPECT_EQ(trials[3].reward->count, 10);
}

TEST(CampaignHistoryTest, FailedTrialHasAReasonAndNoEstimate) {
  const auto trials = TrialsOf(HistoryBuilder::Gain());
  EXPECT_EQ(trials[4].outcome, Outcome::kCrashed);
  EXPECT_EQ(trials[4].reason, "signal 11");
  EXPECT_FALSE(trials[4].reward);
}

TEST(CampaignHistoryTest, TheShareOfCandidatesThatRanIsToldWithTheOutcomesOfTheOthers) {
  EXPECT_EQ(ToText(TallyOf(HistoryBuilder::Gain())), "4 of 5 candidates ran (80 %): 1 crashed");
  HistoryBuilder builder;
  EXPECT_EQ(ToText(TallyOf(builder.history())), "");
  builder.AddTrial(0, 0.1);
  EXPECT_EQ(ToText(TallyOf(builder.history())), "1 of 1 candidate ran (100 %)");
  builder.AddFailedTrial(1, Outcome::kBuildFailed, "no rule");
  builder.AddFailedTrial(2, Outcome::kBuildFailed, "no rule");
  EXPECT_EQ(ToText(TallyOf(builder.history())), "1 of 3 candidates ran (33 %): 2 build_failed");
}

TEST(CampaignHistoryTest, ACandidateThatWasOnlyAskedForIsNotInTheShare) {
  CampaignHistory history = HistoryBuilder::Gain();
  std::erase_if(history.blocks, [](const HistoryBlock& block) { return TrialOf(block) == 0; });
  EXPECT_EQ(TallyOf(history).tried, 4);
}

TEST(CampaignHistoryTest, WhatWasTriedAndIsNotRecommendedIsNamed) {
  CampaignHistory history = HistoryBuilder::Gain();
  EXPECT_THAT(TriedInVain(history), IsEmpty());  // Both are in the winner.
  history.campaign.verdict->proof->is_gain = false;
  ASSERT_THAT(TriedInVain(history), SizeIs(2));
  EXPECT_EQ(TriedInVain(history)[1].name, "threads");
  EXPECT_EQ(TriedInVain(history)[1].candidates, 5);
  history.campaign.verdict.reset();
  EXPECT_THAT(TriedInVain(history), IsEmpty());
}

TEST(CampaignHistoryTest, SuspicionsAreCountedAndOtherMarksAreNot) {
  HistoryBuilder builder;
  builder.AddTrial(0, 0.1);
  auto& samples = builder.history().blocks[0].evaluation.samples;
  samples[0].marks = {"suspicious: it opened vm.swappiness", "steal 7 %"};
  samples[1].marks = {"suspicious: it opened vm.swappiness"};
  EXPECT_THAT(SuspicionsIn(builder.history()),
              ElementsAre("it opened vm.swappiness (in 2 of 4 runs)"));
}

TEST(CampaignHistoryTest, MetricsThatTheRuleCannotUseAreWrong) {
  HistoryBuilder builder;
  builder.AddTrial(0, 0.1);
  builder.history().blocks[0].evaluation.samples[0].metrics["throughput"].value = std::nan("");
  const auto trials = TrialsOf(builder.history());
  EXPECT_EQ(trials[0].outcome, Outcome::kWrong);
  EXPECT_THAT(trials[0].reason, testing::HasSubstr("throughput"));
  EXPECT_FALSE(trials[0].reward);
}

TEST(CampaignHistoryTest, DecisionsThatDoNotReadAreNoTrials) {
  HistoryBuilder builder;
  builder.Decide("ask", {{"trial", "seven"}}, Json::object());
  builder.Decide("race", Json::array(), Json());
  builder.Decide("ask", {{"trial", 1'000'000'000}}, Json::object());
  builder.history().blocks.push_back(Named("trial/1000000000/0"));
  EXPECT_THAT(TrialsOf(builder.history()), IsEmpty());
}

class LoadHistoryTest : public testing::Test {
 protected:
  std::filesystem::path path() const { return folder_->path() / "hone.db"; }

  void Settle(TaskQueue& queue, const TaskId& id, std::int64_t position) {
    Task task;
    task.id = id;
    task.domain = "toy";
    task.candidate = HistoryBuilder::CandidateWith(position + 1);
    task.baseline = HistoryBuilder::CandidateWith(0);
    task.position = position;
    ASSERT_TRUE(queue.Push(task));
    const auto claim = queue.Take({}, 10s, 0s);
    ASSERT_TRUE(claim && *claim);
    Evaluation evaluation;
    evaluation.task = id;
    ASSERT_TRUE(queue.Settle((*claim)->lease, evaluation));
  }

  Result<TempDir> folder_ = TempDir::Make();
  FakeClock clock_;
};

TEST_F(LoadHistoryTest, BlocksComeInPlannedOrderUnderTheirNames) {
  auto queue = MakeSqliteQueue(path(), clock_);
  ASSERT_TRUE(queue) << queue.error().message;
  auto campaigns = CampaignStore::Open(path(), clock_);
  ASSERT_TRUE(campaigns) << campaigns.error().message;
  const auto id = campaigns->Create(HistoryBuilder().history().campaign.start);
  ASSERT_TRUE(id) << id.error().message;
  ASSERT_TRUE(campaigns->Append(*id, 0, {"gate", Json::object(), Json::object()}));
  Settle(**queue, *id + "/trial/0/0~1", 20);
  Settle(**queue, *id + "/gate", 0);
  Settle(**queue, *id + "1/gate", 0);  // Another campaign's.

  auto evaluations = EvaluationStore::Open(path());
  ASSERT_TRUE(evaluations) << evaluations.error().message;
  const auto history = LoadHistory(*campaigns, *evaluations, "last");
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_EQ(history->campaign.id, *id);
  EXPECT_THAT(history->decisions, SizeIs(1));
  std::vector<std::string> names;
  for (const HistoryBlock& block : history->blocks) names.push_back(block.name);
  EXPECT_THAT(names, ElementsAre("gate", "trial/0/0"));
  EXPECT_EQ(history->blocks[1].position, 20);
  EXPECT_EQ(history->blocks[1].candidate, HistoryBuilder::CandidateWith(21));
  EXPECT_EQ(history->blocks[1].baseline, HistoryBuilder::CandidateWith(0));
}

TEST_F(LoadHistoryTest, UnknownCampaignIsNotFound) {
  auto queue = MakeSqliteQueue(path(), clock_);
  ASSERT_TRUE(queue);
  auto campaigns = CampaignStore::Open(path(), clock_);
  ASSERT_TRUE(campaigns);
  auto evaluations = EvaluationStore::Open(path());
  ASSERT_TRUE(evaluations);
  const auto history = LoadHistory(*campaigns, *evaluations, "toy-99");
  ASSERT_FALSE(history);
  EXPECT_EQ(history.error().code, Errc::kNotFound);
}

}  // namespace
}  // namespace hone::tune

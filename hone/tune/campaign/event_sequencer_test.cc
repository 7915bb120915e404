// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/event_sequencer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "hone/core/rng.h"
#include "hone/tune/campaign/campaign_json.h"
#include "hone/tune/campaign/history_for_test.h"

namespace hone::tune {
namespace {

std::string NameOf(const CampaignEvent& event) {
  if (event.kind == CampaignEvent::Kind::kBlock) return event.block->name;
  if (event.kind == CampaignEvent::Kind::kVerdict) return "verdict";
  return "trial " + std::to_string(event.trial->number) +
         (event.trial->is_finalist ? " final" : "");
}

std::vector<std::string> Emit(EventSequencer& walk) {
  std::vector<std::string> told;
  walk.Emit([&](const CampaignEvent& event) { told.push_back(NameOf(event)); });
  return told;
}

std::vector<std::string> TellAll(const CampaignHistory& history) {
  EventSequencer walk(history.campaign.start.spec.rule);
  for (const HistoryBlock& block : history.blocks) walk.Add(block);
  for (const StoredDecision& decision : history.decisions) walk.Add(decision);
  if (history.campaign.verdict) walk.Finish();
  return Emit(walk);
}

TEST(EventSequencerTest, JudgementsFollowTheirBlocksAndTheVerdictComesLast) {
  EXPECT_EQ(
      TellAll(HistoryBuilder::Gain()),
      (std::vector<std::string>{"gate", "trial/0/0", "trial 0", "trial/1/0", "trial 1", "trial/2/0",
                                "trial 2", "trial/3/0", "trial 3", "trial/4/0", "trial 4",
                                "finals/3", "trial 3 final", "proof/0", "proof/1", "verdict"}));
}

// Everything that is stored comes in some order that workers and the campaign may produce: each
// decision after its block, blocks of a batch in any order.
TEST(EventSequencerTest, TheOrderIsTheSameHoweverMuchIsReadAtATime) {
  const CampaignHistory history = HistoryBuilder::Gain();
  const auto whole = TellAll(history);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed);
    EventSequencer walk(history.campaign.start.spec.rule);
    std::vector<std::string> told;
    const auto more = [&] {
      if (rng.Coin()) return;
      for (std::string& one : Emit(walk)) told.push_back(std::move(one));
    };
    std::vector<HistoryBlock> blocks = history.blocks;
    std::size_t decision = 0;
    while (!blocks.empty() || decision < history.decisions.size()) {
      // Only in the search several are under way: the neighbour may be faster.
      const bool is_search = blocks.size() > 1 && PhaseOf(blocks[1]) == BlockPhase::kTrial;
      if (is_search && rng.Coin()) {
        walk.Add(blocks[1]);
        blocks.erase(blocks.begin() + 1);
      } else if (!blocks.empty()) {
        walk.Add(blocks[0]);
        blocks.erase(blocks.begin());
      }
      more();
      // The store has a decision only when it has all blocks that come before it.
      while (decision < history.decisions.size() &&
             (blocks.empty() ||
              history.decisions[decision].at <= blocks.front().evaluation.provenance.started)) {
        walk.Add(history.decisions[decision++]);
        more();
      }
    }
    walk.Finish();
    for (std::string& one : Emit(walk)) told.push_back(std::move(one));
    ASSERT_EQ(told, whole) << "seed " << seed;
  }
}

TEST(EventSequencerTest, ABlockWhosePredecessorIsMissingWaits) {
  const CampaignHistory history = HistoryBuilder::Gain();
  EventSequencer walk(history.campaign.start.spec.rule);
  walk.Add(history.blocks[1]);
  EXPECT_TRUE(Emit(walk).empty());
  walk.Add(history.blocks[0]);
  EXPECT_EQ(Emit(walk), (std::vector<std::string>{"gate", "trial/0/0"}));
}

TEST(EventSequencerTest, WhatWasCalledOffIsNotWaitedFor) {
  HistoryBuilder builder;
  builder.AddBlock("gate", builder.history().campaign.start.baseline, 0, 2);
  builder.AddTrial(0, 0.01);
  builder.AddTrial(1, 0.02);
  CampaignHistory& history = builder.history();
  history.blocks.erase(history.blocks.begin() + 1);        // Cancelled,
  history.decisions.erase(history.decisions.begin() + 1);  // so never judged.
  history.decisions.erase(history.decisions.end() - 1);
  EXPECT_EQ(TellAll(history), (std::vector<std::string>{"gate"}));
  builder.Decide("stop", {{"why", "interrupted"}, {"trials", 2}}, {{"pairs", 2}});
  EXPECT_EQ(TellAll(history), (std::vector<std::string>{"gate", "trial/1/0"}));
}

TEST(EventSequencerTest, TrialsComeWithTheBestSoFar) {
  const CampaignHistory history = HistoryBuilder::Gain();
  EventSequencer walk(history.campaign.start.spec.rule);
  for (const HistoryBlock& block : history.blocks) walk.Add(block);
  for (const StoredDecision& decision : history.decisions) walk.Add(decision);
  std::vector<Json> bests;
  walk.Emit([&](const CampaignEvent& event) {
    if (event.kind != CampaignEvent::Kind::kTrial) return;
    bests.push_back(
        TrialJson(history.campaign.start, *event.trial, event.at, event.best).at("best"));
  });
  EXPECT_EQ(bests, (std::vector<Json>{0, 1, 2, 3, 3, 3}));  // 4 failed, the final is of 3.
}

TEST(CampaignJsonTest, RewardsAreSharesAndNothingIsNotFinite) {
  CampaignHistory history = HistoryBuilder::Gain();
  const CampaignStart& start = history.campaign.start;
  HistoryBlock& block = history.blocks[1];
  const Json before = BlockJson(start, block);
  EXPECT_EQ(before["pairs"]["rewards"].size(), 2U);
  EXPECT_EQ(before["phase"], "trial");
  EXPECT_EQ(before["trial"], 0);
  block.evaluation.samples[0].metrics["throughput"].value = std::nan("");
  const Json after = BlockJson(start, block);
  EXPECT_TRUE(after["pairs"]["rewards"][0].is_null());
  EXPECT_FALSE(Dump(after).empty());
  EXPECT_NEAR(ShareOf(start.spec.rule, std::log(1.05)), 0.05, 1e-12);
}

TEST(CampaignJsonTest, ALineHasTheVerdictInOneSentenceWithItsInterval) {
  const CampaignHistory history = HistoryBuilder::Gain();
  const Json line = LineJson(history.campaign, "done", {5, history.campaign.updated});
  EXPECT_EQ(line["verdict"]["kind"], "gain");
  EXPECT_NE(line["verdict"]["sentence"].get<std::string>().find("Gain: +"), std::string::npos);
  EXPECT_LT(line["verdict"]["gain"]["low"], line["verdict"]["gain"]["high"]);
  EXPECT_EQ(line["created"], "2023-11-14T22:13:20.000000Z");
}

TEST(CampaignJsonTest, ChangesSayFromWhatToWhat) {
  const Candidate baseline{{{"threads", std::int64_t{24}}, {"fast", false}}, ""};
  const Candidate other{{{"threads", std::int64_t{41}}, {"fast", false}}, ""};
  EXPECT_EQ(ChangesText(baseline, other), "threads 24 -> 41");
  EXPECT_EQ(ChangesText(baseline, baseline), "no change");
}

}  // namespace
}  // namespace hone::tune

// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/measured.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace hone::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

PairedTest Gain(double effect, double low, double high) {
  return {.effect = effect, .interval = {low, high}, .p_value = 0.01, .count = 24};
}

SearchedCampaign Campaign(const std::string& id, const Assignment& winner) {
  SearchedCampaign searched;
  tune::StoredCampaign& campaign = searched.campaign;
  campaign.id = id;
  campaign.start.spec.rule.objectives = {{.metric = "mops_per_s"}};
  campaign.start.baseline.assignment = {{"vm.swappiness", std::int64_t{60}},
                                        {"vm.dirty_ratio", std::int64_t{20}}};
  tune::Verdict verdict;
  verdict.kind = tune::Verdict::Kind::kGain;
  verdict.reason = "it is faster";
  tune::Proof proof;
  proof.candidate.assignment = winner;
  proof.reward = Gain(0.1, 0.05, 0.15);
  verdict.proof = proof;
  campaign.verdict = verdict;
  campaign.state = tune::CampaignState::kDone;
  campaign.updated = WallTime{std::chrono::seconds{1'700'000'000}};  // 2023-11-14
  return searched;
}

TEST(MeasuredTest, AProofOfOneChangeIsThatChangesEffect) {
  const auto effects = MeasuredEffects({Campaign(
      "memory-3", {{"vm.swappiness", std::int64_t{10}}, {"vm.dirty_ratio", std::int64_t{20}}})});
  ASSERT_THAT(effects, SizeIs(1));
  EXPECT_EQ(effects[0].name, "vm.swappiness");
  EXPECT_EQ(effects[0].from, "60");
  EXPECT_EQ(effects[0].to, "10");
  EXPECT_FALSE(effects[0].is_joint);
  EXPECT_TRUE(effects[0].IsShown());
  EXPECT_EQ(effects[0].origin, EffectOrigin::kProof);
  EXPECT_THAT(ToText(effects[0]), HasSubstr("(proof, campaign memory-3, 2023-11-14)"));
}

TEST(MeasuredTest, SeveralChangesHaveAJointEffectAndTheirOwn) {
  auto campaign = Campaign(
      "memory-4", {{"vm.swappiness", std::int64_t{10}}, {"vm.dirty_ratio", std::int64_t{40}}});
  campaign.campaign.verdict->effects = {
      {.name = "vm.swappiness", .from = "60", .to = "10", .effect = Gain(0.09, 0.04, 0.14)},
      {.name = "vm.dirty_ratio", .from = "20", .to = "40", .effect = Gain(0.01, -0.02, 0.03)}};
  const auto effects = MeasuredEffects({campaign});
  ASSERT_THAT(effects, SizeIs(3));
  EXPECT_TRUE(effects[0].is_joint);
  EXPECT_THAT(NamesOf(effects[0]), ElementsAre("vm.dirty_ratio", "vm.swappiness"));
  EXPECT_EQ(effects[1].origin, EffectOrigin::kAblation);
  EXPECT_THAT(EffectsOf(effects, "dirty_ratio"), SizeIs(2));
  EXPECT_THAT(EffectsOf(effects, "VM.SWAPPINESS"), SizeIs(2));
  EXPECT_THAT(EffectsOf(effects, "ratio"), IsEmpty());
  EXPECT_FALSE(effects[2].IsShown());
}

TEST(MeasuredTest, TheTrialsOfASearchAreToldAsSuch) {
  auto searched = Campaign("memory-5", {{"vm.swappiness", std::int64_t{10}}});
  const Candidate other{{{"vm.swappiness", std::int64_t{90}}}, ""};
  searched.trials = {{searched.campaign.verdict->proof->candidate, {0.1, 0.01, 4}},
                     {other, {-0.0202, 0.004, 4}}};
  const auto effects = MeasuredEffects({searched});
  ASSERT_THAT(effects, SizeIs(2)) << "the winner is told by its proof alone";
  EXPECT_EQ(effects[1].origin, EffectOrigin::kTrial);
  EXPECT_EQ(effects[1].to, "90");
  EXPECT_TRUE(effects[1].IsShown());
  EXPECT_EQ(ToText(effects[1]),
            "vm.swappiness: 60 -> 90: mops_per_s -2.0 % [-2.8 %, -1.2 %], n = 4 pairs (trial, "
            "campaign memory-5, 2023-11-14)");
  const Json json = ToJson(effects[1]);
  EXPECT_TRUE(json["p_value"].is_null());
  EXPECT_EQ(json["origin"], "trial");
  EXPECT_EQ(json["ended"], "2023-11-14T22:13:20Z");
  const auto group = CampaignPassages({searched});
  EXPECT_THAT(group.passages.at(0).text, HasSubstr("60 -> 90"));
  EXPECT_THAT(group.passages.at(0).facts, HasSubstr("ended: 2023-11-14"));
}

TEST(MeasuredTest, WhatIsSuspiciousOrUnfinishedHasNoEffect) {
  auto suspicious = Campaign("a-1", {{"vm.swappiness", std::int64_t{10}}});
  suspicious.campaign.verdict->kind = tune::Verdict::Kind::kSuspicious;
  auto unfinished = Campaign("a-2", {{"vm.swappiness", std::int64_t{10}}});
  unfinished.campaign.verdict.reset();
  EXPECT_THAT(MeasuredEffects({suspicious, unfinished}), IsEmpty());
  EXPECT_THAT(CampaignPassages({unfinished}).passages, IsEmpty());
}

TEST(MeasuredTest, AnIntervalWithoutBoundsIsValidJson) {
  MeasuredEffect effect;
  effect.effect.interval = {};
  const Json json = ToJson(effect);
  EXPECT_TRUE(json["low"].is_null());
  EXPECT_TRUE(json["high"].is_null());
  EXPECT_FALSE(Dump(json).empty());
}

TEST(MeasuredTest, ACampaignIsAPassageWithItsVerdict) {
  const auto group = CampaignPassages({Campaign("memory-3", {{"vm.swappiness", std::int64_t{1}}})});
  ASSERT_THAT(group.passages, SizeIs(1));
  EXPECT_EQ(group.passages[0].kind, PassageKind::kMeasured);
  EXPECT_EQ(group.passages[0].source, "campaign memory-3");
  EXPECT_THAT(group.passages[0].text, HasSubstr("it is faster"));
  EXPECT_THAT(group.passages[0].names, ElementsAre("vm.swappiness"));
  EXPECT_NE(group.digest, CampaignPassages({}).digest);
  EXPECT_EQ(CampaignPassages({}).digest, DigestOfCampaigns({}));
}

}  // namespace
}  // namespace hone::agent

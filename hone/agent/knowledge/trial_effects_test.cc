// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/trial_effects.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/json/records.h"
#include "hone/tune/campaign/history_for_test.h"

namespace hone::agent {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(TrialEffectsTest, ATrialIsWhatItsCampaignJudgedItLast) {
  tune::HistoryBuilder builder;
  builder.AddTrial(0, 0.1);
  builder.AddTrial(1, -0.1);
  const Candidate favourite = tune::HistoryBuilder::CandidateWith(2);
  builder.Decide("final", {{"trial", 0}, {"candidate", ToJson(favourite)}},
                 {{"reward", ToJson(Estimate{0.09, 0.01, 10})}, {"outcome", "accepted"}});
  const auto trials = SearchedTrials(builder.history().decisions);
  ASSERT_THAT(trials, SizeIs(2));
  EXPECT_EQ(trials[0].candidate, favourite);
  EXPECT_EQ(trials[0].reward, (Estimate{0.09, 0.01, 10}));
  EXPECT_EQ(trials[1].reward.mean, -0.1);
}

TEST(TrialEffectsTest, WhatFailedOrDoesNotReadIsNotMeasured) {
  tune::HistoryBuilder builder;
  builder.AddTrial(0, 0.1);
  builder.AddFailedTrial(0, Outcome::kCrashed, "signal 11");
  builder.Decide("race", {{"trial", "seven"}}, Json::object());
  builder.Decide("ask", {{"trial", 3}}, Json::object());
  builder.Decide("invented", {{"trial", 4}}, Json::object());
  EXPECT_THAT(SearchedTrials(builder.history().decisions), IsEmpty());
}

TEST(TrialEffectsTest, TheSurestTrialsOfFewChangesAreTold) {
  SearchedCampaign searched;
  const auto with = [](int changes, std::int64_t value) {
    Candidate candidate;
    for (int i = 0; i < changes; ++i) candidate.assignment[fmt::format("p{}", i)] = value;
    return candidate;
  };
  searched.campaign.start.baseline = with(9, 0);
  searched.trials.push_back({with(5, 1), {0.5, 0.01, 8}});
  searched.trials.push_back({with(9, 0), {0.5, 0.01, 8}});
  for (int i = 1; i <= 20; ++i) searched.trials.push_back({with(4, i), {-0.01 * i, 0.01, 8}});
  const auto told = ToldTrials(searched);
  ASSERT_THAT(told, SizeIs(kMaxToldTrials));
  EXPECT_EQ(told.front().candidate, with(4, 20));
  EXPECT_EQ(told.back().candidate, with(4, 9));
}

}  // namespace
}  // namespace hone::agent

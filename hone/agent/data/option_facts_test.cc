// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/data/option_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/tune/campaign/export.h"
#include "hone/tune/campaign/history_for_test.h"

namespace hone::agent {
namespace {

using testing::HasSubstr;

TEST(OptionFactsTest, AShownGainIsRightAndAllElseStays) {
  const OptionFact gain = FactOf({0.05, 0.03, 0.07, 24}, "y", "k-1");
  EXPECT_EQ(gain.right, RightMove::kSet);
  EXPECT_EQ(gain.accepted, (std::vector<AcceptedValue>{{"y", 1}}));
  EXPECT_EQ(gain.source.origin, LabelOrigin::kMeasured);
  EXPECT_THAT(gain.source.evidence, HasSubstr("+5.13 % [+3.05 %, +7.25 %], 24 pairs"));
  EXPECT_EQ(FactOf({0.05, -0.01, 0.11, 6}, "y", "k-1").right, RightMove::kKeep);
  EXPECT_EQ(FactOf({-0.05, -0.07, -0.03, 24}, "y", "k-1").right, RightMove::kKeep);
}

TEST(OptionFactsTest, ACampaignSaysWhatItMeasuredOfSingleOptions) {
  tune::CampaignHistory history = tune::HistoryBuilder::Gain();
  ASSERT_TRUE(history.campaign.verdict);
  history.campaign.verdict->effects = {
      {"CONFIG_BIG", "false", "true", {0.10, {0.08, 0.12}, 0.001, 20}},
      {"SMALL", "n", "m", {0.02, {0.01, 0.03}, 0.001, 20}},
      {"NOISE", "n", "y", {0.01, {-0.01, 0.03}, 0.3, 20}}};
  history.campaign.verdict->dropped = {"IDLE"};
  const OptionFacts facts = FactsFromCampaign(history);
  EXPECT_EQ(facts.options.at("BIG").right, RightMove::kSet);
  EXPECT_EQ(facts.options.at("BIG").accepted[0].value, "y");
  EXPECT_DOUBLE_EQ(facts.options.at("BIG").weight, 1);
  EXPECT_DOUBLE_EQ(facts.options.at("SMALL").weight, 0.2);
  EXPECT_EQ(facts.options.at("SMALL").accepted[0].value, "m");
  EXPECT_EQ(facts.options.at("NOISE").right, RightMove::kKeep);
  EXPECT_EQ(facts.options.at("IDLE").right, RightMove::kKeep);
  EXPECT_THAT(facts.options.at("BIG").source.reference, HasSubstr("toy-7"));
  EXPECT_FALSE(facts.are_whole);
}

TEST(OptionFactsTest, AnExportSaysWhatItsVerdictSays) {
  tune::CampaignHistory history = tune::HistoryBuilder::Gain();
  history.campaign.verdict->effects = {{"BIG", "n", "y", {0.10, {0.08, 0.12}, 0.001, 20}}};
  const auto facts = FactsFromExport(tune::ExportJson(history), "toy-7.json");
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->options.at("BIG").right, RightMove::kSet);
  EXPECT_FALSE(FactsFromExport("{}", "x"));
  EXPECT_FALSE(FactsFromExport(R"({"format": "other", "id": "x", "verdict": {}})", "x"));
  EXPECT_FALSE(FactsFromExport(R"({"format": "hone-campaign", "id": "x", "verdict": null})", "x"));
}

TEST(OptionFactsTest, ATrialThatChangesOneOptionIsAMeasurementOfIt) {
  tune::HistoryBuilder builder;
  builder.history().campaign.start.baseline.assignment = {{"threads", std::int64_t{1}},
                                                          {"fast", true}};
  builder.AddTrial(0, 0.3);
  const OptionFacts facts = FactsFromCampaign(builder.history());
  ASSERT_TRUE(facts.options.contains("threads"));
  EXPECT_EQ(facts.options.at("threads").right, RightMove::kSet);
  EXPECT_THAT(facts.options.at("threads").source.reference, HasSubstr("trial 0"));
  tune::HistoryBuilder both;  // Here a trial changes two.
  both.AddTrial(0, 0.3);
  EXPECT_TRUE(FactsFromCampaign(both.history()).options.empty());
}

TEST(OptionFactsTest, WhoComesFirstSpeaks) {
  OptionFacts first;
  first.options["A"] = FactOf({0.05, 0.03, 0.07, 24}, "y", "measured");
  OptionFacts second;
  second.options["A"] = {};
  second.options["B"] = {};
  const OptionFacts joined = Joined(first, second);
  EXPECT_EQ(joined.options.at("A").source.reference, "measured");
  EXPECT_EQ(joined.options.size(), 2U);
}

}  // namespace
}  // namespace hone::agent

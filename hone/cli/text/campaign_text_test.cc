// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/campaign_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

Space SpaceOf(int parameters) {
  std::vector<Parameter> all;
  for (int i = 0; i < parameters; ++i) {
    all.push_back({"p" + std::to_string(i), Boolean{}, false, "", "", {}, {}});
  }
  return *Space::Make(all);
}

tune::CampaignStart Start() {
  tune::CampaignStart start;
  start.spec.domain = "toy";
  start.spec.rule.objectives = {{"throughput", Direction::kHigherIsBetter, 1}};
  start.space = SpaceOf(8);
  return start;
}

std::string GateOf(const tune::CampaignStart& start) {
  tune::GateReport gate;
  gate.pairs = 10;
  gate.noise = 0.05;
  gate.detectable = 0.02;
  return GateText(start, gate, Ink());
}

TEST(CampaignTextTest, TheGateTellsWhatTheProofShowsFromWhatACampaignFinds) {
  const std::string text = GateOf(Start());
  EXPECT_THAT(text, HasSubstr("can be proven  a gain of 2.0 % or more, with 60 pairs\n"));
  EXPECT_THAT(text, HasSubstr("can be found   in 8 of 10 such campaigns an optimum of "));
  EXPECT_THAT(text, HasSubstr(" where parameters hide it best\n"));
}

TEST(CampaignTextTest, TheGateSaysNothingOfCampaignsThatWereNotSimulated) {
  tune::CampaignStart start = Start();
  start.spec.search.max_time = std::chrono::seconds(60);
  EXPECT_THAT(GateOf(start), Not(HasSubstr("can be found")));
  start = Start();
  start.prices["p0"] = 10;
  EXPECT_THAT(GateOf(start), Not(HasSubstr("can be found")));
  start = Start();
  start.spec.proof.min_gain = 0.1;
  EXPECT_THAT(GateOf(start), Not(HasSubstr("can be found")));
}

TEST(CampaignTextTest, OneIsNoPlural) {
  tune::CampaignSpec spec = Start().spec;
  spec.search.max_trials = 1;
  const std::string plan = PlanText(spec, SpaceOf(1), {}, 1);
  EXPECT_THAT(plan, HasSubstr("Tuning toy: 1 parameter\n"));
  EXPECT_THAT(plan, HasSubstr("at most 1 candidate of 2 to 8 pairs"));
  EXPECT_THAT(plan, HasSubstr("at most 1 min 00 s each, 1 worker\n"));

  CampaignSummary summary;
  summary.spec = spec;
  summary.trials = 1;
  summary.runs = 1;
  EXPECT_THAT(VerdictText(summary, Ink()), HasSubstr("Unfinished: 1 candidate so far"));
  EXPECT_THAT(VerdictText(summary, Ink()), HasSubstr("1 run of 1 candidate, "));

  tune::GateReport gate;
  gate.outliers = 1;
  EXPECT_THAT(GateText(Start(), gate, Ink()), HasSubstr("1 outlier, 0 while the machine was busy"));
}

}  // namespace
}  // namespace hone::cli

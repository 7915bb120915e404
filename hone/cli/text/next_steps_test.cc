// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/next_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

const Invocation kInvocation{.program = "./hone", .store = "x.db"};

// A proof of this one change.
tune::Proof ProofOf(const std::string& name, bool is_gain = true) {
  tune::Proof proof;
  proof.candidate.assignment = {{name, std::int64_t{10}}};
  proof.is_gain = is_gain;
  return proof;
}

CampaignSummary Gain(const std::string& name, const std::string& domain = "sysctl") {
  CampaignSummary summary;
  summary.id = "memory-3";
  summary.spec.domain = domain;
  summary.baseline.assignment = {{name, std::int64_t{60}}};
  summary.in_force = summary.baseline;
  tune::Verdict verdict;
  verdict.kind = tune::Verdict::Kind::kGain;
  verdict.proof = ProofOf(name);
  summary.verdict = verdict;
  return summary;
}

TEST(NextStepsTest, AGainOfParametersIsExportedAndTried) {
  EXPECT_EQ(NextSteps(Gain("vm.swappiness"), kInvocation, false),
            "Next:\n"
            "  ./hone export memory-3 --as sysctl.d -o memory-3.conf --store x.db\n"
            "  ./hone sysctl apply memory-3.conf --confirm-within 60s --store x.db\n"
            "  ./hone show memory-3 --store x.db\n"
            "  ./hone report memory-3 -o memory-3.html --store x.db\n"
            "  ./hone replay memory-3 --store x.db\n");
}

TEST(NextStepsTest, TheFormIsOneThatHoldsEveryChange) {
  const auto of = [](const std::string& name) { return NextSteps(Gain(name), {}, false); };
  EXPECT_THAT(of("/sys/kernel/mm/ksm/run"), HasSubstr("--as tuned -o memory-3.conf"));
  EXPECT_THAT(of("nginx:worker_processes"), HasSubstr("--as json -o memory-3.json"));
}

TEST(NextStepsTest, AnInstalledFrontIsItsFirstPointThatIsProven) {
  CampaignSummary summary = Gain("vm.swappiness");
  summary.verdict->kind = tune::Verdict::Kind::kFront;
  summary.verdict->proof.reset();
  summary.verdict->front = {ProofOf("vm.swappiness", false), ProofOf("vm.swappiness")};
  EXPECT_THAT(NextSteps(summary, {}, false),
              HasSubstr("  hone export memory-3 --as sysctl.d --pick 2 -o memory-3.conf\n"));
}

TEST(NextStepsTest, AGainOfKernelOptionsIsAFragment) {
  EXPECT_THAT(
      NextSteps(Gain("HZ", "kconfig"), {}, false),
      HasSubstr("  hone export memory-3 --as fragment -o memory-3.fragment.config\n  hone show"));
}

TEST(NextStepsTest, ASuspiciousGainIsNotPutInForceWithoutAWord) {
  CampaignSummary summary = Gain("vm.swappiness");
  summary.verdict->kind = tune::Verdict::Kind::kSuspicious;
  const std::string text = NextSteps(summary, {}, false);
  EXPECT_THAT(text, HasSubstr("export memory-3"));
  EXPECT_THAT(text, Not(HasSubstr("sysctl apply")));
  EXPECT_THAT(text, HasSubstr("Nothing here puts it in force: the gain is suspicious"));
}

TEST(NextStepsTest, WithoutAGainNothingIsInstalled) {
  CampaignSummary summary = Gain("vm.swappiness");
  summary.verdict->kind = tune::Verdict::Kind::kNoGain;
  EXPECT_THAT(NextSteps(summary, {}, false), Not(HasSubstr("export")));
  EXPECT_THAT(NextSteps(Gain("threads", "toy"), {}, false), Not(HasSubstr("export")));
}

TEST(NextStepsTest, WhereWhatIsInForceIsTheBetterSideNothingIsInstalled) {
  CampaignSummary summary = Gain("vm.swappiness");
  summary.spec.comparison = tune::ComparisonSettings{"a.conf", "now", {}};
  summary.in_force = summary.verdict->proof->candidate;
  const std::string text = NextSteps(summary, {}, false);
  EXPECT_THAT(text, Not(HasSubstr("export")));
  EXPECT_THAT(text, Not(HasSubstr("sysctl apply")));
  EXPECT_THAT(text, HasSubstr("hone show memory-3"));
}

TEST(NextStepsTest, WhereNotEnoughWasTriedAnotherCampaignCanBeginWithWhatWasMeasured) {
  CampaignSummary summary = Gain("vm.swappiness");
  summary.verdict->kind = tune::Verdict::Kind::kNotEnough;
  EXPECT_THAT(NextSteps(summary, kInvocation, false), Not(HasSubstr("--warm-start")))
      << "nothing was measured";
  summary.trials = 3;
  EXPECT_THAT(NextSteps(summary, kInvocation, false),
              HasSubstr("./hone tune … --warm-start memory-3 --store x.db\n"));
  summary.spec.comparison = tune::ComparisonSettings{"now", "b.conf", {}};
  EXPECT_THAT(NextSteps(summary, kInvocation, false), Not(HasSubstr("--warm-start")));
}

TEST(NextStepsTest, WhatALearnerKnowsIsUsedAgainByAFlag) {
  EXPECT_THAT(NextSteps(Gain("threads", "toy"), {}, true),
              HasSubstr("--engine ppo --warm-start memory-3\n"));
}

}  // namespace
}  // namespace hone::cli

// SPDX-License-Identifier: Apache-2.0
#include "hone/app/plan/tune_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"

namespace hone::app {
namespace {

using testing::HasSubstr;

class TuneTargetTest : public testing::Test {
 protected:
  Result<TuneTarget> Read(const std::string& target) { return ReadTarget(target, builtins_); }

  Result<TuneTarget> ReadText(const std::string& text) {
    const auto file = folder_->path() / "spec.json";
    EXPECT_TRUE(WriteFileDurably(file, text));
    return Read(file);
  }

  const Builtins builtins_ = MakeBuiltins();
  const Result<TempDir> folder_ = TempDir::Make();
};

constexpr char kWorkload[] =
    R"({"name": "w", "description": "d", "benchmark": {"command": ["true"]},
        "metrics": [{"name": "score", "unit": "1", "direction": "higher_is_better"}],
        "constraints": ["score <= 9"], "parameters": ["vm.swappiness"],
        "budget": {"trials": 7, "run_limit": "9s"}})";

TEST_F(TuneTargetTest, ADomainIsItself) {
  const auto target = Read("toy");
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(target->document.at("domain"), "toy");
  EXPECT_FALSE(target->workload);
}

TEST_F(TuneTargetTest, AFileWithABenchmarkIsAWorkloadAndOneWithADomainACampaign) {
  const auto workload = ReadText(kWorkload);
  ASSERT_TRUE(workload) << workload.error().message;
  ASSERT_TRUE(workload->workload);
  EXPECT_EQ(workload->document.at("domain"), "sysctl");
  const auto campaign = ReadText(R"({"domain": "toy"})");
  ASSERT_TRUE(campaign) << campaign.error().message;
  EXPECT_FALSE(campaign->workload);
}

TEST_F(TuneTargetTest, TheWorkloadDecidesLimitsAndBudget) {
  tune::CampaignSpec spec;
  ApplyWorkload(*ReadText(kWorkload)->workload, spec);
  EXPECT_EQ(spec.search.max_trials, 7);
  EXPECT_EQ(spec.run_timeout, std::chrono::seconds(9));
  ASSERT_EQ(spec.rule.limits.size(), 1U);
  EXPECT_EQ(ToText(spec.rule.limits[0]), "score <= 9");
}

TEST_F(TuneTargetTest, TheOptionsHoldTheWholeWorkload) {
  const auto workload = *ReadText(kWorkload)->workload;
  const Options options = OptionsFor(workload);
  const auto again = sysctl::ReadWorkloadSpec(Json::parse(options.at("workload")), "again");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(sysctl::ToJson(*again), sysctl::ToJson(workload));
}

TEST_F(TuneTargetTest, AnUnknownWordListsPresetsAndDomains) {
  const auto target = Read("memry");
  ASSERT_FALSE(target);
  EXPECT_THAT(target.error().message, HasSubstr("target memry: no such target"));
  EXPECT_THAT(target.error().message, HasSubstr("toy"));
}

TEST_F(TuneTargetTest, ASentenceIsAimedAtWhatItAsksFor) {
  const auto tail = Read("tail latency of redis");
  ASSERT_TRUE(tail) << tail.error().message;
  ASSERT_EQ(tail->workload->objectives.size(), 1U);
  EXPECT_EQ(tail->workload->objectives[0].metric, "p99_ms");
  EXPECT_EQ(tail->workload->objectives[0].direction, Direction::kLowerIsBetter);
  EXPECT_EQ(tail->aim, "Aim: p99_ms (latency)\n");
  EXPECT_EQ(Read("throughput of redis")->workload->objectives[0].metric, "requests_per_s");
}

TEST_F(TuneTargetTest, WhatASentenceAsksInVainIsSaid) {
  const auto target = Read("redis without swap and with fewer frobnications");
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_THAT(target->choice, HasSubstr("Not understood, so not followed: fewer, frobnications"));
  EXPECT_THAT(target->choice, HasSubstr("without swap"));
}

TEST_F(TuneTargetTest, ASentenceThatSaysNothingIsRefused) {
  const auto target = Read("sing me a song");
  ASSERT_FALSE(target);
  EXPECT_THAT(target.error().message, HasSubstr("sing me a song"));
}

}  // namespace
}  // namespace hone::app

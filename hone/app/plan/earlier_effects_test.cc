// SPDX-License-Identifier: Apache-2.0
#include "hone/app/plan/earlier_effects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/agent/proposer/tuning_brief.h"
#include "hone/base/temp_dir.h"
#include "hone/testing/fake_clock.h"
#include "hone/tune/campaign/history_for_test.h"

namespace hone::app {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class EarlierEffectsTest : public testing::Test {
 protected:
  // A search of some trials, the later the better, that ended in no gain.
  void Store(const tune::CampaignStart& start, int trials) {
    tune::HistoryBuilder builder;
    for (int i = 0; i < trials; ++i) builder.AddTrial(i, 0.01 * (i + 1));
    const auto id = store_->Create(start);
    ASSERT_TRUE(id) << id.error().message;
    std::size_t index = 0;
    for (const auto& stored : builder.history().decisions) {
      ASSERT_TRUE(store_->Append(*id, index++, stored.decision));
    }
    tune::Verdict verdict;
    verdict.reason = "nothing was shown";
    ASSERT_TRUE(store_->Finish(*id, verdict));
  }

  static tune::CampaignStart Start(const std::string& workload) {
    tune::HistoryBuilder builder;
    tune::CampaignStart start = builder.history().campaign.start;
    start.name = workload;
    return start;
  }

  static tune::CampaignStart Asking(const std::string& workload) {
    tune::CampaignStart start = Start(workload);
    start.spec.search.proposer = "llm";
    start.spec.search.options["brief"] = agent::BriefText({.goal = "more"});
    return start;
  }

  agent::TuningBrief BriefOf(tune::CampaignStart start) {
    const auto kept = KeepEarlier(*store_, start);
    EXPECT_TRUE(kept) << kept.error().message;
    auto brief = agent::ReadTuningBrief(start.spec.search.options.at("brief"));
    EXPECT_TRUE(brief) << brief.error().message;
    return *brief;
  }

  TempDir folder_ = std::move(*TempDir::Make());
  FakeClock clock_;
  Result<tune::CampaignStore> store_ =
      tune::CampaignStore::Open(folder_.path() / "hone.db", clock_);
};

TEST_F(EarlierEffectsTest, WithoutEarlierCampaignsTheBriefStaysAsItIs) {
  const tune::CampaignStart start = Asking("redis");
  EXPECT_EQ(agent::BriefText(BriefOf(start)), start.spec.search.options.at("brief"));
}

TEST_F(EarlierEffectsTest, WhatWasMeasuredOfTheWorkloadComesFirst) {
  Store(Start("redis"), 1);
  clock_.Advance(std::chrono::hours(1));
  Store(Start("nginx"), 1);
  const agent::TuningBrief brief = BriefOf(Asking("redis"));
  ASSERT_THAT(brief.earlier, SizeIs(2));
  EXPECT_THAT(brief.earlier[0], HasSubstr("workload redis: fast + threads: false + 1 -> true + 2"));
  EXPECT_THAT(brief.earlier[0], HasSubstr("(together, trial, campaign redis-1, 2023-11-14)"));
  EXPECT_THAT(brief.earlier[1], HasSubstr("workload nginx"));
  EXPECT_EQ(brief.earlier_cut, 0);
  EXPECT_EQ(brief.goal, "more");
}

TEST_F(EarlierEffectsTest, AnotherDomainMachineOrParameterIsNotTold) {
  tune::CampaignStart domain = Start("redis");
  domain.spec.domain = "other";
  Store(domain, 1);
  tune::CampaignStart machine = Start("redis");
  machine.machine["cpu"] = "Another 1";
  Store(machine, 1);
  Store(Start("redis"), 1);
  EXPECT_THAT(BriefOf(Asking("redis")).earlier, SizeIs(1));
  tune::CampaignStart other = Asking("redis");
  other.space = *Space::Make({{"depth", IntegerRange{1, 9}, std::int64_t{1}, "", "", {}, {}}});
  EXPECT_THAT(BriefOf(other).earlier, IsEmpty());
}

TEST_F(EarlierEffectsTest, WhatAnotherSubmitterMeasuredIsNotTold) {
  tune::CampaignStart ada = Start("redis");
  ada.submitter = "ada";
  Store(ada, 1);
  Store(Start("redis"), 1);
  tune::CampaignStart asking = Asking("redis");
  asking.submitter = "bob";
  EXPECT_THAT(BriefOf(asking).earlier, SizeIs(1));
  asking.submitter = "ada";
  EXPECT_THAT(BriefOf(asking).earlier, SizeIs(2));
  EXPECT_THAT(BriefOf(Asking("redis")).earlier, SizeIs(2)) << "who has the store has all of it";
}

TEST_F(EarlierEffectsTest, WhatIsTooMuchIsCutAndCounted) {
  for (int i = 0; i < 5; ++i) Store(Start("redis"), 20);
  const agent::TuningBrief brief = BriefOf(Asking("redis"));
  EXPECT_THAT(brief.earlier, SizeIs(40));
  EXPECT_EQ(brief.earlier_cut, 20) << "twelve trials are told of each of the five";
}

TEST_F(EarlierEffectsTest, ACampaignThatAsksNobodyStaysAsItIs) {
  Store(Start("redis"), 1);
  tune::CampaignStart start = Start("redis");
  ASSERT_TRUE(KeepEarlier(*store_, start));
  EXPECT_THAT(start.spec.search.options, IsEmpty());
}

}  // namespace
}  // namespace hone::app

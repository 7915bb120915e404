// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/domains/sysctl/apply/pending_confirmation.h"
#include "hone/domains/sysctl/apply/transaction_for_test.h"

namespace hone::sysctl {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class TransactionRestoreTest : public TransactionOnFakeKernel {};

TEST_F(TransactionRestoreTest, SaysWhatItPutBack) {
  const auto transaction = Take();
  ASSERT_TRUE(transaction->Apply({{kA, "11"}, {kControl, "cubic"}}));
  const auto report = transaction->Restore();
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->IsClean());
  EXPECT_THAT(report->restored,
              UnorderedElementsAre(Change{kA, "11", "10"}, Change{kControl, "cubic", "bbr"},
                                   Change{kAllowed, "reno bbr cubic", "reno bbr"}));
  EXPECT_EQ(All(), start_);
}

TEST_F(TransactionRestoreTest, MayBeCalledAgainAndApplyAfterIt) {
  const auto transaction = Take();
  ASSERT_TRUE(transaction->Apply({{kA, "11"}}));
  ASSERT_TRUE(transaction->Restore());
  EXPECT_THAT(transaction->Restore()->restored, IsEmpty());
  ASSERT_TRUE(transaction->Apply({{kA, "11"}}));
  EXPECT_EQ(Text(kA), "11");
}

TEST_F(TransactionRestoreTest, SomebodyElsesValueIsKeptAndNamedEvenTheSecondTime) {
  {
    const auto transaction = Take();
    ASSERT_TRUE(transaction->Apply({{kA, "11"}, {kB, "21"}}));
    kernel_.Set(kA, "99");
    for (int i = 0; i < 2; ++i) {
      const auto report = transaction->Restore();
      ASSERT_TRUE(report);
      EXPECT_THAT(report->kept, ElementsAre(Change{kA, "11", "99"}));
      EXPECT_FALSE(report->IsClean());
    }
  }
  EXPECT_EQ(Text(kA), "99");
  EXPECT_EQ(Text(kB), "20");
}

TEST_F(TransactionRestoreTest, WhatSomebodyElseWroteToATwinIsNotSwitchedOff) {
  {
    const auto transaction = Take();
    ASSERT_TRUE(transaction->Apply({{kBytes, "4096"}}));
    ASSERT_TRUE(kernel_.Write(kRatio, "33"));
    const auto report = transaction->Restore();
    ASSERT_TRUE(report);
    EXPECT_THAT(report->kept, Contains(Change{kRatio, "0", "33"}));
  }
  EXPECT_EQ(Text(kRatio), "33");
  EXPECT_EQ(Text(kBytes), "0");
}

TEST_F(TransactionRestoreTest, WhatTheKernelRefusesIsNamedAndTheJournalStays) {
  {
    const auto transaction = Take();
    ASSERT_TRUE(transaction->Apply({{kA, "11"}}));
    kernel_.Refuse(kA, "10");
    const auto report = transaction->Restore();
    ASSERT_TRUE(report);
    ASSERT_EQ(report->failed.size(), 1U);
    EXPECT_EQ(report->failed[0].before, "10");
    EXPECT_THAT(report->failed[0].after, HasSubstr("11"));
    EXPECT_THAT(report->failed[0].after, HasSubstr("EINVAL"));
  }
  const auto again = RestoreAfterCrash(kernel_, Settings().folder);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Errc::kUnavailable);
  EXPECT_THAT(again.error().message, HasSubstr("vm.a"));
}

TEST_F(TransactionRestoreTest, WhatCannotBeUndoneIsNamedAndDoesNotBlockTheNextHold) {
  TransactionSettings settings = Settings();
  settings.couplings.effects = {{kControl, kAllowed, false}};
  {
    const auto transaction = Take(settings);
    ASSERT_TRUE(transaction->Apply({{kControl, "cubic"}}));
    const auto report = transaction->Restore();
    ASSERT_TRUE(report);
    ASSERT_EQ(report->failed.size(), 1U);
    EXPECT_EQ(report->failed[0].path, kAllowed);
  }
  EXPECT_EQ(Text(kControl), "bbr");
  EXPECT_TRUE(Take());
}

TEST_F(TransactionRestoreTest, AParameterThatIsGoneIsNamed) {
  const auto transaction = Take();
  ASSERT_TRUE(transaction->Apply({{kA, "11"}, {kB, "21"}}));
  kernel_.Remove(kA);
  const auto report = transaction->Restore();
  ASSERT_TRUE(report);
  EXPECT_THAT(report->kept, ElementsAre(Change{kA, "11", "(gone)"}));
  EXPECT_EQ(Text(kB), "20");
}

TEST_F(TransactionRestoreTest, WhatChangedMeanwhileAndWasNeverOursIsNoticedAndLeft) {
  kernel_.Add("/proc/sys/net/ipv4/ip_forward", "0");
  const auto transaction = Take();
  ASSERT_TRUE(transaction->Apply({{kA, "11"}}));
  kernel_.Set("/proc/sys/net/ipv4/ip_forward", "1");
  const auto report = transaction->Restore();
  ASSERT_TRUE(report);
  EXPECT_THAT(report->noticed, ElementsAre(Change{"/proc/sys/net/ipv4/ip_forward", "0", "1"}));
  EXPECT_TRUE(report->IsClean());
  EXPECT_EQ(Text("/proc/sys/net/ipv4/ip_forward"), "1");
}

TEST_F(TransactionRestoreTest, WhatWasCommittedCanBeUndoneStepByStep) {
  for (const char* text : {"11", "12"}) {
    const auto transaction = Take();
    ASSERT_TRUE(transaction->Apply({{kA, text}}));
    ASSERT_TRUE(transaction->Commit());
  }
  const auto folder = Settings().folder;
  EXPECT_EQ(Text(kA), "12");
  ASSERT_TRUE(RestorePrevious(kernel_, folder)->has_value());
  EXPECT_EQ(Text(kA), "11");
  ASSERT_TRUE(RestorePrevious(kernel_, folder)->has_value());
  EXPECT_EQ(Text(kA), "10");
  EXPECT_FALSE(RestorePrevious(kernel_, folder)->has_value());
}

}  // namespace
}  // namespace hone::sysctl

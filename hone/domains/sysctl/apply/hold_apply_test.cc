// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/domains/sysctl/apply/hold_for_test.h"

namespace hone::sysctl {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class HoldApplyTest : public HoldOnFakeKernel, public testing::WithParamInterface<bool> {
 protected:
  HoldSettings Settings() const {
    HoldSettings settings = HoldOnFakeKernel::Settings();
    settings.has_journal = GetParam();
    return settings;
  }
  std::unique_ptr<Hold> Take() { return HoldOnFakeKernel::Take(Settings()); }
};

INSTANTIATE_TEST_SUITE_P(WithAndWithoutJournal, HoldApplyTest, testing::Bool(),
                         [](const auto& suite) { return suite.param ? "Journal" : "NoJournal"; });

TEST_P(HoldApplyTest, WhatIsAskedForIsInForceAndWhatIsNotIsAsBefore) {
  const auto hold = Take();
  ASSERT_TRUE(hold->Apply({{kA, "11"}, {kB, "21"}}));
  ASSERT_TRUE(hold->Apply({{kB, "22"}}));
  EXPECT_EQ(Text(kA), "10");
  EXPECT_EQ(Text(kB), "22");
}

TEST_P(HoldApplyTest, WhatTheKernelMadeOfItIsReportedAndNotAskedForAgain) {
  kernel_.Set(kA, "8");
  kernel_.Round(kA, 8);
  const auto hold = Take();
  const auto report = hold->Apply({{kA, "11"}});
  ASSERT_TRUE(report);
  ASSERT_EQ(report->written.size(), 1U);
  EXPECT_EQ(report->written[0].asked, (Setting{kA, "11"}));
  EXPECT_EQ(report->written[0].in_force, "16");
  kernel_.ForgetWrites();
  EXPECT_THAT(hold->Apply({{kA, "11"}})->written, IsEmpty());
  EXPECT_THAT(kernel_.writes(), IsEmpty());
}

TEST_P(HoldApplyTest, OneRefusedValueLeavesTheOriginals) {
  kernel_.Refuse(kB, "66");
  const auto hold = Take();
  ASSERT_TRUE(hold->Apply({{kA, "11"}}));
  const auto report = hold->Apply({{kA, "12"}, {kB, "66"}});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::kInvalidArgument);
  EXPECT_THAT(report.error().message, HasSubstr("vm.b = \"66\""));
  EXPECT_EQ(All(), start_);
}

TEST_P(HoldApplyTest, WhatMayNotBeWrittenLeavesTheOriginals) {
  kernel_.Forbid(kB);
  const auto hold = Take();
  const auto report = hold->Apply({{kA, "12"}, {kB, "21"}});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::kUnsupported);
  EXPECT_EQ(All(), start_);
}

TEST_P(HoldApplyTest, APairThatMustStayOrderedMovesUpAndDown) {
  kernel_.KeepBelow(kA, kB);
  const auto hold = Take();
  ASSERT_TRUE(hold->Apply({{kA, "50"}, {kB, "60"}}));
  EXPECT_EQ(Text(kA), "50");
  ASSERT_TRUE(hold->Apply({{kB, "3"}, {kA, "2"}}));
  EXPECT_EQ(Text(kB), "3");
  ASSERT_TRUE(hold->Restore());
  EXPECT_EQ(All(), start_);
}

TEST_P(HoldApplyTest, AnOrderThatCannotBeIsRolledBack) {
  kernel_.KeepBelow(kA, kB);
  const auto hold = Take();
  ASSERT_TRUE(hold->Apply({{kA, "50"}, {kB, "60"}}));
  EXPECT_FALSE(hold->Apply({{kA, "5"}, {kB, "4"}}));
  EXPECT_EQ(All(), start_);
}

TEST_P(HoldApplyTest, ATwinIsRestoredThroughTheOneThatWasInForce) {
  const auto hold = Take();
  const auto report = hold->Apply({{kBytes, "4096"}});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(Text(kRatio), "0");
  EXPECT_THAT(report->side_effects, Contains(Change{kRatio, "20", "0"}));
  ASSERT_TRUE(hold->Apply({}));
  EXPECT_EQ(Text(kRatio), "20");
  EXPECT_EQ(Text(kBytes), "0");
}

TEST_P(HoldApplyTest, TheTwinThatWasInForceMayBeTheOther) {
  kernel_.Set(kRatio, "0");
  kernel_.Set(kBytes, "8192");
  start_ = All();
  HoldSettings settings = Settings();
  settings.paths = {kRatio};
  const auto hold = HoldOnFakeKernel::Take(settings);
  ASSERT_TRUE(hold->Apply({{kRatio, "5"}}));
  EXPECT_EQ(Text(kBytes), "0");
  ASSERT_TRUE(hold->Restore());
  EXPECT_EQ(All(), start_);
}

TEST_P(HoldApplyTest, ADeclaredSideEffectIsReportedAndUndone) {
  const auto hold = Take();
  const auto report = hold->Apply({{kControl, "cubic"}});
  ASSERT_TRUE(report);
  EXPECT_THAT(report->side_effects, ElementsAre(Change{kAllowed, "reno bbr", "reno bbr cubic"}));
  ASSERT_TRUE(hold->Apply({{kControl, "vegas"}}));
  EXPECT_EQ(Text(kAllowed), "reno bbr vegas") << "the first one's effect had to go";
  ASSERT_TRUE(hold->Apply({}));
  EXPECT_EQ(All(), start_);
}

TEST_P(HoldApplyTest, ASideEffectThatNobodyDeclaredIsFoundAndUndone) {
  HoldSettings settings = Settings();
  settings.couplings.effects.clear();
  const auto hold = HoldOnFakeKernel::Take(settings);
  const auto report = hold->Apply({{kControl, "cubic"}});
  ASSERT_TRUE(report);
  EXPECT_THAT(report->side_effects, ElementsAre(Change{kAllowed, "reno bbr", "reno bbr cubic"}));
  ASSERT_TRUE(hold->Apply({}));
  EXPECT_EQ(All(), start_);
}

TEST_P(HoldApplyTest, ParametersThatVanishComeBackWithTheirOwnValues) {
  const auto hold = Take();
  const auto report = hold->Apply({{kScheduler, "none"}});
  ASSERT_TRUE(report);
  EXPECT_EQ(Text(kBatch), "(none)");
  EXPECT_THAT(report->side_effects, Contains(Change{kBatch, "32", ""}));
  ASSERT_TRUE(hold->CheckUndisturbed());
  ASSERT_TRUE(hold->Apply({}));
  EXPECT_EQ(All(), start_) << "the scheduler came back with 16 instead of 32";
}

TEST_P(HoldApplyTest, SomebodyElsesChangeStopsTheNextApplyAndStays) {
  const auto hold = Take();
  ASSERT_TRUE(hold->Apply({{kA, "11"}}));
  EXPECT_TRUE(hold->CheckUndisturbed());
  kernel_.Set(kA, "99");
  EXPECT_EQ(hold->CheckUndisturbed().error().code, Errc::kStale);
  kernel_.ForgetWrites();
  const auto report = hold->Apply({{kA, "12"}, {kB, "21"}});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::kStale);
  EXPECT_THAT(report.error().message, HasSubstr("vm.a"));
  EXPECT_THAT(report.error().message, HasSubstr("\"99\""));
  EXPECT_THAT(kernel_.writes(), IsEmpty());
  EXPECT_EQ(Text(kA), "99");
}

TEST_F(HoldOnFakeKernel, WhatANamespaceOnlyShowsOfTheHostMayMove) {
  HoldSettings settings = Settings();
  settings.has_journal = false;
  const auto hold = Take(std::move(settings));
  ASSERT_TRUE(hold->Apply({{kA, "11"}}));
  kernel_.Set(kAllowed, "reno bbr vegas");
  EXPECT_TRUE(hold->CheckUndisturbed());
  EXPECT_TRUE(hold->Apply({{kA, "12"}}));
  const auto on_the_host = Take();
  kernel_.Set(kAllowed, "reno");
  EXPECT_FALSE(on_the_host->CheckUndisturbed());
}

TEST_P(HoldApplyTest, SomebodyElsesChangeOfWhatIsHeldButNotYetWrittenCountsToo) {
  const auto hold = Take();
  kernel_.Set(kB, "99");
  EXPECT_EQ(hold->Apply({{kA, "12"}}).error().code, Errc::kStale);
  EXPECT_EQ(Text(kA), "10");
}

TEST_P(HoldApplyTest, AParameterOutsideTheHoldIsRefused) {
  const auto hold = Take();
  const auto report = hold->Apply({{"/proc/sys/vm/other", "1"}});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::kInvalidArgument);
  EXPECT_EQ(hold->Apply({{kAllowed, "reno"}}).error().code, Errc::kInvalidArgument);
}

TEST_P(HoldApplyTest, AnAbsentParameterCannotBeHeld) {
  HoldSettings settings = Settings();
  settings.paths.emplace_back("/proc/sys/vm/nonesuch");
  EXPECT_EQ(Hold::Take(kernel_, settings).error().code, Errc::kNotFound);
  EXPECT_EQ(All(), start_);
}

TEST_P(HoldApplyTest, AReadOnlyParameterCannotBeHeld) {
  kernel_.MakeReadOnly(kB);
  EXPECT_EQ(Hold::Take(kernel_, Settings()).error().code, Errc::kUnsupported);
}

TEST_P(HoldApplyTest, TheOriginalsAreToldInTheOrderOfThePaths) {
  const auto hold = Take();
  ASSERT_TRUE(hold->Apply({{kA, "11"}}));
  EXPECT_THAT(hold->originals(),
              ElementsAre(Setting{kA, "10"}, Setting{kB, "20"}, Setting{kBytes, "0"},
                          Setting{kControl, "bbr"}, Setting{kScheduler, "mq-deadline"}));
}

TEST_P(HoldApplyTest, TheDestructorRestores) {
  ASSERT_TRUE(Take()->Apply({{kA, "11"}, {kBytes, "8192"}, {kControl, "cubic"}}));
  EXPECT_EQ(All(), start_);
}

TEST_P(HoldApplyTest, WhatWasCommittedStaysAndEndsTheHold) {
  {
    const auto hold = Take();
    ASSERT_TRUE(hold->Apply({{kA, "11"}}));
    ASSERT_TRUE(hold->Commit());
    EXPECT_EQ(hold->Apply({{kA, "12"}}).error().code, Errc::kInvalidArgument);
  }
  EXPECT_EQ(Text(kA), "11");
}

}  // namespace
}  // namespace hone::sysctl

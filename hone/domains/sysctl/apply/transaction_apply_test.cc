// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

#include "hone/domains/sysctl/apply/crash_recovery.h"
#include "hone/domains/sysctl/apply/journal.h"
#include "hone/domains/sysctl/apply/transaction_for_test.h"
#include "hone/domains/sysctl/kernel/kernel_text.h"

namespace hone::sysctl {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class TransactionApplyTest : public TransactionOnFakeKernel,
                             public testing::WithParamInterface<bool> {
 protected:
  TransactionSettings Settings() const {
    TransactionSettings settings = TransactionOnFakeKernel::Settings();
    settings.has_journal = GetParam();
    return settings;
  }
  std::unique_ptr<ParameterTransaction> Take() { return TransactionOnFakeKernel::Take(Settings()); }
};

INSTANTIATE_TEST_SUITE_P(WithAndWithoutJournal, TransactionApplyTest, testing::Bool(),
                         [](const auto& suite) { return suite.param ? "Journal" : "NoJournal"; });

TEST_P(TransactionApplyTest, WhatIsAskedForIsInForceAndWhatIsNotIsAsBefore) {
  const auto transaction = Take();
  ASSERT_TRUE(transaction->Apply({{kA, "11"}, {kB, "21"}}));
  ASSERT_TRUE(transaction->Apply({{kB, "22"}}));
  EXPECT_EQ(Text(kA), "10");
  EXPECT_EQ(Text(kB), "22");
}

TEST_P(TransactionApplyTest, WhatTheKernelMadeOfItIsReportedAndNotAskedForAgain) {
  kernel_.Set(kA, "8");
  kernel_.Round(kA, 8);
  const auto transaction = Take();
  const auto report = transaction->Apply({{kA, "11"}});
  ASSERT_TRUE(report);
  ASSERT_EQ(report->written.size(), 1U);
  EXPECT_EQ(report->written[0].asked, (Setting{kA, "11"}));
  EXPECT_EQ(report->written[0].in_force, "16");
  kernel_.ForgetWrites();
  EXPECT_THAT(transaction->Apply({{kA, "11"}})->written, IsEmpty());
  EXPECT_THAT(kernel_.writes(), IsEmpty());
}

TEST_P(TransactionApplyTest, OneRefusedValueLeavesTheOriginals) {
  kernel_.Refuse(kB, "66");
  const auto transaction = Take();
  ASSERT_TRUE(transaction->Apply({{kA, "11"}}));
  const auto report = transaction->Apply({{kA, "12"}, {kB, "66"}});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::kInvalidArgument);
  EXPECT_THAT(report.error().message, HasSubstr("vm.b = \"66\""));
  EXPECT_EQ(All(), start_);
}

TEST_P(TransactionApplyTest, WhatMayNotBeWrittenLeavesTheOriginals) {
  kernel_.Forbid(kB);
  const auto transaction = Take();
  const auto report = transaction->Apply({{kA, "12"}, {kB, "21"}});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::kUnsupported);
  EXPECT_EQ(All(), start_);
}

TEST_P(TransactionApplyTest, APairThatMustStayOrderedMovesUpAndDown) {
  kernel_.KeepBelow(kA, kB);
  const auto transaction = Take();
  ASSERT_TRUE(transaction->Apply({{kA, "50"}, {kB, "60"}}));
  EXPECT_EQ(Text(kA), "50");
  ASSERT_TRUE(transaction->Apply({{kB, "3"}, {kA, "2"}}));
  EXPECT_EQ(Text(kB), "3");
  ASSERT_TRUE(transaction->Restore());
  EXPECT_EQ(All(), start_);
}

TEST_P(TransactionApplyTest, AnOrderThatCannotBeIsRolledBack) {
  kernel_.KeepBelow(kA, kB);
  const auto transaction = Take();
  ASSERT_TRUE(transaction->Apply({{kA, "50"}, {kB, "60"}}));
  EXPECT_FALSE(transaction->Apply({{kA, "5"}, {kB, "4"}}));
  EXPECT_EQ(All(), start_);
}

TEST_P(TransactionApplyTest, ATwinIsRestoredThroughTheOneThatWasInForce) {
  const auto transaction = Take();
  const auto report = transaction->Apply({{kBytes, "4096"}});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(Text(kRatio), "0");
  EXPECT_THAT(report->side_effects, Contains(Change{kRatio, "20", "0"}));
  ASSERT_TRUE(transaction->Apply({}));
  EXPECT_EQ(Text(kRatio), "20");
  EXPECT_EQ(Text(kBytes), "0");
}

TEST_P(TransactionApplyTest, TheTwinThatWasInForceMayBeTheOther) {
  kernel_.Set(kRatio, "0");
  kernel_.Set(kBytes, "8192");
  start_ = All();
  TransactionSettings settings = Settings();
  settings.paths = {kRatio};
  const auto transaction = TransactionOnFakeKernel::Take(settings);
  ASSERT_TRUE(transaction->Apply({{kRatio, "5"}}));
  EXPECT_EQ(Text(kBytes), "0");
  ASSERT_TRUE(transaction->Restore());
  EXPECT_EQ(All(), start_);
}

TEST_P(TransactionApplyTest, ADeclaredSideEffectIsReportedAndUndone) {
  const auto transaction = Take();
  const auto report = transaction->Apply({{kControl, "cubic"}});
  ASSERT_TRUE(report);
  EXPECT_THAT(report->side_effects, ElementsAre(Change{kAllowed, "reno bbr", "reno bbr cubic"}));
  ASSERT_TRUE(transaction->Apply({{kControl, "vegas"}}));
  EXPECT_EQ(Text(kAllowed), "reno bbr vegas") << "the first one's effect had to go";
  ASSERT_TRUE(transaction->Apply({}));
  EXPECT_EQ(All(), start_);
}

TEST_P(TransactionApplyTest, ASideEffectThatNobodyDeclaredIsFoundAndUndone) {
  TransactionSettings settings = Settings();
  settings.couplings.effects.clear();
  const auto transaction = TransactionOnFakeKernel::Take(settings);
  const auto report = transaction->Apply({{kControl, "cubic"}});
  ASSERT_TRUE(report);
  EXPECT_THAT(report->side_effects, ElementsAre(Change{kAllowed, "reno bbr", "reno bbr cubic"}));
  ASSERT_TRUE(transaction->Apply({}));
  EXPECT_EQ(All(), start_);
}

TEST_P(TransactionApplyTest, OnlyWhatLiesBesideAWriteIsHeldToHaveMovedWithIt) {
  const std::string trace = "/proc/sys/kernel/yama/ptrace_scope";
  const std::string panic = "/proc/sys/vm/panic_on_oom";
  const std::string free = "/proc/sys/vm/min_free_kbytes";
  kernel_.Add(trace, "1");
  kernel_.Add(panic, "0");
  kernel_.Add(free, "64");
  kernel_.AfterWrite(kA, [&](const std::string&) {
    kernel_.Set(trace, "2");  // Somebody else, in this very moment.
    kernel_.Set(panic, "1");
    kernel_.Set(free, "128");
  });
  TransactionSettings settings = Settings();
  settings.is_left_alone = [&](const std::string& path) { return path == panic; };
  const auto transaction = TransactionOnFakeKernel::Take(settings);
  const auto report = transaction->Apply({{kA, "11"}});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->side_effects, ElementsAre(Change{free, "64", "128"}));
  EXPECT_THAT(report->noticed, ElementsAre(Change{trace, "1", "2"}, Change{panic, "0", "1"}));
  ASSERT_TRUE(transaction->Restore());
  EXPECT_EQ(Text(trace), "2");
  EXPECT_EQ(Text(panic), "1");
  EXPECT_EQ(Text(free), "64");
}

TEST_P(TransactionApplyTest, WhatIsHeldAndMovesWithAWriteBesideItIsItsSideEffect) {
  kernel_.AfterWrite(kA, [&](const std::string& text) {
    if (text == "11") kernel_.Set(kB, "21");
  });
  const auto transaction = Take();
  const auto report = transaction->Apply({{kA, "11"}});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->side_effects, ElementsAre(Change{kB, "20", "21"}));
  EXPECT_TRUE(transaction->CheckUndisturbed());
  ASSERT_TRUE(transaction->Apply({}));
  EXPECT_EQ(All(), start_);
}

TEST_P(TransactionApplyTest, WhatIsHeldElsewhereAndMovesDuringAWriteIsSomebodyElses) {
  kernel_.AfterWrite(kA, [&](const std::string&) { kernel_.Set(kControl, "cubic"); });
  const auto transaction = Take();
  const auto report = transaction->Apply({{kA, "11"}});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::kStale);
  EXPECT_EQ(Text(kControl), "cubic");
  EXPECT_EQ(Text(kA), "10");
}

TEST_P(TransactionApplyTest, ParametersThatVanishComeBackWithTheirOwnValues) {
  const auto transaction = Take();
  const auto report = transaction->Apply({{kScheduler, "none"}});
  ASSERT_TRUE(report);
  EXPECT_EQ(Text(kBatch), "(none)");
  EXPECT_THAT(report->side_effects, Contains(Change{kBatch, "32", ""}));
  ASSERT_TRUE(transaction->CheckUndisturbed());
  ASSERT_TRUE(transaction->Apply({}));
  EXPECT_EQ(All(), start_) << "the scheduler came back with 16 instead of 32";
}

TEST_P(TransactionApplyTest, SomebodyElsesChangeStopsTheNextApplyAndStays) {
  const auto transaction = Take();
  ASSERT_TRUE(transaction->Apply({{kA, "11"}}));
  EXPECT_TRUE(transaction->CheckUndisturbed());
  kernel_.Set(kA, "99");
  EXPECT_EQ(transaction->CheckUndisturbed().error().code, Errc::kStale);
  kernel_.ForgetWrites();
  const auto report = transaction->Apply({{kA, "12"}, {kB, "21"}});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::kStale);
  EXPECT_THAT(report.error().message, HasSubstr("vm.a"));
  EXPECT_THAT(report.error().message, HasSubstr("\"99\""));
  EXPECT_THAT(kernel_.writes(), IsEmpty());
  EXPECT_EQ(Text(kA), "99");
}

TEST_F(TransactionOnFakeKernel, WhatANamespaceOnlyShowsOfTheHostMayMove) {
  TransactionSettings settings = Settings();
  settings.has_journal = false;
  const auto transaction = Take(std::move(settings));
  ASSERT_TRUE(transaction->Apply({{kA, "11"}}));
  kernel_.Set(kAllowed, "reno bbr vegas");
  EXPECT_TRUE(transaction->CheckUndisturbed());
  EXPECT_TRUE(transaction->Apply({{kA, "12"}}));
  const auto on_the_host = Take();
  kernel_.Set(kAllowed, "reno");
  EXPECT_FALSE(on_the_host->CheckUndisturbed());
}

TEST_P(TransactionApplyTest, SomebodyElsesChangeOfWhatIsHeldButNotYetWrittenCountsToo) {
  const auto transaction = Take();
  kernel_.Set(kB, "99");
  EXPECT_EQ(transaction->Apply({{kA, "12"}}).error().code, Errc::kStale);
  EXPECT_EQ(Text(kA), "10");
}

TEST_P(TransactionApplyTest, AParameterOutsideTheHoldIsRefused) {
  const auto transaction = Take();
  const auto report = transaction->Apply({{"/proc/sys/vm/other", "1"}});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::kInvalidArgument);
  EXPECT_EQ(transaction->Apply({{kAllowed, "reno"}}).error().code, Errc::kInvalidArgument);
}

TEST_P(TransactionApplyTest, AnAbsentParameterCannotBeHeld) {
  TransactionSettings settings = Settings();
  settings.paths.emplace_back("/proc/sys/vm/nonesuch");
  EXPECT_EQ(ParameterTransaction::Take(kernel_, settings).error().code, Errc::kNotFound);
  EXPECT_EQ(All(), start_);
}

TEST_P(TransactionApplyTest, AReadOnlyParameterCannotBeHeld) {
  kernel_.MakeReadOnly(kB);
  EXPECT_EQ(ParameterTransaction::Take(kernel_, Settings()).error().code, Errc::kUnsupported);
}

TEST_P(TransactionApplyTest, TheOriginalsAreToldInTheOrderOfThePaths) {
  const auto transaction = Take();
  ASSERT_TRUE(transaction->Apply({{kA, "11"}}));
  EXPECT_THAT(transaction->originals(),
              ElementsAre(Setting{kA, "10"}, Setting{kB, "20"}, Setting{kBytes, "0"},
                          Setting{kControl, "bbr"}, Setting{kScheduler, "mq-deadline"}));
}

TEST_P(TransactionApplyTest, TheDestructorRestores) {
  ASSERT_TRUE(Take()->Apply({{kA, "11"}, {kBytes, "8192"}, {kControl, "cubic"}}));
  EXPECT_EQ(All(), start_);
}

TEST_P(TransactionApplyTest, WhatWasCommittedStaysAndEndsTheHold) {
  {
    const auto transaction = Take();
    ASSERT_TRUE(transaction->Apply({{kA, "11"}}));
    ASSERT_TRUE(transaction->Commit());
    EXPECT_EQ(transaction->Apply({{kA, "12"}}).error().code, Errc::kInvalidArgument);
  }
  EXPECT_EQ(Text(kA), "11");
}

const std::string kGovernor = "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor";
const std::string kPreference =
    "/sys/devices/system/cpu/cpufreq/policy0/energy_performance_preference";

// As intel_pstate does it: the performance governor takes the preference with it and holds it.
class TransactionOfTheCpuTest : public TransactionOnFakeKernel {
 protected:
  TransactionOfTheCpuTest() {
    kernel_.Add(kGovernor, "powersave");
    kernel_.Add(kPreference, "balance_performance");
    kernel_.AddRule(kPreference, [this](const std::string& text) -> Result<std::string> {
      if (Text(kGovernor) == "performance" && text != "performance") {
        return WriteError(kPreference, text, EBUSY);
      }
      return text;
    });
    kernel_.AfterWrite(kGovernor, [this](const std::string& text) {
      if (text == "performance") kernel_.Set(kPreference, "performance");
    });
    start_ = All();
  }

  std::unique_ptr<ParameterTransaction> Take() {
    TransactionSettings settings = Settings();
    settings.paths = {kPreference, kGovernor};
    settings.couplings.effects = {{kGovernor, kPreference, true}};
    return TransactionOnFakeKernel::Take(settings);
  }
};

TEST_F(TransactionOfTheCpuTest, APreferenceThatTheGovernorHoldsIsItsSideEffectUntilItGoesBack) {
  auto transaction = Take();
  for (int i = 0; i < 2; ++i) {
    const auto report = transaction->Apply({{kGovernor, "performance"}});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(Text(kPreference), "performance");
  }
  const auto report = transaction->Apply({});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(All(), start_);
  ASSERT_TRUE(transaction->Apply({{kGovernor, "performance"}}));
  transaction.reset();
  EXPECT_EQ(All(), start_);
}

TEST_F(TransactionOfTheCpuTest, APreferenceThatCannotStandBesideTheGovernorIsRefused) {
  const auto transaction = Take();
  const auto report = transaction->Apply({{kGovernor, "performance"}, {kPreference, "power"}});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::kInvalidArgument) << "it is the candidate's fault";
  EXPECT_THAT(report.error().message, HasSubstr("energy_performance_preference"));
  EXPECT_EQ(All(), start_);
}

const std::string kRequests = "/sys/block/x/queue/nr_requests";

// The scheduler's own parameters come and go with it, and come back with the kernel's values.
class TransactionOfASchedulerTest : public TransactionOnFakeKernel {
 protected:
  TransactionOfASchedulerTest() {
    kernel_.Add(kRequests, "256");
    kernel_.AfterWrite(kScheduler, [this](const std::string&) { kernel_.Set(kRequests, "128"); });
    start_ = All();
  }

  std::unique_ptr<ParameterTransaction> Take() {
    TransactionSettings settings = Settings();
    settings.paths = {kScheduler, kBatch, kRequests};
    settings.couplings.effects = {{kScheduler, kBatch, true}, {kScheduler, kRequests, true}};
    return TransactionOnFakeKernel::Take(settings);
  }
};

TEST_F(TransactionOfASchedulerTest, WhatComesBackWithItHasItsOriginal) {
  auto transaction = Take();
  ASSERT_TRUE(transaction->Apply({{kScheduler, "none"}}));
  const auto again = transaction->Apply({{kScheduler, "none"}});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(Text(kBatch), "(none)");
  ASSERT_TRUE(transaction->Apply({}));
  EXPECT_EQ(All(), start_);
  ASSERT_TRUE(transaction->Apply({{kScheduler, "bfq"}}));
  transaction.reset();
  EXPECT_EQ(All(), start_);
}

// What a process that died at this moment would leave: the journal, and what is in force.
class Death {
 public:
  explicit Death(std::filesystem::path folder) : journal_(Journal::PathIn(folder)) {}

  void Now() { std::filesystem::copy_file(journal_, Copy()); }
  std::filesystem::path Copy() const { return journal_.string() + ".copy"; }

 private:
  std::filesystem::path journal_;
};

TEST_F(TransactionOfASchedulerTest, DyingAfterAWriteThatAnotherWriteHadMovedIsPutBack) {
  Death death(Settings().folder);
  kernel_.AfterWrite(kRequests, [&](const std::string& text) {
    if (text == "64") death.Now();
  });
  const auto transaction = Take();
  ASSERT_TRUE(transaction->Apply({{kScheduler, "none"}, {kRequests, "64"}}));
  const auto report = RestoreFromFile(kernel_, death.Copy());
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->kept, IsEmpty());
  EXPECT_EQ(All(), start_);
}

TEST_F(TransactionOfASchedulerTest, DyingWhileTheSchedulerGoesBackIsPutBack) {
  Death death(Settings().folder);
  const auto transaction = Take();
  ASSERT_TRUE(transaction->Apply({{kScheduler, "none"}, {kRequests, "64"}}));
  death.Now();
  ASSERT_TRUE(kernel_.Write(kScheduler, "mq-deadline"));  // As the dying process did: 128 requests.
  const auto report = RestoreFromFile(kernel_, death.Copy());
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->kept, IsEmpty());
  EXPECT_EQ(All(), start_);
}

TEST_F(TransactionOfASchedulerTest, WhatItMovesIsAsTheCandidateSays) {
  const auto transaction = Take();
  ASSERT_TRUE(transaction->Apply({{kScheduler, "none"}}));
  EXPECT_EQ(Text(kRequests), "256") << "the candidate leaves it as it was";
  ASSERT_TRUE(transaction->Apply({{kRequests, "64"}, {kScheduler, "bfq"}}));
  EXPECT_EQ(Text(kRequests), "64") << "it was written before the scheduler";
}

}  // namespace
}  // namespace hone::sysctl

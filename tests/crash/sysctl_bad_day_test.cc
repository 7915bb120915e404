// SPDX-License-Identifier: Apache-2.0
// What can go wrong with a hold on the host's parameters, one thing at a time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "hone/base/file.h"
#include "hone/domains/sysctl/apply/journal.h"
#include "hone/domains/sysctl/apply/pending_confirmation.h"
#include "hone/domains/sysctl/apply/transaction.h"
#include "hone/testing/test_machine.h"
#include "tests/crash/sysctl_host.h"
#include "tests/crash/sysctl_parameters.h"

namespace hone::sysctl {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string kPressure = "/proc/sys/vm/vfs_cache_pressure";

class SysctlBadDayTest : public HostTest {
 protected:
  // A seed with which the holder changes vfs_cache_pressure, and others.
  static constexpr std::uint64_t kSeed = 3;

  void ExpectRestoredByGuardian() {
    EXPECT_TRUE(Await([this] { return !HasJournal(); })) << "the guardian did nothing";
    ExpectAsAtStart("after the guardian");
  }

  TransactionSettings Settings() { return TransactionOnHost(*files_, Folder()); }

  static bool IsZombie(pid_t pid) {
    const auto stat = ReadFile("/proc/" + std::to_string(pid) + "/stat");
    return stat && stat->find(") Z ") != std::string::npos;
  }

  void KillBoth(Killable& holder) {
    ::kill(holder.pid(), SIGSTOP);
    for (const pid_t guardian : ChildrenOf(holder.pid())) ::kill(guardian, SIGKILL);
    holder.Kill();
  }
};

TEST_F(SysctlBadDayTest, TheGuardianRestoresAfterSigkill) {
  Killable holder(Holder("hold", Folder(), kSeed));
  AwaitLine(holder, "trial");
  ASSERT_THAT(ChangesNow(), Not(IsEmpty()));
  holder.Kill();
  ExpectRestoredByGuardian();
  EXPECT_THAT(LastGuardianNote(Folder()), HasSubstr("a crash test"));
}

TEST_F(SysctlBadDayTest, TheGuardianIsDeafToSignals) {
  Killable holder(Holder("hold", Folder(), kSeed));
  AwaitLine(holder, "trial");
  const auto guardians = ChildrenOf(holder.pid());
  ASSERT_EQ(guardians.size(), 1U);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1}) {
    ::kill(guardians[0], number);
  }
  holder.Kill();
  ExpectRestoredByGuardian();
}

// The service went down with its tuner, say.
TEST_F(SysctlBadDayTest, AReloadThatFailsInTheGuardianIsInItsNote) {
  const auto file = ServiceFileOf(Folder());
  const std::string stop = folder_->path() / "stopped";
  std::ofstream(file) << "threads original\n";
  TransactionSettings settings = Settings();
  settings.paths = {PathOfFile(file)};
  settings.files[PathOfFile(file)].reload.arguments = {"sh", "-c", "! test -e " + stop};
  KillWhenReady(
      [&](int ready) {
        const auto transaction = ParameterTransaction::Take(*files_, settings);
        if (!transaction || !(*transaction)->Apply({{PathOfFile(file), "threads 8\n"}})) ::_exit(1);
        if (::write(ready, "x", 1) != 1) ::_exit(1);
        ::pause();
      },
      [&] { std::ofstream(stop) << ""; });
  ExpectRestoredByGuardian();
  EXPECT_EQ(*ReadFile(file), "threads original\n");
  EXPECT_THAT(LastGuardianNote(Folder()),
              HasSubstr("is back, but its service was not told: sh -c"));
}

TEST_F(SysctlBadDayTest, AStoppedTunerThatIsKilledLaterIsRestoredThen) {
  Killable holder(Holder("hold", Folder(), kSeed));
  AwaitLine(holder, "trial");
  ::kill(holder.pid(), SIGSTOP);
  const auto second = ParameterTransaction::Take(*files_, Settings());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::kStale);
  EXPECT_THAT(second.error().message, HasSubstr(std::to_string(holder.pid())));
  EXPECT_THAT(second.error().message, HasSubstr("a crash test"));
  EXPECT_THAT(ChangesNow(), Not(IsEmpty())) << "it is stopped, not dead";
  holder.Kill();
  ExpectRestoredByGuardian();
}

TEST_F(SysctlBadDayTest, AKilledGuardianIsReplacedAtTheNextApply) {
  Killable holder(Holder("again", Folder(), kSeed));
  AwaitLine(holder, "ready");
  const auto first = ChildrenOf(holder.pid());
  ASSERT_EQ(first.size(), 1U);
  ::kill(first[0], SIGKILL);
  ASSERT_TRUE(Await([&] { return IsZombie(first[0]); }));
  ::kill(holder.pid(), SIGUSR1);
  AwaitLine(holder, "trial");
  const auto second = ChildrenOf(holder.pid());
  ASSERT_EQ(second.size(), 1U);
  EXPECT_NE(first[0], second[0]);
  holder.Kill();
  ExpectRestoredByGuardian();
}

TEST_F(SysctlBadDayTest, TheNextTunerWaitsForTheGuardianAndTakesTheTrueOriginals) {
  Killable holder(Holder("hold", Folder(), kSeed));
  AwaitLine(holder, "trial");
  holder.Kill();
  const auto transaction = ParameterTransaction::Take(*files_, Settings());
  ASSERT_TRUE(transaction) << transaction.error().message;
  for (const Setting& original : (*transaction)->originals()) {
    EXPECT_EQ(original.text, start_.texts().at(original.path)) << original.path;
  }
}

TEST_F(SysctlBadDayTest, WhenBothAreKilledTheNextStartRestores) {
  Killable holder(Holder("hold", Folder(), kSeed));
  AwaitLine(holder, "trial");
  KillBoth(holder);
  ASSERT_TRUE(HasJournal());
  ASSERT_THAT(ChangesNow(), Not(IsEmpty()));
  const auto report = RestoreAfterCrash(*files_, Folder());
  ASSERT_TRUE(report && *report);
  EXPECT_TRUE((*report)->IsClean());
  EXPECT_THAT((*report)->restored, Not(IsEmpty()));
  ExpectAsAtStart("after restoring leftovers");
}

TEST_F(SysctlBadDayTest, SomebodyElsesValueSurvivesTheGuardian) {
  Killable holder(Holder("hold", Folder(), kSeed));
  AwaitLine(holder, "trial");
  ASSERT_TRUE(files_->Write(kPressure, "77"));
  holder.Kill();
  ASSERT_TRUE(Await([this] { return !HasJournal(); }));
  EXPECT_EQ(files_->Read(kPressure).value(), "77");
  EXPECT_THAT(LastGuardianNote(Folder()), HasSubstr("kept vm.vfs_cache_pressure"));
  ASSERT_TRUE(files_->Write(kPressure, start_.texts().at(kPressure)));
}

// It may be what a write moved whose end nobody saw.
TEST_F(SysctlBadDayTest, WhatDiffersAndWasNeverOursIsInTheNoteOfTheGuardian) {
  const std::string cluster = "/proc/sys/vm/page-cluster";
  Killable holder(Holder("hold", Folder(), kSeed));
  AwaitLine(holder, "trial");
  ASSERT_TRUE(files_->Write(cluster, "4"));
  holder.Kill();
  EXPECT_TRUE(Await([this] { return !HasJournal(); }));
  const std::string start = start_.texts().at(cluster);
  EXPECT_THAT(LastGuardianNote(Folder()),
              HasSubstr("not ours, and left vm.page-cluster: \"" + start + "\" -> \"4\""));
  EXPECT_EQ(files_->Read(cluster).value(), "4");
  ASSERT_TRUE(files_->Write(cluster, start));
}

TEST_F(SysctlBadDayTest, ADamagedJournalIsLeftForAPerson) {
  Killable holder(Holder("hold", Folder(), kSeed));
  AwaitLine(holder, "trial");
  KillBoth(holder);
  const auto file = Journal::PathIn(Folder());
  const std::string whole = ReadFile(file).value();
  std::string damaged = whole;
  damaged[damaged.find("holds")] = 'H';
  std::ofstream(file, std::ios::trunc) << damaged;
  EXPECT_EQ(RestoreAfterCrash(*files_, Folder()).error().code, Errc::kCorrupt);
  EXPECT_EQ(ParameterTransaction::Take(*files_, Settings()).error().code, Errc::kCorrupt);
  std::ofstream(file, std::ios::trunc) << whole << "0123 torn";
  const auto report = RestoreAfterCrash(*files_, Folder());
  ASSERT_TRUE(report) << report.error().message;
  ExpectAsAtStart("after a torn journal");
}

TEST_F(SysctlBadDayTest, AFullDiskAndAReadOnlyOneRefuseBeforeTheFirstWrite) {
  std::filesystem::create_directories(Folder());
  auto disk = TinyDisk::Mount(Folder(), 16 << 10);
  if (!disk) GTEST_SKIP() << disk.error().message;
  const auto full = ParameterTransaction::Take(*files_, Settings());
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, Errc::kUnavailable);
  EXPECT_THAT(full.error().message, HasSubstr("the disk is full"));
  EXPECT_FALSE(HasJournal());
  ASSERT_TRUE(disk->MakeReadOnly());
  const auto sealed = ParameterTransaction::Take(*files_, Settings());
  ASSERT_FALSE(sealed);
  EXPECT_EQ(sealed.error().code, Errc::kUnavailable);
  EXPECT_THAT(sealed.error().message, HasSubstr("read-only"));
  ExpectAsAtStart("after two refusals");
}

TEST_F(SysctlBadDayTest, AnIoSchedulerComesBackWithItsOwnParameters) {
  const std::string scheduler = "/sys/block/loop7/queue/scheduler";
  const std::string batch = "/sys/block/loop7/queue/iosched/fifo_batch";
  if (files_->Read(scheduler).value_or("") != "none" || !files_->Write(scheduler, "mq-deadline")) {
    GTEST_SKIP() << "needs an unused /sys/block/loop7 and the scheduler mq-deadline";
  }
  EXPECT_TRUE(files_->Write(batch, "33"));
  {
    TransactionSettings settings = Settings();
    settings.paths = {scheduler};
    const auto transaction = ParameterTransaction::Take(*files_, settings);
    EXPECT_TRUE(transaction) << transaction.error().message;
    const auto report = (*transaction)->Apply({{scheduler, "none"}});
    EXPECT_TRUE(report) << report.error().message;
    EXPECT_FALSE(files_->Read(batch));
    EXPECT_THAT(report->side_effects, testing::Contains(Change{batch, "33", ""}));
  }
  EXPECT_EQ(files_->Read(scheduler).value(), "mq-deadline");
  EXPECT_EQ(files_->Read(batch).value(), "33") << "the scheduler's default is 16";
  EXPECT_TRUE(files_->Write(scheduler, "none"));
}

class SysctlConfirmTest : public SysctlBadDayTest {
 protected:
  // Applied, and left with this much time; the process that did it has ended.
  void Leave(std::uint64_t milliseconds) {
    Killable holder(Holder("leave", Folder(), milliseconds));
    AwaitLine(holder, "left");
    ASSERT_EQ(holder.Wait(), 0);
    ASSERT_THAT(ChangesNow(), Not(IsEmpty()));
  }
};

TEST_F(SysctlConfirmTest, WithoutAConfirmationAllGoesBack) {
  Leave(300);
  ExpectRestoredByGuardian();
  EXPECT_EQ(ConfirmKept(*files_, Folder()).error().code, Errc::kNotFound);
}

TEST_F(SysctlConfirmTest, ConfirmedItStaysUntilItIsRestored) {
  Leave(60'000);
  EXPECT_EQ(ParameterTransaction::Take(*files_, Settings()).error().code, Errc::kStale);
  const auto confirmed = ConfirmKept(*files_, Folder());
  ASSERT_TRUE(confirmed) << confirmed.error().message;
  EXPECT_FALSE(HasJournal());
  EXPECT_THAT(ChangesNow(), Not(IsEmpty()));
  const auto report = RestorePrevious(*files_, Folder());
  ASSERT_TRUE(report && *report);
  ExpectAsAtStart("after restoring what was kept");
}

TEST_F(SysctlConfirmTest, RevertedOnRequest) {
  Leave(60'000);
  const auto report = RevertKept(*files_, Folder());
  ASSERT_TRUE(report && *report) << report.error().message;
  EXPECT_THAT((*report)->restored, Not(IsEmpty()));
  ExpectAsAtStart("after a revert");
}

}  // namespace
}  // namespace hone::sysctl

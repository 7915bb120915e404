// SPDX-License-Identifier: Apache-2.0
// A transaction and its journal when the process dies, the disk is bad, or another one comes. The
// death is that of a forked child: its kernel is a copy, so what it wrote is written to ours as
// well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "hone/base/file.h"
#include "hone/domains/sysctl/apply/journal.h"
#include "hone/domains/sysctl/apply/pending_confirmation.h"
#include "hone/domains/sysctl/apply/transaction_for_test.h"
#include "hone/testing/test_machine.h"

namespace hone::sysctl {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class TransactionDiskTest : public TransactionOnFakeKernel {
 protected:
  std::filesystem::path Folder() const { return Settings().folder; }
  std::filesystem::path File() const { return Journal::PathIn(Folder()); }

  // A holder that applies and dies without a word.
  void DieAfter(const std::vector<Setting>& settings) {
    KillWhenReady([&](int ready) {
      const auto transaction = Take();
      if (!transaction || !transaction->Apply(settings)) ::_exit(1);
      if (::write(ready, "x", 1) != 1) ::_exit(1);
      ::pause();
    });
    for (const Setting& setting : settings) {
      ASSERT_TRUE(kernel_.Write(setting.path, setting.text));
    }
  }

  std::string Journalled() { return ReadFile(File()).value_or("(none)"); }
};

TEST_F(TransactionDiskTest, ACleanEndLeavesNoJournal) {
  ASSERT_TRUE(Take()->Apply({{kA, "11"}}));
  EXPECT_FALSE(std::filesystem::exists(File()));
  EXPECT_FALSE(RestoreAfterCrash(kernel_, Folder())->has_value());
}

TEST_F(TransactionDiskTest, TheOriginalsAreInTheJournalBeforeTheFirstWrite) {
  const auto transaction = Take();
  kernel_.BeforeWrite([&](const std::string&) {
    const auto journal = Journal::Read(Folder());
    ASSERT_TRUE(journal && *journal);
    EXPECT_EQ((*journal)->state.parameters.at(kA).original, "10");
    EXPECT_TRUE((*journal)->state.parameters.at(kA).is_pending);
  });
  ASSERT_TRUE(transaction->Apply({{kA, "11"}}));
  kernel_.BeforeWrite(nullptr);
}

TEST_F(TransactionDiskTest, WhatADeadHoldLeftIsPutBack) {
  DieAfter({{kA, "11"}, {kBytes, "4096"}, {kControl, "cubic"}});
  ASSERT_NE(All(), start_);
  const auto report = RestoreAfterCrash(kernel_, Folder());
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_TRUE(report->has_value());
  EXPECT_THAT((*report)->restored, Contains(Change{kA, "11", "10"}));
  EXPECT_EQ(All(), start_);
  EXPECT_FALSE(RestoreAfterCrash(kernel_, Folder())->has_value());
}

TEST_F(TransactionDiskTest, TheNextHoldPutsBackFirstAndTakesTheTrueOriginals) {
  DieAfter({{kA, "11"}});
  const auto transaction = Take();
  ASSERT_TRUE(transaction);
  EXPECT_EQ(transaction->originals()[0], (Setting{kA, "10"}));
  ASSERT_TRUE(transaction->recovered());
  EXPECT_THAT(transaction->recovered()->restored, ElementsAre(Change{kA, "11", "10"}));
}

TEST_F(TransactionDiskTest, AfterACrashSomebodyElsesValueIsKeptAndNamed) {
  DieAfter({{kA, "11"}, {kB, "21"}});
  kernel_.Set(kA, "99");
  const auto report = RestoreAfterCrash(kernel_, Folder());
  ASSERT_TRUE(report && *report);
  EXPECT_THAT((*report)->kept, ElementsAre(Change{kA, "11", "99"}));
  EXPECT_EQ(Text(kA), "99");
  EXPECT_EQ(Text(kB), "20");
}

TEST_F(TransactionDiskTest, AWriteWhoseEndNobodySawIsOursHoweverTheKernelRoundedIt) {
  DieAfter({{kA, "11"}});
  std::string text = Journalled();
  const std::size_t end = text.find("\tnow\t" + kA);
  ASSERT_NE(end, std::string::npos);
  std::ofstream(File(), std::ios::trunc) << text.substr(0, text.rfind('\n', end) + 1);
  kernel_.Set(kA, "16");
  ASSERT_TRUE(RestoreAfterCrash(kernel_, Folder()));
  EXPECT_EQ(Text(kA), "10");
}

TEST_F(TransactionDiskTest, ATornLastRecordIsToleratedWhereverItIsTorn) {
  DieAfter({{kA, "11"}, {kB, "21"}});
  const std::string whole = Journalled();
  const std::size_t head = whole.find("\tsealed\n") + 8;
  const auto applied = All();
  for (std::size_t size = head; size < whole.size(); size += 3) {
    for (const auto& [path, text] : applied) kernel_.Set(path, text);
    std::ofstream(File(), std::ios::trunc) << whole.substr(0, size);
    const auto report = RestoreAfterCrash(kernel_, Folder());
    ASSERT_TRUE(report) << report.error().message;
    // With fewer records than that the writes had not begun.
    if (size > whole.rfind("\tintend\t") + 40) {
      ASSERT_EQ(All(), start_) << size;
    }
  }
}

TEST_F(TransactionDiskTest, ADamagedJournalIsNeverDroppedAndNothingIsTouched) {
  DieAfter({{kA, "11"}});
  std::string text = Journalled();
  const std::size_t at = text.find("\t10\t");
  ASSERT_NE(at, std::string::npos);
  text[at + 1] = '7';
  std::ofstream(File(), std::ios::trunc) << text;
  kernel_.ForgetWrites();
  const auto report = RestoreAfterCrash(kernel_, Folder());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::kCorrupt);
  EXPECT_THAT(report.error().message, HasSubstr(File().string()));
  EXPECT_THAT(report.error().message, HasSubstr("put back what is needed"));
  EXPECT_EQ(ParameterTransaction::Take(kernel_, Settings()).error().code, Errc::kCorrupt);
  EXPECT_EQ(Journalled(), text);
  EXPECT_TRUE(kernel_.writes().empty());
}

TEST_F(TransactionDiskTest, AHeadThatIsCutShortIsDamageToo) {
  DieAfter({{kA, "11"}});
  const std::string text = Journalled();
  std::ofstream(File(), std::ios::trunc) << text.substr(0, text.find("\tsealed"));
  EXPECT_EQ(RestoreAfterCrash(kernel_, Folder()).error().code, Errc::kCorrupt);
  std::ofstream(File(), std::ios::trunc) << "";
  EXPECT_EQ(RestoreAfterCrash(kernel_, Folder()).error().code, Errc::kCorrupt);
}

TEST_F(TransactionDiskTest, OnlyOneHoldsAndTheOtherIsToldWhoAndWhy) {
  KillWhenReady(
      [&](int ready) {
        const auto transaction = Take();
        if (!transaction || ::write(ready, "x", 1) != 1) ::_exit(1);
        ::pause();
      },
      [&] {
        const auto second = ParameterTransaction::Take(kernel_, Settings());
        ASSERT_FALSE(second);
        EXPECT_EQ(second.error().code, Errc::kStale);
        EXPECT_THAT(second.error().message, HasSubstr("process"));
        EXPECT_THAT(second.error().message, HasSubstr("a test"));
        EXPECT_EQ(RestoreAfterCrash(kernel_, Folder()).error().code, Errc::kStale);
      });
  EXPECT_TRUE(Take());
}

TEST_F(TransactionDiskTest, AFullDiskRefusesBeforeTheFirstWrite) {
  const auto disk = TinyDisk::Mount(folder_->path(), 64 << 10);
  if (!disk) GTEST_SKIP() << disk.error().message;
  std::ofstream(folder_->path() / "ballast") << std::string(64 << 10, 'x');
  const auto transaction = ParameterTransaction::Take(kernel_, Settings());
  ASSERT_FALSE(transaction);
  EXPECT_EQ(transaction.error().code, Errc::kUnavailable);
  EXPECT_THAT(transaction.error().message, HasSubstr("the disk is full"));
  EXPECT_TRUE(kernel_.writes().empty());
}

TEST_F(TransactionDiskTest, ADiskThatFillsUpLaterRefusesTheApplyAndLeavesTheOriginals) {
  const auto disk = TinyDisk::Mount(folder_->path(), 64 << 10);
  if (!disk) GTEST_SKIP() << disk.error().message;
  const auto transaction = Take();
  ASSERT_TRUE(transaction);
  std::ofstream(folder_->path() / "ballast") << std::string(64 << 10, 'x');
  Result<ApplyReport> report = ApplyReport{};
  for (int i = 0; report && i < 200; ++i) {
    report = transaction->Apply({{kA, std::to_string(100 + i)}});
  }
  ASSERT_FALSE(report) << "the journal never filled the disk";
  EXPECT_EQ(report.error().code, Errc::kUnavailable);
  EXPECT_EQ(All(), start_);
}

TEST_F(TransactionDiskTest, AReadOnlyDiskRefusesBeforeTheFirstWrite) {
  auto disk = TinyDisk::Mount(folder_->path(), 1 << 20);
  if (!disk) GTEST_SKIP() << disk.error().message;
  ASSERT_TRUE(disk->MakeReadOnly());
  const auto transaction = ParameterTransaction::Take(kernel_, Settings());
  ASSERT_FALSE(transaction);
  EXPECT_EQ(transaction.error().code, Errc::kUnavailable);
  EXPECT_THAT(transaction.error().message, HasSubstr("read-only"));
  EXPECT_TRUE(kernel_.writes().empty());
}

TEST_F(TransactionDiskTest, FromADiskThatBecameReadOnlyThingsAreStillPutBack) {
  auto disk = TinyDisk::Mount(folder_->path(), 1 << 20);
  if (!disk) GTEST_SKIP() << disk.error().message;
  DieAfter({{kA, "11"}});
  ASSERT_TRUE(disk->MakeReadOnly());
  const auto report = RestoreAfterCrash(kernel_, Folder());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::kUnavailable);
  EXPECT_THAT(report.error().message, HasSubstr("everything is put back"));
  EXPECT_EQ(All(), start_);
}

TEST_F(TransactionDiskTest, AfterARestartOnlyWhatIsStillOursGoesBack) {
  HeldState state;
  state.boot = "another boot";
  for (const std::string& path : {kA, kB}) {
    state.parameters[path] = {.original = Text(path), .last = Text(path)};
  }
  std::filesystem::create_directories(Folder());
  auto journal = Journal::Create(Folder(), state);
  ASSERT_TRUE(journal);
  ASSERT_TRUE(journal->Append(
      {{JournalRecord::Kind::kNow, kA, "11"}, {JournalRecord::Kind::kIntend, kB, "21"}}));
  kernel_.Set(kA, "11");
  kernel_.Set(kB, "44");  // By a file that is read at boot.
  const auto report = RestoreAfterCrash(kernel_, Folder());
  ASSERT_TRUE(report && *report);
  EXPECT_EQ(Text(kA), "10");
  EXPECT_EQ(Text(kB), "44");
  EXPECT_THAT((*report)->kept, ElementsAre(Change{kB, "20", "44"}));
}

TEST_F(TransactionDiskTest, NothingWaitsToBeConfirmedWhereNothingWasLeft) {
  EXPECT_EQ(ConfirmKept(kernel_, Folder()).error().code, Errc::kNotFound);
  const auto transaction = Take();
  EXPECT_EQ(ConfirmKept(kernel_, Folder()).error().code, Errc::kStale);
  EXPECT_EQ(transaction->LeaveToConfirm(std::chrono::minutes(1)).error().code, Errc::kUnsupported);
}

}  // namespace
}  // namespace hone::sysctl

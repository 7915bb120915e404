// SPDX-License-Identifier: Apache-2.0
// Files of services under a transaction. The service is made up: its reload copies the file, and
// what it last copied is what it runs with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "hone/base/file.h"
#include "hone/domains/sysctl/apply/journal.h"
#include "hone/domains/sysctl/apply/pending_confirmation.h"
#include "hone/domains/sysctl/apply/transaction_for_test.h"
#include "hone/testing/test_machine.h"

namespace hone::sysctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class TransactionFilesTest : public TransactionOnFakeKernel {
 protected:
  void SetUp() override {
    Put("threads 2\n");
    ::chmod(File().c_str(), 0640);
    before_ = *ReadFileImage(File());
  }

  std::string File() const { return folder_->path() / "service.conf"; }
  std::string Loaded() const { return folder_->path() / "loaded"; }
  std::string Path() const { return PathOfFile(File()); }
  std::string Running() const { return ReadFile(Loaded()).value_or("(nothing)"); }
  std::string Bytes() const { return ReadFile(File()).value_or("(gone)"); }
  void Put(const std::string& text) { std::ofstream(File()) << text; }

  TransactionSettings WithFile() const {
    TransactionSettings settings = Settings();
    settings.paths.push_back(Path());
    HeldFile& file = settings.files[Path()];
    file.reload.arguments = {"cp", File(), Loaded()};
    return settings;
  }

  void DieAfter(const std::vector<Setting>& settings) {
    KillWhenReady([&](int ready) {
      const auto transaction = Take(WithFile());
      if (!transaction || !transaction->Apply(settings)) ::_exit(1);
      if (::write(ready, "x", 1) != 1) ::_exit(1);
      ::pause();
    });
  }

  // The journal as it was before its last `now` of the file.
  void ForgetWhatBecameOfIt() {
    const auto file = Journal::PathIn(Settings().folder);
    const std::string text = *ReadFile(file);
    const std::size_t end = text.find("\tnow\t" + Path());
    ASSERT_NE(end, std::string::npos);
    std::ofstream(file, std::ios::trunc) << text.substr(0, text.rfind('\n', end) + 1);
  }

  RestoreReport MustRestore() {
    const auto report = RestoreAfterCrash(kernel_, Settings().folder);
    EXPECT_TRUE(report && *report);
    return report && *report ? **report : RestoreReport{};
  }

  FileImage before_;
};

TEST_F(TransactionFilesTest, IsReplacedAndReloadedAndAllOfItComesBack) {
  {
    const auto transaction = Take(WithFile());
    ASSERT_TRUE(transaction);
    const auto report = transaction->Apply({{Path(), "threads 8\n"}, {kA, "11"}});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(Bytes(), "threads 8\n");
    EXPECT_EQ(Running(), "threads 8\n");
    const FileImage now = *ReadFileImage(File());
    EXPECT_EQ(now.mode, 0640U);
    EXPECT_EQ(now.owner, before_.owner);
    const auto back = transaction->Apply({{kA, "11"}});
    ASSERT_TRUE(back);
    EXPECT_THAT(back->put_back, ElementsAre(Path()));
    EXPECT_EQ(Running(), "threads 2\n");
    ASSERT_TRUE(transaction->Apply({{Path(), "threads 4\n"}}));
  }
  EXPECT_EQ(*ReadFileImage(File()), before_);
  EXPECT_EQ(Running(), "threads 2\n");
  EXPECT_EQ(All(), start_);
}

TEST_F(TransactionFilesTest, AFileThatWasNotThereIsGoneAgain) {
  std::filesystem::remove(File());
  {
    const auto transaction = Take(WithFile());
    ASSERT_TRUE(transaction->Apply({{Path(), "threads 8\n"}}));
    EXPECT_EQ(Bytes(), "threads 8\n");
  }
  EXPECT_FALSE(std::filesystem::exists(File()));
}

TEST_F(TransactionFilesTest, ExtendedAttributesComeBackToo) {
  if (::setxattr(File().c_str(), "user.note", "kept", 4, 0) != 0) {
    GTEST_SKIP() << "this file system has no extended attributes";
  }
  before_ = *ReadFileImage(File());
  ASSERT_TRUE(Take(WithFile())->Apply({{Path(), "threads 8\n"}}));
  EXPECT_EQ(*ReadFileImage(File()), before_);
  EXPECT_THAT(before_.attributes, SizeIs(1));
}

TEST_F(TransactionFilesTest, ContentsThatAreRefusedLeaveEverythingAsItWas) {
  TransactionSettings settings = WithFile();
  settings.files[Path()].check = {"grep", "-q", "threads", File()};
  const auto transaction = Take(settings);
  const auto refused = transaction->Apply({{kA, "11"}, {Path(), "thread 8\n"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kInvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("grep -q threads"));
  EXPECT_EQ(*ReadFileImage(File()), before_);
  EXPECT_EQ(All(), start_);
  EXPECT_EQ(Running(), "threads 2\n") << "the service reads the original again";
}

TEST_F(TransactionFilesTest, AReloadThatFailsOrHangsIsToldWithWhatItSaid) {
  TransactionSettings settings = WithFile();
  Reload& reload = settings.files[Path()].reload;
  reload.arguments = {"sh", "-c", "echo no such service >&2; exit 3"};
  auto refused = Take(settings)->Apply({{Path(), "threads 8\n"}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("status 3: no such service"));
  reload.arguments = {"sleep", "1000"};
  reload.timeout = std::chrono::milliseconds(50);
  refused = Take(settings)->Apply({{Path(), "threads 8\n"}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("sleep 1000: not done after 50 ms"));
  EXPECT_EQ(Bytes(), "threads 2\n");
}

// Whoever started us may ignore the ends of children, and that is inherited.
TEST_F(TransactionFilesTest, ACheckAndAReloadWhoseEndIsNotSeenDoNotPass) {
  const auto taken = Take(WithFile());
  const auto before = ::signal(SIGCHLD, SIG_IGN);
  const auto failed = RunReload({.arguments = {"false"}});
  const auto applied = taken->Apply({{Path(), "threads 8\n"}});
  ::signal(SIGCHLD, before);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Errc::kUnavailable);
  EXPECT_THAT(failed.error().message, HasSubstr("false: how it ended is not known"));
  EXPECT_FALSE(applied);
  EXPECT_EQ(Bytes(), "threads 2\n");
}

// While the service is reloaded, which may take seconds, somebody else works on the machine.
class BusyReloadTest : public TransactionFilesTest {
 protected:
  static constexpr char kTrace[] = "/proc/sys/kernel/yama/ptrace_scope";

  void SetUp() override {
    TransactionFilesTest::SetUp();
    kernel_.Add(kTrace, "1");
  }

  // Done as soon as the service has read the candidate's file.
  void SetDuringReload(const std::string& path, const std::string& text) {
    kernel_.BeforeRead([this, path, text, has_set = false](const std::string&) mutable {
      if (has_set || Running() != "threads 8\n") return;
      has_set = true;
      kernel_.Set(path, text);
    });
  }

  // Of a candidate with the file and with kA.
  Result<ApplyReport> Apply(ParameterTransaction& transaction) {
    return transaction.Apply({{Path(), "threads 8\n"}, {kA, "11"}});
  }
};

TEST_F(BusyReloadTest, WhatSomebodyElseSetsMeanwhileIsTheirsAndNamed) {
  SetDuringReload(kTrace, "2");
  {
    const auto transaction = Take(WithFile());
    const auto report = Apply(*transaction);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_THAT(report->side_effects, IsEmpty());
    EXPECT_THAT(report->noticed, ElementsAre(Change{kTrace, "1", "2"}));
    ASSERT_TRUE(transaction->Apply({}));
    EXPECT_EQ(Text(kTrace), "2");
  }
  EXPECT_EQ(Text(kTrace), "2");
}

TEST_F(BusyReloadTest, WhatWasAppliedToStayCanBeUndoneWithoutTheirs) {
  SetDuringReload(kTrace, "2");
  {
    const auto transaction = Take(WithFile());
    ASSERT_TRUE(Apply(*transaction));
    ASSERT_TRUE(transaction->Commit());
  }
  const auto report = RestorePrevious(kernel_, Settings().folder);
  ASSERT_TRUE(report && *report);
  EXPECT_THAT((*report)->noticed, ElementsAre(Change{kTrace, "1", "2"}));
  EXPECT_EQ(Text(kTrace), "2");
  EXPECT_EQ(Text(kA), "10");
}

TEST_F(BusyReloadTest, WhatSomebodyElseSetsOfWhatIsHeldStopsTheApply) {
  for (const std::string& path : {kA, kB, kAllowed}) {
    SetDuringReload(path, "99");
    {
      const auto transaction = Take(WithFile());
      const auto report = Apply(*transaction);
      ASSERT_FALSE(report) << path;
      EXPECT_EQ(report.error().code, Errc::kStale);
      EXPECT_THAT(report.error().message, HasSubstr(NameOfPath(path)));
    }
    EXPECT_EQ(Text(path), "99");
    EXPECT_EQ(Bytes(), "threads 2\n");
    kernel_.BeforeRead(nullptr);
    for (const auto& [one, text] : start_) kernel_.Set(one, text);
  }
}

TEST_F(TransactionFilesTest, SomebodyElsesChangeIsNoticedAndKeptAndNamed) {
  for (const bool is_bytes : {true, false}) {
    const auto transaction = Take(WithFile());
    ASSERT_TRUE(transaction->Apply({{Path(), "threads 8\n"}}));
    if (is_bytes) Put("threads 7\n");
    if (!is_bytes) ::chmod(File().c_str(), 0600);
    const auto disturbed = transaction->CheckUndisturbed();
    ASSERT_FALSE(disturbed);
    EXPECT_EQ(disturbed.error().code, Errc::kStale);
    const auto report = transaction->Restore();
    ASSERT_TRUE(report);
    ASSERT_THAT(report->kept, SizeIs(1));
    EXPECT_EQ(report->kept[0].path, Path());
    EXPECT_EQ(Bytes(), is_bytes ? "threads 7\n" : "threads 8\n");
  }
}

TEST_F(TransactionFilesTest, WhatADeadHolderLeftIsPutBackAndReloaded) {
  DieAfter({{Path(), "threads 8\n"}});
  ASSERT_EQ(Running(), "threads 8\n");
  EXPECT_THAT(MustRestore().restored, SizeIs(1));
  EXPECT_EQ(*ReadFileImage(File()), before_);
  EXPECT_EQ(Running(), "threads 2\n");
}

// It died between writing the original and telling the service.
TEST_F(TransactionFilesTest, AServiceIsToldThoughItsFileIsBackAlready) {
  DieAfter({{Path(), "threads 8\n"}});
  ASSERT_TRUE(WriteFileImage(*FilePlace::Open(File()), before_));
  MustRestore();
  EXPECT_EQ(Running(), "threads 2\n");
}

TEST_F(TransactionFilesTest, AWriteWhoseEndNobodySawIsOursOnlyIfItIsWhatWasMeant) {
  DieAfter({{Path(), "threads 8\n"}});
  ForgetWhatBecameOfIt();
  std::ofstream(folder_->path() / ".service.conf.hone-new") << "half";
  EXPECT_THAT(MustRestore().restored, SizeIs(1));
  EXPECT_EQ(*ReadFileImage(File()), before_);
  EXPECT_FALSE(std::filesystem::exists(folder_->path() / ".service.conf.hone-new"));
  DieAfter({{Path(), "threads 8\n"}});
  ForgetWhatBecameOfIt();
  Put("threads 7\n");
  EXPECT_THAT(MustRestore().kept, SizeIs(1));
  EXPECT_EQ(Bytes(), "threads 7\n");
}

TEST_F(TransactionFilesTest, AFileOutlivesARestartOfTheMachineAndIsPutBackAfterIt) {
  DieAfter({{Path(), "threads 8\n"}});
  ForgetWhatBecameOfIt();
  HeldState state = ReadJournalFile(Journal::PathIn(Settings().folder))->state;
  state.ForgetUnfinished();
  EXPECT_TRUE(RestoreHeld(kernel_, state).is_settled);
  EXPECT_EQ(*ReadFileImage(File()), before_);
}

TEST_F(TransactionFilesTest, AReloadThatFailsDoesNotKeepTheJournal) {
  TransactionSettings settings = WithFile();
  const std::string stop = folder_->path() / "stopped";
  settings.files[Path()].reload.arguments = {"sh", "-c", "! test -e " + stop};
  KillWhenReady([&](int ready) {
    const auto transaction = Take(settings);
    if (!transaction->Apply({{Path(), "threads 8\n"}})) ::_exit(1);
    if (::write(ready, "x", 1) != 1) ::_exit(1);
    ::pause();
  });
  std::ofstream(stop) << "";
  const RestoreReport report = MustRestore();
  EXPECT_THAT(report.reload_faults,
              ElementsAre(HasSubstr("is back, but its service was not told: sh -c")));
  EXPECT_EQ(Bytes(), "threads 2\n");
  EXPECT_FALSE(std::filesystem::exists(Journal::PathIn(Settings().folder)));
}

// The service cannot be reloaded while a file "stopped" is there.
class UntoldServiceTest : public TransactionFilesTest {
 protected:
  void SetUp() override {
    TransactionFilesTest::SetUp();
    settings_ = WithFile();
    settings_.untold = std::make_shared<UntoldServices>();
    settings_.files[Path()].reload.arguments = {
        "sh", "-c", "test ! -e " + Stop() + " && cp " + File() + " " + Loaded()};
  }

  std::string Stop() const { return folder_->path() / "stopped"; }

  // With a candidate in force, and a service that does not listen any more.
  std::unique_ptr<ParameterTransaction> TakeAndStop() {
    auto transaction = Take(settings_);
    EXPECT_TRUE(transaction->Apply({{Path(), "threads 8\n"}}));
    std::ofstream(Stop()) << "";
    return transaction;
  }

  TransactionSettings settings_;
};

TEST_F(UntoldServiceTest, IsToldByTheNextApplyBeforeAnythingIsMeasured) {
  const auto transaction = TakeAndStop();
  const auto report = transaction->Restore();
  ASSERT_TRUE(report);
  EXPECT_THAT(report->reload_faults, ElementsAre(HasSubstr("service.conf is back, but its service "
                                                           "was not told: sh -c")));
  EXPECT_EQ(Bytes(), "threads 2\n");
  EXPECT_THAT(settings_.untold->Faults(), SizeIs(1));
  const auto refused = transaction->Apply({});
  ASSERT_FALSE(refused) << "the service still runs with " << Running();
  EXPECT_THAT(refused.error().message, HasSubstr("service.conf is back, but its service was not"));
  std::filesystem::remove(Stop());
  const auto applied = transaction->Apply({});
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_THAT(applied->put_back, ElementsAre(Path()));
  EXPECT_EQ(Running(), "threads 2\n");
  EXPECT_THAT(settings_.untold->Faults(), IsEmpty());
}

TEST_F(UntoldServiceTest, IsToldAtTheEndOfTheTransaction) {
  {
    const auto transaction = TakeAndStop();
    ASSERT_TRUE(transaction->Restore());
    EXPECT_EQ(Running(), "threads 8\n");
    std::filesystem::remove(Stop());
  }
  EXPECT_EQ(Running(), "threads 2\n");
  EXPECT_THAT(settings_.untold->Faults(), IsEmpty());
}

TEST_F(UntoldServiceTest, IsKnownAfterTheTransactionAndToldByTheNext) {
  TakeAndStop().reset();
  EXPECT_EQ(Bytes(), "threads 2\n");
  EXPECT_THAT(settings_.untold->Faults(), SizeIs(1));
  std::filesystem::remove(Stop());
  const auto transaction = Take(settings_);
  ASSERT_TRUE(transaction->Apply({}));
  EXPECT_EQ(Running(), "threads 2\n");
  EXPECT_THAT(settings_.untold->Faults(), IsEmpty());
}

TEST_F(UntoldServiceTest, IsToldByWhoFindsTheJournalAfterAKill) {
  KillWhenReady([&](int ready) {
    const auto transaction = TakeAndStop();
    if (!transaction->Restore()) ::_exit(1);
    if (::write(ready, "x", 1) != 1) ::_exit(1);
    ::pause();
  });
  EXPECT_EQ(Bytes(), "threads 2\n");
  std::filesystem::remove(Stop());
  EXPECT_THAT(MustRestore().reload_faults, IsEmpty());
  EXPECT_EQ(Running(), "threads 2\n");
}

}  // namespace
}  // namespace hone::sysctl

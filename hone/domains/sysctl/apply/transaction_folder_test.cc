// SPDX-License-Identifier: Apache-2.0
// A service's file lies in a folder of somebody who is not trusted, and who puts a link to another
// folder of root's in its place. Whenever that is done, nothing is written there.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <stop_token>
#include <thread>

#include "hone/base/file.h"
#include "hone/domains/sysctl/apply/journal.h"
#include "hone/domains/sysctl/apply/transaction_for_test.h"
#include "hone/testing/test_machine.h"
#include "hone/testing/wait_until.h"

namespace hone::sysctl {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::SizeIs;

constexpr uid_t kAttacker = 65534;

class TransactionFolderTest : public TransactionOnFakeKernel {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    for (const fs::path& folder : {Home(), ConfD(), Outside()}) fs::create_directory(folder);
    std::ofstream(Outside() / ".service.conf.hone-new") << "precious";
    fs::create_symlink(Outside(), Link());
    for (const fs::path& theirs : {Home(), ConfD(), Link()}) {
      ASSERT_EQ(::lchown(theirs.c_str(), kAttacker, kAttacker), 0);
    }
    outside_ = OutsideNow();
  }

  void TearDown() override {
    if (IsSkipped()) return;
    EXPECT_EQ(OutsideNow(), outside_);
  }

  fs::path Home() const { return folder_->path() / "home"; }
  fs::path ConfD() const { return Home() / "conf.d"; }
  fs::path Link() const { return Home() / "link"; }
  fs::path Outside() const { return folder_->path() / "outside"; }
  fs::path File() const { return ConfD() / "service.conf"; }
  std::string Path() const { return PathOfFile(File()); }
  std::string Bytes() const { return ReadFile(File()).value_or("(gone)"); }
  fs::path JournalFile() const { return Journal::PathIn(Settings().folder); }

  // Names, contents, modes, owners, and when anything was last made or removed there.
  std::vector<std::string> OutsideNow() const {
    struct stat facts {};
    ::stat(Outside().c_str(), &facts);
    std::vector<std::string> lines{std::to_string(facts.st_ctim.tv_sec) + "." +
                                   std::to_string(facts.st_ctim.tv_nsec)};
    for (const auto& entry : fs::directory_iterator(Outside())) {
      lines.push_back(entry.path().filename().native() + ": " +
                      FingerprintOf(*ReadFileImage(entry.path())));
    }
    std::sort(lines.begin() + 1, lines.end());
    return lines;
  }

  // The folder and the link change places, at once.
  void Swap() const {
    ::renameat2(AT_FDCWD, ConfD().c_str(), AT_FDCWD, Link().c_str(), RENAME_EXCHANGE);
  }

  void Put(const std::string& text) const {
    std::ofstream(File()) << text;
    ASSERT_EQ(::chown(File().c_str(), kAttacker, kAttacker), 0);
  }

  TransactionSettings WithFile() const {
    TransactionSettings settings = Settings();
    settings.paths = {Path()};
    settings.couplings = {};
    settings.files[Path()] = {};
    return settings;
  }

  void DieAfterApply(
      const TransactionSettings& settings, const std::function<void()>& meanwhile = [] {}) {
    KillWhenReady(
        [&](int ready) {
          const auto transaction = Take(settings);
          if (!transaction || !transaction->Apply({{Path(), "threads 8\n"}})) ::_exit(1);
          if (::write(ready, "x", 1) != 1) ::_exit(1);
          ::pause();
        },
        meanwhile);
  }

  // The journal as it was before its last `now`.
  void ForgetWhatBecameOfIt() const {
    const std::string text = *ReadFile(JournalFile());
    const std::size_t now = text.find("\tnow\t" + Path());
    ASSERT_NE(now, std::string::npos);
    std::ofstream(JournalFile(), std::ios::trunc) << text.substr(0, text.rfind('\n', now) + 1);
  }

  std::string RestoreFault() {
    const auto report = RestoreAfterCrash(kernel_, Settings().folder);
    return report ? "" : report.error().message;
  }

  std::vector<std::string> outside_;
};

TEST_F(TransactionFolderTest, LinkInPlaceOfTheFolderIsRefusedAtTheStart) {
  Swap();
  const auto transaction = ParameterTransaction::Take(kernel_, WithFile());
  ASSERT_FALSE(transaction);
  EXPECT_THAT(transaction.error().message, HasSubstr("conf.d is a link to " + Outside().native()));
}

// The file is not there, as with PostgreSQL: it is not there outside either.
TEST_F(TransactionFolderTest, NothingIsWrittenThroughALinkThatCameLater) {
  const auto transaction = Take(WithFile());
  Swap();
  const auto applied = transaction->Apply({{Path(), "threads 8\n"}});
  ASSERT_FALSE(applied);
  EXPECT_THAT(applied.error().message, HasSubstr("conf.d is a link"));
  Swap();
  ASSERT_TRUE(transaction->Apply({{Path(), "threads 8\n"}}));
  Swap();
  EXPECT_EQ(transaction->CheckUndisturbed().error().code, Errc::kStale);
  const auto report = transaction->Restore();
  ASSERT_TRUE(report);
  ASSERT_THAT(report->failed, SizeIs(1));
  EXPECT_THAT(report->failed[0].after, HasSubstr("conf.d is a link"));
  Swap();
  EXPECT_EQ(Bytes(), "threads 8\n");
  EXPECT_TRUE(transaction->Restore()->IsClean());
  EXPECT_EQ(Bytes(), "(gone)");
}

TEST_F(TransactionFolderTest, EndWithTheFolderSwappedKeepsTheJournalAndTheNextStartPutsBack) {
  Put("threads 2\n");
  {
    const auto transaction = Take(WithFile());
    ASSERT_TRUE(transaction->Apply({{Path(), "threads 8\n"}}));
    Swap();
  }
  EXPECT_TRUE(fs::exists(JournalFile()));
  Swap();
  EXPECT_TRUE(Take(WithFile())->recovered());
  EXPECT_EQ(Bytes(), "threads 2\n");
}

TEST_F(TransactionFolderTest, WhatADeadHolderLeftStaysUntilTheFolderIsBack) {
  Put("threads 2\n");
  DieAfterApply(WithFile());
  ForgetWhatBecameOfIt();
  Swap();
  const std::string fault = RestoreFault();
  EXPECT_THAT(fault, HasSubstr(File().native() + " could not be put back"));
  EXPECT_THAT(fault, HasSubstr("conf.d is a link"));
  EXPECT_THAT(fault, HasSubstr("The journal stays and has the original bytes"));
  Swap();
  EXPECT_EQ(Bytes(), "threads 8\n");
  EXPECT_EQ(RestoreFault(), "");
  EXPECT_EQ(Bytes(), "threads 2\n");
}

TEST_F(TransactionFolderTest, AnotherFolderOfTheSameNameIsNotWrittenTo) {
  Put("threads 2\n");
  DieAfterApply(WithFile());
  fs::rename(ConfD(), Home() / "old");
  fs::create_directory(ConfD());
  Put("threads 8\n");
  EXPECT_THAT(RestoreFault(), HasSubstr("its folder is another one"));
  EXPECT_EQ(Bytes(), "threads 8\n");
  fs::remove_all(ConfD());
  EXPECT_THAT(RestoreFault(), HasSubstr("there is no folder"));
  fs::rename(Home() / "old", ConfD());
  ASSERT_EQ(::chown(ConfD().c_str(), 0, 0), 0);
  EXPECT_THAT(RestoreFault(), HasSubstr("its folder is another one"));
  ASSERT_EQ(::chown(ConfD().c_str(), kAttacker, kAttacker), 0);
  EXPECT_EQ(RestoreFault(), "");
  EXPECT_EQ(Bytes(), "threads 2\n");
}

TEST_F(TransactionFolderTest, WhatIsNoPlainFileStaysAndSoDoesTheJournal) {
  const fs::path aside = Home() / "aside";
  const std::function<void()> puts[] = {
      [&] { fs::create_symlink(Outside() / ".service.conf.hone-new", File()); },
      [&] { ASSERT_EQ(::mkfifo(File().c_str(), 0600), 0); },
      [&] { fs::create_hard_link(aside, File()); }, [&] { fs::create_directory(File()); }};
  Put("threads 2\n");
  for (const auto& put : puts) {
    DieAfterApply(WithFile());
    fs::rename(File(), aside);
    put();
    EXPECT_THAT(RestoreFault(), HasSubstr("could not be put back"));
    fs::remove(File());
    fs::rename(aside, File());
    EXPECT_EQ(RestoreFault(), "");
    EXPECT_EQ(Bytes(), "threads 2\n");
  }
}

TEST_F(TransactionFolderTest, TheGuardianWritesThroughNoLinkEither) {
  Put("threads 2\n");
  TransactionSettings settings = WithFile();
  settings.has_guardian = true;
  DieAfterApply(settings, [this] { Swap(); });
  const fs::path note = settings.folder / "last-restore.txt";
  WaitUntil([&] { return fs::exists(note); }, "the guardian has given up");
  EXPECT_THAT(ReadFile(note).value(), HasSubstr("conf.d is a link"));
  EXPECT_TRUE(fs::exists(JournalFile()));
  Swap();
  EXPECT_EQ(RestoreFault(), "");
  EXPECT_EQ(Bytes(), "threads 2\n");
}

// As often as it can, at any moment of any write.
TEST_F(TransactionFolderTest, NothingIsEverWrittenOutsideWhileTheFolderIsSwappedAllTheTime) {
  constexpr int kMinRounds = 200;
  constexpr int kMinSwaps = 20'000;
  Put("threads 2\n");
  std::atomic<int> swaps{0};
  int applied = 0;
  {
    const std::jthread attacker([&](const std::stop_token& stop) {
      for (; !stop.stop_requested(); ++swaps) Swap();
    });
    for (int round = 0; round < kMinRounds || swaps < kMinSwaps; ++round) {
      const auto transaction = ParameterTransaction::Take(kernel_, WithFile());
      if (!transaction) continue;
      for (const char* text : {"threads 8\n", "threads 4\n"}) {
        applied += (*transaction)->Apply({{Path(), text}}).has_value() ? 1 : 0;
      }
    }
  }
  std::cout << applied << " were applied during " << swaps << " swaps\n";
  if (fs::is_symlink(ConfD())) Swap();
  EXPECT_EQ(RestoreFault(), "");
  EXPECT_EQ(Bytes(), "threads 2\n");
}

}  // namespace
}  // namespace hone::sysctl

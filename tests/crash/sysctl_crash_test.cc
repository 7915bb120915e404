// SPDX-License-Identifier: Apache-2.0
// A tuner of the host's parameters is killed at random moments of taking, applying, measuring,
// restoring and letting go; now and then its guardian with it. It holds the file of a service too.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iostream>
#include <map>
#include <thread>

#include "hone/base/file.h"
#include "hone/core/rng.h"
#include "hone/domains/sysctl/apply/transaction.h"
#include "tests/crash/sysctl_host.h"
#include "tests/crash/sysctl_parameters.h"

namespace hone::sysctl {
namespace {

constexpr std::uint64_t kSeed = 20'261'115;

class SysctlCrashTest : public HostTest {
 protected:
  void SetUp() override {
    HostTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    const auto file = ServiceFileOf(Folder());
    std::ofstream(file) << "threads original\n";
    ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
    ASSERT_EQ(::chown(file.c_str(), 7, 8), 0);
    image_ = *ReadFileImage(file);
    ASSERT_TRUE(WriteFileDurably(LoadedFileOf(Folder()), image_.bytes));
  }

  // Bytes, owner and mode; and the service runs with them.
  void ExpectFileAsAtStart(const std::string& when) {
    EXPECT_EQ(*ReadFileImage(ServiceFileOf(Folder())), image_) << when;
    EXPECT_EQ(*ReadFile(LoadedFileOf(Folder())), image_.bytes) << when;
    EXPECT_FALSE(std::filesystem::exists(Folder().parent_path() / ".service.conf.hone-new"))
        << when;
  }

  struct Death {
    std::string phase;
    bool has_guardian = false;  // One is left.
  };

  // Frozen first, so that what it does is seen, and so that it cannot answer the guardian's death.
  Death Kill(Killable& holder, bool with_guardian) {
    ::kill(holder.pid(), SIGSTOP);
    Death death;
    death.phase = holder.LastLine();
    const auto guardians = ChildrenOf(holder.pid());
    if (with_guardian) {
      for (const pid_t guardian : guardians) ::kill(guardian, SIGKILL);
    }
    death.has_guardian = !with_guardian && !guardians.empty();
    holder.Kill();
    return death;
  }

  // By the next start: of a hold, or of `hone sysctl restore`.
  void RestoreByRestart(Rng& rng) {
    if (rng.Coin()) {
      const auto report = RestoreAfterCrash(*files_, Folder());
      ASSERT_TRUE(report) << report.error().message;
      return;
    }
    TransactionSettings settings = TransactionOnHost(*files_, Folder());
    settings.has_guardian = false;
    const auto transaction = ParameterTransaction::Take(*files_, settings);
    ASSERT_TRUE(transaction) << transaction.error().message;
  }

  // Some time after the beginning of some phase, so that a busy machine sees all of them too.
  void AwaitMoment(Killable& holder, Rng& rng) {
    const std::vector<std::string> phases{"take", "apply", "apply", "trial", "trial", "restore"};
    const std::string& phase = phases[rng.Below(phases.size())];
    for (std::uint64_t i = rng.Below(2) + 1; i > 0; --i) AwaitLine(holder, phase);
    std::this_thread::sleep_for(std::chrono::microseconds(rng.Below(100'000)));
  }

  void RunOnce(Rng& rng) {
    const bool with_guardian = rng.Below(4) == 0;
    Killable holder(Holder("loop", Folder(), rng.Next()));
    AwaitMoment(holder, rng);
    const Death death = Kill(holder, with_guardian);
    ++phases_[death.phase];
    if (death.has_guardian) {
      const auto took = Await([this] { return !HasJournal(); });
      ASSERT_TRUE(took) << "the guardian did not restore after a death in " << death.phase;
      seconds_.push_back(took->count());
    } else {
      ++without_guardian_;
      if (HasJournal()) RestoreByRestart(rng);
    }
    const std::string when =
        "killed in " + death.phase + (with_guardian ? " with its guardian" : "");
    ExpectAsAtStart(when);
    ExpectFileAsAtStart(when);
  }

  FileImage image_;
  std::map<std::string, int> phases_;
  std::vector<double> seconds_;  // That guardians took.
  int without_guardian_ = 0;
};

TEST_F(SysctlCrashTest, KilledAtRandomMomentsAllOriginalsAreBack) {
  Rng rng(kSeed);
  std::cout << "seed " << kSeed << "\n";
  const int kills = NumberFromEnvironment("HONE_KILLS", HONE_USUAL_KILLS);
  for (int kill = 0; kill < kills && !HasFailure(); ++kill) RunOnce(rng);
  for (const auto& [phase, count] : phases_) std::cout << phase << ": " << count << " kills\n";
  std::sort(seconds_.begin(), seconds_.end());
  ASSERT_FALSE(seconds_.empty());
  std::cout << "guardians restored in " << seconds_[seconds_.size() / 2] * 1e3 << " ms (median), "
            << seconds_.back() * 1e3 << " ms (longest); " << without_guardian_
            << " deaths without one\n";
  EXPECT_LT(seconds_[seconds_.size() / 2], 1.0);
  EXPECT_GT(without_guardian_, 0);
}

}  // namespace
}  // namespace hone::sysctl

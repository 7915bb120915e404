// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/sqlite/change_signal.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "hone/base/temp_dir.h"
#include "hone/testing/wait_until.h"

namespace hone {
namespace {

class ChangeSignalTest : public testing::Test {
 protected:
  std::unique_ptr<ChangeSignal> Hang(std::function<void()> on_ring) {
    auto change_signal = WatchChanges(folder_->path() / "bell", std::move(on_ring));
    EXPECT_TRUE(change_signal) << change_signal.error().message;
    return change_signal ? std::move(*change_signal) : nullptr;
  }

  Result<TempDir> folder_ = TempDir::Make("bell");
};

TEST_F(ChangeSignalTest, EveryoneHearsARing) {
  std::atomic<bool> first = false;
  std::atomic<bool> second = false;
  const auto change_signal = Hang([&] { first = true; });
  const auto other = Hang([&] { second = true; });
  change_signal->Ring();
  WaitUntil([&] { return first && second; }, "both hear it");
}

TEST_F(ChangeSignalTest, AProcessThatDiesRings) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto change_signal = WatchChanges(folder_->path() / "bell", [] {});
    ::raise(change_signal ? SIGSTOP : SIGABRT);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
  ASSERT_TRUE(WIFSTOPPED(status));
  std::atomic<bool> heard = false;
  const auto change_signal = Hang([&] { heard = true; });
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  WaitUntil([&] { return heard.load(); }, "the death is heard");
}

TEST_F(ChangeSignalTest, AFolderThatIsNotThereIsAnError) {
  const auto change_signal = WatchChanges(folder_->path() / "missing" / "bell", [] {});
  ASSERT_FALSE(change_signal);
  EXPECT_NE(change_signal.error().message.find("missing/bell"), std::string::npos);
}

}  // namespace
}  // namespace hone

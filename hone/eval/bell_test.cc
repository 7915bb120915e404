// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/bell.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <semaphore>

#include "hone/base/temp_dir.h"

namespace hone {
namespace {

class BellTest : public testing::Test {
 protected:
  std::unique_ptr<Bell> Hang(std::function<void()> on_ring) {
    auto bell = HangBell(folder_->path() / "bell", std::move(on_ring));
    EXPECT_TRUE(bell) << bell.error().message;
    return bell ? std::move(*bell) : nullptr;
  }

  Result<TempDir> folder_ = TempDir::Make("bell");
};

TEST_F(BellTest, EveryoneHearsARing) {
  std::binary_semaphore first(0);
  std::binary_semaphore second(0);
  const auto bell = Hang([&] { first.release(); });
  const auto other = Hang([&] { second.release(); });
  bell->Ring();
  first.acquire();
  second.acquire();
}

TEST_F(BellTest, AProcessThatDiesRings) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto bell = HangBell(folder_->path() / "bell", [] {});
    ::raise(bell ? SIGSTOP : SIGABRT);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
  ASSERT_TRUE(WIFSTOPPED(status));
  std::binary_semaphore heard(0);
  const auto bell = Hang([&] { heard.release(); });
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  heard.acquire();
}

TEST_F(BellTest, AFolderThatIsNotThereIsAnError) {
  const auto bell = HangBell(folder_->path() / "missing" / "bell", [] {});
  ASSERT_FALSE(bell);
  EXPECT_NE(bell.error().message.find("missing/bell"), std::string::npos);
}

}  // namespace
}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#include "hone/base/process/linked_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <string>

#include "hone/base/json/json_frames.h"

namespace hone {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

LinkedProcess StartShell(const std::string& script) {
  auto started = LinkedProcess::Start({"/bin/sh", {"sh", "-c", script}});
  EXPECT_TRUE(started) << started.error().message;
  return *std::move(started);
}

TEST(LinkedProcessTest, SpeaksThroughItsSocket) {
  LinkedProcess process = StartShell("cat <&3 >&3");
  ASSERT_TRUE(SendFrame(process.socket(), "an echo"));
  EXPECT_EQ(*ReceiveFrame(process.socket()), Json("an echo"));
}

TEST(LinkedProcessTest, OneThatSeesTheEndLeavesInItsOwnWay) {
  LinkedProcess process = StartShell("read word <&3; exit 7");
  const int status = process.End(seconds{10});
  EXPECT_EQ(TextOfEnd(status), "ended with status 7");
  EXPECT_FALSE(process.is_alive());
}

TEST(LinkedProcessTest, OneThatDoesNotIsKilled) {
  LinkedProcess process = StartShell("exec sleep 60");
  EXPECT_EQ(TextOfEnd(process.End(milliseconds{1})), "died by SIGKILL");
}

TEST(LinkedProcessTest, NothingOfItIsLeftWhenItsOwnerIs) {
  pid_t pid = 0;
  {
    const LinkedProcess process = StartShell("cat <&3");
    pid = process.pid();
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

TEST(LinkedProcessTest, OneThatIsMovedHasOneOwner) {
  LinkedProcess first = StartShell("cat <&3 >&3");
  LinkedProcess second = std::move(first);
  EXPECT_FALSE(first.is_alive());  // NOLINT(bugprone-use-after-move)
  ASSERT_TRUE(SendFrame(second.socket(), 1));
  EXPECT_EQ(*ReceiveFrame(second.socket()), Json(1));
}

TEST(LinkedProcessTest, AProgramThatIsNotThereIsAnError) {
  const auto started = LinkedProcess::Start({"/nonexistent/program", {"program"}});
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().message.find("/nonexistent/program"), std::string::npos);
}

}  // namespace
}  // namespace hone

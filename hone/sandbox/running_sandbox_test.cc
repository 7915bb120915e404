// SPDX-License-Identifier: Apache-2.0
#include "hone/sandbox/running_sandbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "hone/sandbox/sandbox_for_test.h"
#include "hone/sandbox/warm_sandboxes.h"
#include "hone/testing/test_machine.h"
#include "hone/testing/wait_until.h"

namespace hone {
namespace {

using End = SandboxResult::End;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

class RunningSandboxTest : public LeavesNothingTest {};
class WarmSandboxesTest : public LeavesNothingTest {};

struct Conversation {
  std::unique_ptr<RunningSandbox> sandbox;
  Descriptor ours;
};

Conversation Start(const std::string& attack) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
  const Descriptor theirs(ends[1]);
  SandboxCommand command = Attack(attack);
  command.descriptors = {theirs.get()};
  auto sandbox = RunningSandbox::Start(std::move(command));
  EXPECT_TRUE(sandbox.has_value()) << sandbox.error().message;
  return {sandbox ? *std::move(sandbox) : nullptr, Descriptor(ends[0])};
}

std::string Hear(const Descriptor& socket) {
  std::array<char, 256> word{};
  const ssize_t got = ::recv(socket.get(), word.data(), word.size(), 0);
  return got < 0 ? "error" : std::string(word.data(), static_cast<std::size_t>(got));
}

bool Say(const Descriptor& socket, const std::string& word) {
  return ::send(socket.get(), word.data(), word.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(word.size());
}

bool BecomesReadable(int descriptor, seconds wait_timeout = seconds{60}) {
  pollfd wait{descriptor, POLLIN, 0};
  return ::poll(&wait, 1, static_cast<int>(milliseconds(wait_timeout).count())) == 1;
}

TEST_F(RunningSandboxTest, TalksThroughWhatItWasHanded) {
  const Conversation talk = Start("converse");
  EXPECT_EQ(Hear(talk.ours), "ready");
  EXPECT_EQ(talk.sandbox->Threads(), 1);
  EXPECT_FALSE(talk.sandbox->WaitFor(milliseconds{0}));
  ASSERT_TRUE(Say(talk.ours, "hello"));
  EXPECT_EQ(Hear(talk.ours), "hello");
  EXPECT_TRUE(BecomesReadable(talk.sandbox->pidfd()));
  const auto& result = talk.sandbox->Wait();
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->status, 0);
  EXPECT_EQ(talk.sandbox->Threads(), 0);
  EXPECT_EQ(Hear(talk.ours), "");  // Nobody holds the other end.
}

TEST_F(RunningSandboxTest, ACrashIsSeenAtOnce) {
  const Conversation talk = Start("crash");
  EXPECT_TRUE(BecomesReadable(talk.sandbox->pidfd()));
  EXPECT_EQ(talk.sandbox->Wait()->status, SIGSEGV);
}

TEST_F(RunningSandboxTest, IsKilledWithAllThatItStarted) {
  const Conversation talk = Start("threads");
  WaitUntil([&] { return talk.sandbox->Threads() >= 64; }, "all threads run");
  EXPECT_EQ(talk.sandbox->Threads(), 64);
  talk.sandbox->Kill();
  EXPECT_EQ(talk.sandbox->Wait()->end, End::kStopped);
}

TEST_F(RunningSandboxTest, EndsWithItsOwner) {
  Conversation talk = Start("ignore-term");
  talk.sandbox.reset();
  EXPECT_EQ(Hear(talk.ours), "");
}

TEST_F(RunningSandboxTest, AMissingProgramIsSeenInTheResult) {
  SandboxCommand command;
  command.arguments = {"/no/such/program"};
  const auto sandbox = RunningSandbox::Start(command);
  ASSERT_TRUE(sandbox.has_value());
  EXPECT_EQ((*sandbox)->Wait().error().code, Errc::kNotFound);
}

// Waits for a socket whose other end only the sandbox holds.
TEST_F(RunningSandboxTest, WhenWeAreKilledEverythingInsideDies) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
  const Descriptor ours(ends[0]);
  Descriptor theirs(ends[1]);
  std::filesystem::path home;
  if (!OurGroupPlaces().places.empty()) {
    home = OurGroupPlaces().places.begin()->second.folder.parent_path();
  }
  KillWhenReady(
      [&](int ready) {
        SandboxCommand command = Attack("converse");
        command.descriptors = {theirs.get()};
        const auto sandbox = RunningSandbox::Start(command);
        theirs.Close();
        if (!sandbox || Hear(ours) != "ready") return;
        if (::write(ready, "r", 1) < 0) return;
        ::pause();
      },
      [&] { theirs.Close(); });
  EXPECT_TRUE(BecomesReadable(ours.get()));
  EXPECT_EQ(Hear(ours), "");
  // What it could not remove, the next one does.
  if (home.empty()) return;
  int left = 0;
  const pid_t next = ::fork();
  if (next == 0) ::_exit(RunInSandbox(Attack("whoami")).has_value() ? 0 : 1);
  int status = 0;
  ::waitpid(next, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  for (const auto& entry : std::filesystem::directory_iterator(home)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("hone-sandbox-")) continue;
    const std::string pid = name.substr(name.rfind('-') + 1);
    if (pid != std::to_string(next) && !std::filesystem::exists("/proc/" + pid)) ++left;
  }
  EXPECT_EQ(left, 0);
}

TEST_F(WarmSandboxesTest, AreReadyWhenTheyAreWanted) {
  const auto warm_sandboxes = WarmSandboxes::Make(2, ReadyOnFirstMessage(Attack("converse")));
  WaitUntil([&] { return warm_sandboxes->Ready() >= 2; }, "two are ready");
  for (int i = 0; i < 6; ++i) {
    auto warm = warm_sandboxes->Take();
    ASSERT_TRUE(warm.has_value()) << warm.error().message;
    ASSERT_TRUE(Say(warm->ours[0], "hello"));
    EXPECT_EQ(Hear(warm->ours[0]), "hello");
    EXPECT_EQ(warm->sandbox->Wait()->status, 0);
  }
  WaitUntil([&] { return warm_sandboxes->Ready() >= 2; }, "two are ready");
}

TEST_F(WarmSandboxesTest, NoneIsStartedWhileTheyRest) {
  std::atomic<int> made = 0;
  const auto warm_sandboxes =
      WarmSandboxes::Make(2, [&](const std::stop_token& stop) -> Result<WarmSandbox> {
        ++made;
        return ReadyOnFirstMessage(Attack("converse"))(stop);
      });
  auto rest = warm_sandboxes->Rest();
  const int before = made;
  while (warm_sandboxes->Ready() > 0) EXPECT_TRUE(warm_sandboxes->Take().has_value());
  EXPECT_EQ(made, before);
  rest.reset();
  EXPECT_TRUE(warm_sandboxes->Take().has_value());
  EXPECT_GT(made, before);
}

TEST_F(WarmSandboxesTest, OneThatDiedWhileItWaitedIsNotHandedOut) {
  std::atomic<int> made{0};
  auto make = ReadyOnFirstMessage(Attack("converse"));
  const auto warm_sandboxes =
      WarmSandboxes::Make(1, [&](const std::stop_token& stop) -> Result<WarmSandbox> {
        auto warm = make(stop);
        if (warm && made++ == 0) {
          warm->sandbox->Kill();
          warm->sandbox->Wait();
        }
        return warm;
      });
  WaitUntil([&] { return made > 0; }, "the first was made");
  auto warm = warm_sandboxes->Take();
  ASSERT_TRUE(warm.has_value()) << warm.error().message;
  ASSERT_TRUE(Say(warm->ours[0], "hello"));
  EXPECT_EQ(Hear(warm->ours[0]), "hello");
}

TEST_F(WarmSandboxesTest, OneThatIsNeverReadyIsAnErrorWithItsWords) {
  const auto warm_sandboxes =
      WarmSandboxes::Make(1, ReadyOnFirstMessage(Shell("echo I cannot >&2; exit 3")));
  const auto warm = warm_sandboxes->Take();
  ASSERT_FALSE(warm.has_value());
  EXPECT_EQ(warm.error().code, Errc::kUnavailable);
  EXPECT_THAT(warm.error().message, HasSubstr("ended before it was ready: I cannot"));
  const auto silent = ReadyOnFirstMessage(Attack("loop"), milliseconds{100})({});
  ASSERT_FALSE(silent.has_value());
  EXPECT_THAT(silent.error().message, HasSubstr("said nothing for too long"));
}

TEST_F(WarmSandboxesTest, StopWhileOneIsBeingMade) {
  const std::string mark = "hone-mark-" + std::to_string(::getpid());
  const std::vector<std::pair<std::string, std::function<bool()>>> moments{
      {"at once", [] { return true; }},
      {"it has a process", [] { return !OurChildren().empty(); }},
      {"its program runs", [&] { return CountProcesses(mark) > 0; }}};
  for (const auto& [what, holds] : moments) {
    const auto warm_sandboxes =
        WarmSandboxes::Make(3, ReadyOnFirstMessage(Attack("loop"), seconds{3600}));
    WaitUntil(holds, what);
  }
}

}  // namespace
}  // namespace hone

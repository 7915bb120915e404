// SPDX-License-Identifier: Apache-2.0
#include "hone/base/process/running_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <future>
#include <iterator>
#include <mutex>
#include <string>
#include <vector>

#include "hone/base/descriptor.h"
#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/testing/wait_until.h"

namespace hone {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using End = ProcessResult::End;

constexpr milliseconds kLong{60'000};

std::unique_ptr<RunningProcess> Started(std::string script, OnLine on_line = {},
                                        milliseconds limit = kLong) {
  Command command;
  command.arguments = {"sh", "-c", std::move(script)};
  command.limit = limit;
  auto process = RunningProcess::Start(std::move(command), std::move(on_line));
  EXPECT_TRUE(process.has_value()) << process.error().message;
  return process ? *std::move(process) : nullptr;
}

// The first line that a program prints.
class FirstLine {
 public:
  OnLine WorkerIdentity() {
    return [this](std::string_view line) {
      if (!std::exchange(has_line_, true)) line_.set_value(std::string(line));
    };
  }
  std::string Get() {
    auto line = line_.get_future();
    WaitUntil([&] { return line.wait_for(milliseconds{0}) == std::future_status::ready; },
              "the program prints a line");
    return line.get();
  }

 private:
  bool has_line_ = false;
  std::promise<std::string> line_;
};

bool WaitForEndOf(pid_t pid) {
  const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!handle.is_open()) return errno == ESRCH;
  pollfd wait{handle.get(), POLLIN, 0};
  return ::poll(&wait, 1, 30'000) == 1;
}

TEST(RunningProcessTest, RunsWhileWeDoOtherThings) {
  FirstLine first;
  const auto process = Started("echo up; sleep 1000", first.WorkerIdentity());
  EXPECT_EQ(first.Get(), "up");
  EXPECT_FALSE(process->WaitFor(milliseconds{1}));
  process->End();
  const auto& result = process->Wait();
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->end, End::kStopped);
  EXPECT_EQ(result->output, "up\n");
}

TEST(RunningProcessTest, TheResultIsThatOfRunProcess) {
  const auto process = Started("echo out; echo err >&2; exit 7");
  const auto& result = process->Wait();
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->end, End::kExited);
  EXPECT_EQ(result->status, 7);
  EXPECT_EQ(result->output, "out\n");
  EXPECT_EQ(result->errors, "err\n");
  EXPECT_TRUE(process->WaitFor(milliseconds{0}));
}

TEST(RunningProcessTest, LinesComeWholeAndInOrderWithTheLastOneUnfinished) {
  std::vector<std::string> lines;
  const auto process = Started("printf 'a'; sleep 0.05; printf 'b\\n\\nc'; sleep 0.05; printf 'd'",
                               [&](std::string_view line) { lines.emplace_back(line); });
  process->Wait();
  EXPECT_THAT(lines, ElementsAre("ab", "", "cd"));
}

TEST(RunningProcessTest, ALineWithoutEndIsHandedOnInPieces) {
  std::size_t longest = 0;
  std::size_t all = 0;
  const auto process =
      Started("head -c 1000000 /dev/zero | tr '\\0' x", [&](std::string_view line) {
        longest = std::max(longest, line.size());
        all += line.size();
      });
  process->Wait();
  EXPECT_EQ(all, 1'000'000u);
  EXPECT_LT(longest, 200'000u);
}

TEST(RunningProcessTest, AProgramThatIsAskedToEndMayTidyUp) {
  FirstLine first;
  const auto process =
      Started("trap 'echo tidy; exit 3' TERM; echo up; while :; do sleep 0.01; done",
              first.WorkerIdentity());
  first.Get();
  process->AskToEnd();
  const auto& result = process->Wait();
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->end, End::kExited);
  EXPECT_EQ(result->status, 3);
  EXPECT_EQ(result->output, "up\ntidy\n");
}

TEST(RunningProcessTest, AskingAtOnceOrTooLateIsHarmless) {
  for (int round = 0; round < 20; ++round) {
    const auto process = Started("exit 0");
    for (int i = 0; i < round; ++i) process->AskToEnd();
    const auto& result = process->Wait();
    ASSERT_TRUE(result.has_value()) << result.error().message;
    process->AskToEnd();
  }
}

TEST(RunningProcessTest, TheDestructorLeavesNothing) {
  FirstLine first;
  auto process = Started("trap '' TERM; (setsid sh -c 'echo $$; exec sleep 1000' &); sleep 1000",
                         first.WorkerIdentity());
  const pid_t escaped = std::stoi(first.Get());
  ASSERT_EQ(::kill(escaped, 0), 0);
  process.reset();
  EXPECT_NE(::kill(escaped, 0), 0);
}

TEST(RunningProcessTest, TheLimitAndTheStopTokenHold) {
  EXPECT_EQ(Started("sleep 1000", {}, milliseconds{50})->Wait()->end, End::kTimedOut);
  std::stop_source stop;
  Command command;
  command.arguments = {"sleep", "1000"};
  command.stop = stop.get_token();
  const auto process = RunningProcess::Start(std::move(command));
  ASSERT_TRUE(process.has_value()) << process.error().message;
  stop.request_stop();
  EXPECT_EQ((*process)->Wait()->end, End::kStopped);
}

TEST(RunningProcessTest, WhatDoesNotExistIsAnError) {
  Command command;
  command.arguments = {"/no/such/program"};
  const auto process = RunningProcess::Start(command);
  ASSERT_TRUE(process.has_value());
  const auto& result = (*process)->Wait();
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().message, "/no/such/program: no such program: is it installed?");
  command.arguments = {"no-such-program-of-hone"};
  EXPECT_FALSE(RunningProcess::Start(command).has_value());
}

TEST(RunningProcessTest, WhenWeAreKilledItGoesToo) {
  const auto folder = TempDir::Make();
  ASSERT_TRUE(folder.has_value());
  const std::string pipe = folder->path() / "pids";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const pid_t hone = ::fork();
  ASSERT_GE(hone, 0);
  if (hone == 0) {
    const auto process = Started("echo $$ $PPID > " + pipe + "; sleep 1000");
    process->Wait();
    ::_exit(1);
  }
  std::ifstream reading(pipe);
  const std::string text{std::istreambuf_iterator<char>(reading), {}};
  ASSERT_NE(text.find(' '), text.npos) << text;
  const pid_t program = std::stoi(text);
  const pid_t supervisor = std::stoi(text.substr(text.find(' ')));
  ASSERT_EQ(::kill(hone, SIGKILL), 0);
  ASSERT_EQ(::waitpid(hone, nullptr, 0), hone);
  EXPECT_TRUE(WaitForEndOf(program));
  EXPECT_TRUE(WaitForEndOf(supervisor));
}

}  // namespace
}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
// Programs that leave processes behind, or try to get away.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "hone/base/descriptor.h"
#include "hone/base/file.h"
#include "hone/base/process/process_tree.h"
#include "hone/base/process/subprocess.h"
#include "hone/base/temp_dir.h"

namespace hone {
namespace {

using End = ProcessResult::End;
using TreeEnvironment = std::map<std::string, std::string>;
using std::chrono::milliseconds;

ProcessResult ResultOfTree(std::string script, milliseconds limit = milliseconds{60'000}) {
  Command command;
  command.arguments = {"sh", "-c", std::move(script)};
  command.limit = limit;
  auto result = RunProcess(command);
  EXPECT_TRUE(result.has_value()) << result.error().message;
  return result ? *std::move(result) : ProcessResult{};
}

std::vector<pid_t> PidsIn(const std::string& text) {
  std::istringstream words(text);
  std::vector<pid_t> pids;
  for (pid_t pid = 0; words >> pid;) pids.push_back(pid);
  return pids;
}

bool IsAlive(pid_t pid) { return ::kill(pid, 0) == 0 || errno != ESRCH; }

void ExpectGone(const std::string& text, std::size_t count) {
  const std::vector<pid_t> pids = PidsIn(text);
  EXPECT_EQ(pids.size(), count) << text;
  for (const pid_t pid : pids) EXPECT_FALSE(IsAlive(pid)) << pid;
}

// Starts a process that forked twice and called setsid, tells its pid once it is on its own, and
// goes on.
constexpr const char* kEscape =
    "pid=$( (setsid sh -c 'trap \"\" TERM HUP INT; echo $$; exec sleep 1000 >&- 2>&-' &) ); "
    "echo $pid; ";

TEST(SubprocessTreeTest, AnEscapedGrandchildIsEndedWhenTheProgramExits) {
  const ProcessResult result = ResultOfTree(std::string(kEscape) + "exit 3");
  EXPECT_EQ(result.end, End::kExited);
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.stragglers, 1);
  ExpectGone(result.output, 1);
}

TEST(SubprocessTreeTest, AnEscapedGrandchildIsEndedAtTheLimit) {
  const ProcessResult result =
      ResultOfTree(std::string(kEscape) + "echo $$; while :; do sleep 1; done", milliseconds{500});
  EXPECT_EQ(result.end, End::kTimedOut);
  ExpectGone(result.output, 2);
  EXPECT_GE(result.stragglers, 1);
}

TEST(SubprocessTreeTest, AStragglerThatHoldsTheStreamsDoesNotKeepUsWaiting) {
  const ProcessResult result = ResultOfTree("sleep 1000 & echo $!; exit 0");
  EXPECT_EQ(result.end, End::kExited);
  EXPECT_EQ(result.stragglers, 1);
  ExpectGone(result.output, 1);
}

TEST(SubprocessTreeTest, SigtermAndStopDoNotSaveAProgram) {
  const ProcessResult result = ResultOfTree(
      "trap '' TERM INT HUP; echo $$; (kill -STOP $$) ; sleep 1000", milliseconds{200});
  EXPECT_EQ(result.end, End::kTimedOut);
  ExpectGone(result.output, 1);
}

TEST(SubprocessTreeTest, AProgramThatStopsItsSupervisorIsEndedAllTheSame) {
  const ProcessResult result =
      ResultOfTree("echo $$; kill -STOP $PPID; exec sleep 1000", milliseconds{100});
  EXPECT_EQ(result.end, End::kTimedOut);
  ExpectGone(result.output, 1);
}

TEST(SubprocessTreeTest, AForkStormIsEnded) {
  const ProcessResult result = ResultOfTree(
      "i=0; while [ $i -lt 200 ]; do setsid sh -c 'sleep 1000; :' & echo $!; i=$((i+1)); done; "
      "exit 0");
  EXPECT_EQ(result.end, End::kExited);
  ExpectGone(result.output, 200);
  EXPECT_GE(result.stragglers, 200);
}

TEST(SubprocessTreeTest, ADeepChainIsEnded) {
  const auto folder = TempDir::Make();
  ASSERT_TRUE(folder.has_value());
  const ProcessResult result = ResultOfTree(
      "cd " + folder->path().native() +
      "; mkfifo leaf; f() { if [ $1 -gt 0 ]; then (sh -c 'echo $PPID'; f $(($1-1)); :); else "
      "echo > leaf; exec sleep 1000; fi; }; f 40 & read x < leaf");
  EXPECT_EQ(result.end, End::kExited);
  EXPECT_GE(result.stragglers, 40);
  ExpectGone(result.output, 40);
}

int CountWithVariable(const std::string& variable) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const auto environment = ReadFile(entry.path() / "environ");
    if (environment && environment->find(variable) != std::string::npos) ++count;
  }
  return count;
}

// Each process starts the next and exits: it can only be caught between two of them.
TEST(SubprocessTreeTest, AProgramThatKeepsForkingAwayIsCaught) {
  const std::string mark = std::to_string(::getpid());
  Command command;
  command.arguments = {"sh", "-c", "run() { (run &) ; }; run; exec sleep 1000"};
  command.environment = TreeEnvironment{{"HONE_TEST_COMET", mark}};
  command.limit = milliseconds{300};
  const auto result = RunProcess(command);
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->end, End::kTimedOut);
  EXPECT_EQ(CountWithVariable("HONE_TEST_COMET=" + mark), 0);
}

TEST(SubprocessTreeTest, OrphansThatEndAreReapedMeanwhile) {
  const ProcessResult result = ResultOfTree(
      "i=0; while [ $i -lt 300 ]; do (true &) ; i=$((i+1)); done; "
      "until set -- $(cat /proc/$PPID/task/$PPID/children); [ $# -eq 1 ]; do :; done");
  EXPECT_EQ(result.end, End::kExited);
  EXPECT_EQ(result.stragglers, 0);
}

// Waits for a process that is not our child; false if it lives on for very long.
bool WaitForEndOfTree(pid_t pid) {
  const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!handle.is_open()) return errno == ESRCH;
  pollfd wait{handle.get(), POLLIN, 0};
  return ::poll(&wait, 1, 30'000) == 1;
}

TEST(SubprocessTreeTest, TheSupervisorsDeathIsAnErrorAndTakesTheProgramAlong) {
  const auto folder = TempDir::Make();
  ASSERT_TRUE(folder.has_value());
  Command command;
  command.arguments = {"sh", "-c", "echo $$ > pid; kill -KILL $PPID; exec sleep 1000"};
  command.folder = folder->path();
  const auto result = RunProcess(command);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Errc::kUnavailable);
  const std::vector<pid_t> pids = PidsIn(ReadFile(folder->path() / "pid").value());
  ASSERT_EQ(pids.size(), 1u);
  EXPECT_TRUE(WaitForEndOfTree(pids[0]));
}

TEST(SubprocessTreeTest, WhenWeAreKilledTheTreeGoesToo) {
  auto folder = TempDir::Make();
  ASSERT_TRUE(folder.has_value());
  const std::string pipe = folder->path() / "pids";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const pid_t hone = ::fork();
  ASSERT_GE(hone, 0);
  if (hone == 0) {
    ResultOfTree("exec >" + pipe + "; " + kEscape + "echo $$; echo $PPID; exec >&-; sleep 1000");
    ::_exit(1);
  }
  std::ifstream reading(pipe);
  const std::string text{std::istreambuf_iterator<char>(reading), {}};
  const std::vector<pid_t> pids = PidsIn(text);
  ASSERT_EQ(pids.size(), 3u) << text;
  for (const pid_t pid : pids) EXPECT_TRUE(IsAlive(pid));
  ASSERT_EQ(::kill(hone, SIGKILL), 0);
  ASSERT_EQ(::waitpid(hone, nullptr, 0), hone);
  for (const pid_t pid : pids) EXPECT_TRUE(WaitForEndOfTree(pid)) << pid;
}

TEST(SubprocessTreeTest, WhatWeHaveStartedDescendsFromOurProgramAndTheFirstProcessDoesNot) {
  EXPECT_EQ(DescendsFromOurProgram(::getpid()), true);
  EXPECT_EQ(DescendsFromOurProgram(1), false);
  const pid_t child = ::fork();
  if (child == 0) {
    ::execlp("sleep", "sleep", "1000", nullptr);
    ::_exit(127);
  }
  ASSERT_GT(child, 0);
  EXPECT_EQ(DescendsFromOurProgram(child), true);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(DescendsFromOurProgram(child), std::nullopt);
}

}  // namespace
}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#include "hone/base/process/subprocess.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "hone/base/temp_dir.h"

namespace hone {
namespace {

using End = ProcessResult::End;
using EnvironmentForTest = std::map<std::string, std::string>;
using std::chrono::milliseconds;
using testing::HasSubstr;

Command Shell(std::string script) {
  Command command;
  command.arguments = {"sh", "-c", std::move(script)};
  return command;
}

ProcessResult ResultOfCommand(const Command& command) {
  auto result = RunProcess(command);
  EXPECT_TRUE(result.has_value()) << result.error().message;
  return result ? *std::move(result) : ProcessResult{};
}

TEST(SubprocessTest, StatusAndStreamsAreKeptApart) {
  const ProcessResult result = ResultOfCommand(Shell("echo out; echo err >&2; exit 7"));
  EXPECT_EQ(result.end, End::kExited);
  EXPECT_EQ(result.status, 7);
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.errors, "err\n");
  EXPECT_FALSE(result.is_output_cut || result.is_errors_cut);
  EXPECT_EQ(result.stragglers, 0);
}

TEST(SubprocessTest, ArgumentsAreNotInterpreted) {
  Command command;
  command.arguments = {"printf", "%s|", "a b", "$HOME", "", "*", "é\n"};
  EXPECT_EQ(ResultOfCommand(command).output, "a b|$HOME||*|é\n|");
}

TEST(SubprocessTest, ASignalIsReported) {
  const ProcessResult result = ResultOfCommand(Shell("kill -SEGV $$"));
  EXPECT_EQ(result.end, End::kSignalled);
  EXPECT_EQ(result.status, SIGSEGV);
}

TEST(SubprocessTest, AMissingProgramIsAnErrorThatSaysWhatToDo) {
  Command command;
  command.arguments = {"hone-no-such-program"};
  const auto result = RunProcess(command);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Errc::kNotFound);
  EXPECT_EQ(result.error().message, "hone-no-such-program: no such program: is it installed?");
  command.arguments = {"/hone/no/such/program"};
  EXPECT_EQ(RunProcess(command).error().message,
            "/hone/no/such/program: no such program: is it installed?");
}

// Writes a program of this text and says why it does not start.
std::string WhyNotStarted(const std::string& text) {
  const auto folder = TempDir::Make();
  EXPECT_TRUE(folder.has_value());
  const std::filesystem::path file = folder->path() / "program";
  std::ofstream(file) << text;
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  Command command;
  command.arguments = {"./program"};
  command.folder = folder->path();
  const auto result = RunProcess(command);
  EXPECT_FALSE(result.has_value());
  return result ? "" : result.error().message;
}

TEST(SubprocessTest, AScriptThatDoesNotStartIsToldFromAMissingProgram) {
  EXPECT_EQ(WhyNotStarted("#! /no/such/python -u\n"),
            "./program: its first line names /no/such/python, which is not there: install it, or "
            "change the line");
  EXPECT_EQ(WhyNotStarted("#!/bin/sh\r\necho hello\r\n"),
            "./program: its first line names /bin/sh and ends as on Windows: remove the carriage "
            "returns");
  EXPECT_EQ(WhyNotStarted("echo hello\n"),
            "./program: neither a program of this machine nor a script: the first line of a script "
            "names what runs it, such as #!/bin/sh");
}

TEST(SubprocessTest, WhatIsNotAProgramIsAnError) {
  const auto folder = TempDir::Make();
  ASSERT_TRUE(folder.has_value());
  const std::string file = folder->path() / "file";
  std::ofstream(file) << "\x7f\x7f\x7f";
  Command command;
  command.arguments = {file};
  EXPECT_THAT(RunProcess(command).error().message, HasSubstr(file + ": may not be executed"));
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  EXPECT_FALSE(RunProcess(command).has_value());
  command.arguments = {folder->path()};
  EXPECT_FALSE(RunProcess(command).has_value());
}

TEST(SubprocessTest, BadRequestsAreErrors) {
  Command command;
  EXPECT_EQ(RunProcess(command).error().code, Errc::kInvalidArgument);
  command.arguments = {"echo", std::string("a\0b", 3)};
  EXPECT_EQ(RunProcess(command).error().code, Errc::kInvalidArgument);
  command = Shell("true");
  command.environment = EnvironmentForTest{{"A=B", "c"}};
  EXPECT_EQ(RunProcess(command).error().code, Errc::kInvalidArgument);
  command = Shell("true");
  command.cpus = {-1};
  EXPECT_EQ(RunProcess(command).error().code, Errc::kInvalidArgument);
  command = Shell("true");
  command.folder = "/hone/no/such/folder";
  EXPECT_EQ(RunProcess(command).error().message, "/hone/no/such/folder: no such file or folder");
}

TEST(SubprocessTest, RunsInTheFolder) {
  const auto folder = TempDir::Make();
  ASSERT_TRUE(folder.has_value());
  Command command = Shell("pwd -P");
  command.folder = folder->path();
  EXPECT_EQ(ResultOfCommand(command).output, folder->path().native() + "\n");
}

TEST(SubprocessTest, TheEnvironmentIsReplacedOrInherited) {
  ::setenv("HONE_TEST_VARIABLE", "ours", 1);
  Command command;
  command.arguments = {"env"};
  EXPECT_THAT(ResultOfCommand(command).output, HasSubstr("HONE_TEST_VARIABLE=ours\n"));
  command.environment = EnvironmentForTest{{"A", "x=y"}, {"B", ""}};
  EXPECT_EQ(ResultOfCommand(command).output, "A=x=y\nB=\n");
  command.environment.emplace();
  EXPECT_EQ(ResultOfCommand(command).output, "");
}

TEST(SubprocessTest, InputIsGivenAndEnds) {
  Command command;
  command.arguments = {"cat"};
  EXPECT_EQ(ResultOfCommand(command).output, "");
  command.input = std::string(3'000'000, 'x') + "end";
  command.max_output = 4 << 20;
  EXPECT_EQ(ResultOfCommand(command).output, command.input);
}

TEST(SubprocessTest, InputThatNobodyReadsDoesNoHarm) {
  Command command = Shell("exec <&-; echo done; sleep 0.05");
  command.input = std::string(1 << 20, 'x');
  EXPECT_EQ(ResultOfCommand(command).output, "done\n");
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
}

TEST(SubprocessTest, LongOutputIsCutAndDoesNotBlockTheProgram) {
  Command command = Shell("head -c 10000000 /dev/zero; head -c 10000000 /dev/zero >&2; exit 3");
  command.max_output = 1000;
  const ProcessResult result = ResultOfCommand(command);
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.output, std::string(1000, '\0'));
  EXPECT_EQ(result.errors.size(), 1000u);
  EXPECT_TRUE(result.is_output_cut && result.is_errors_cut);
}

TEST(SubprocessTest, OutputOfExactlyTheCapIsNotCut) {
  Command command = Shell("head -c 10000000 /dev/zero");
  command.max_output = 10'000'000;
  const ProcessResult result = ResultOfCommand(command);
  EXPECT_EQ(result.output.size(), 10'000'000u);
  EXPECT_FALSE(result.is_output_cut);
}

TEST(SubprocessTest, AProgramMayCloseItsStreamsEarly) {
  const ProcessResult result = ResultOfCommand(Shell("echo a; exec >&- 2>&-; sleep 0.05; exit 4"));
  EXPECT_EQ(result.status, 4);
  EXPECT_EQ(result.output, "a\n");
}

TEST(SubprocessTest, IsPinnedToTheGivenCpus) {
  cpu_set_t ours;
  ASSERT_EQ(sched_getaffinity(0, sizeof ours, &ours), 0);
  int last = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &ours)) last = cpu;
  }
  Command command = Shell("grep Cpus_allowed_list /proc/self/status");
  command.cpus = {last};
  EXPECT_EQ(ResultOfCommand(command).output, "Cpus_allowed_list:\t" + std::to_string(last) + "\n");
  command.cpus = {CPU_SETSIZE - 1};
  const auto result = RunProcess(command);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Errc::kUnsupported);
}

TEST(SubprocessTest, NoDescriptorOfOursLeaks) {
  const int plain = ::open("/dev/null", O_RDONLY);  // Without O_CLOEXEC, as a library might.
  ASSERT_GE(plain, 0);
  Command command;
  command.arguments = {"ls", "/proc/self/fd"};
  const ProcessResult result = ResultOfCommand(command);
  ::close(plain);
  EXPECT_EQ(result.output, "0\n1\n2\n3\n");  // The last is the folder that ls itself reads.
}

TEST(SubprocessTest, SignalsAreAsInAFreshProcess) {
  ::signal(SIGUSR1, SIG_IGN);
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const ProcessResult result = ResultOfCommand(Shell("grep -E 'Sig(Blk|Ign)' /proc/self/status"));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::signal(SIGUSR1, SIG_DFL);
  EXPECT_EQ(result.output, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST(SubprocessTest, WorksWhereChildrenAreReapedByTheSystem) {
  ::signal(SIGCHLD, SIG_IGN);
  const ProcessResult result = ResultOfCommand(Shell("exit 5"));
  ::signal(SIGCHLD, SIG_DFL);
  EXPECT_EQ(result.status, 5);
}

TEST(SubprocessTest, UseOfTheMachineIsCounted) {
  const ProcessResult busy =
      ResultOfCommand(Shell("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"));
  const ProcessResult idle = ResultOfCommand(Shell("true"));
  EXPECT_GT(busy.user + busy.system, 5 * (idle.user + idle.system));
  EXPECT_GE(busy.wall, std::chrono::microseconds{1});
  EXPECT_GT(busy.wall, idle.wall);
  const ProcessResult large =
      ResultOfCommand(Shell("x=$(head -c 50000000 /dev/zero | tr '\\0' x)"));
  EXPECT_GT(large.peak_memory_kib, 40'000);
}

// A child starts as a copy of its parent, and its peak counts from there: ours must not show in it.
TEST(SubprocessTest, OurOwnMemoryIsNotCounted) {
  const std::string ballast(200 << 20, 'x');
  EXPECT_LT(ResultOfCommand(Shell("true")).peak_memory_kib, 50'000) << ballast.size();
}

TEST(SubprocessTest, TheLimitEndsTheProgramAndKeepsItsOutput) {
  Command command = Shell("echo before; sleep 1000; echo after");
  command.limit = milliseconds{100};
  const ProcessResult result = ResultOfCommand(command);
  EXPECT_EQ(result.end, End::kTimedOut);
  EXPECT_EQ(result.status, SIGKILL);
  EXPECT_EQ(result.output, "before\n");
  EXPECT_GE(result.wall, command.limit);
}

TEST(SubprocessTest, ALongerLimitLastsLonger) {
  Command command = Shell("exec sleep 1000");
  command.limit = milliseconds{50};
  const auto brief = ResultOfCommand(command).wall;
  command.limit = milliseconds{500};
  EXPECT_GT(ResultOfCommand(command).wall, brief);
  command.limit = milliseconds{0};
  EXPECT_EQ(ResultOfCommand(command).end, End::kTimedOut);
}

TEST(SubprocessTest, AHugeLimitIsNoLimit) {
  Command command = Shell("true");
  command.limit = milliseconds::max();
  EXPECT_EQ(ResultOfCommand(command).end, End::kExited);
}

TEST(SubprocessTest, AStopEndsTheProgram) {
  std::stop_source source;
  Command command = Shell("trap '' TERM; while :; do sleep 1; done");
  command.stop = source.get_token();
  std::jthread stopper([&] { source.request_stop(); });
  EXPECT_EQ(ResultOfCommand(command).end, End::kStopped);
  EXPECT_EQ(ResultOfCommand(command).end, End::kStopped);  // The stop came before the start.
}

TEST(SubprocessTest, TenAtOnceDoNotMix) {
  std::vector<std::jthread> threads;
  threads.reserve(10);
  for (int i = 0; i < 10; ++i) {
    threads.emplace_back([i] {
      for (int k = 0; k < 5; ++k) {
        Command command = Shell("read x; (exit 9) & wait; echo $x; exit " + std::to_string(i));
        command.input = std::to_string(i * 100 + k) + "\n";
        const ProcessResult result = ResultOfCommand(command);
        EXPECT_EQ(result.status, i);
        EXPECT_EQ(result.output, command.input);
      }
    });
  }
}

}  // namespace
}  // namespace hone

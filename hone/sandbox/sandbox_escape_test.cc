// SPDX-License-Identifier: Apache-2.0
// Programs that try to reach what is outside.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hone/base/descriptor.h"
#include "hone/base/temp_dir.h"
#include "hone/sandbox/sandbox_for_test.h"

namespace hone {
namespace {

using End = SandboxResult::End;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class SandboxEscapeTest : public LeavesNothingTest {};

void ExpectRefused(const SandboxCommand& command) {
  const SandboxResult result = ResultOf(command);
  EXPECT_EQ(result.end, End::kExited) << result.status;
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, Not(HasSubstr("ESCAPED")));
  EXPECT_THAT(result.output, HasSubstr("refused"));
}

TEST_F(SandboxEscapeTest, SecretsOfTheMachineAreNotThere) { ExpectRefused(Attack("secrets")); }

TEST_F(SandboxEscapeTest, WhatOnlyRootMayReadStaysClosedInAView) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root: others could not read it in the first place";
  SandboxCommand command = Shell("cat /etc/shadow /etc/passwd");
  command.views = StandardViews();
  command.views.push_back({"/etc/shadow"});
  const SandboxResult result = ResultOf(command);
  EXPECT_THAT(result.errors, HasSubstr("Permission denied"));
  EXPECT_THAT(result.output, HasSubstr("hone:x:1000"));
}

TEST_F(SandboxEscapeTest, ViewsCannotBeWritten) {
  SandboxCommand command = Attack("write");
  command.views = StandardViews();
  ExpectRefused(command);
}

TEST_F(SandboxEscapeTest, OnlyItsOwnProcessesAreSeen) {
  const SandboxResult result = ResultOf(Attack("processes"));
  EXPECT_THAT(result.output, AnyOf("self thread-self 1 2 \n", "1 2 self thread-self \n"));
}

TEST_F(SandboxEscapeTest, NoDescriptorOfOursIsInherited) {
  const Descriptor plain(::open("/etc/passwd", O_RDONLY));  // Without O_CLOEXEC.
  ASSERT_TRUE(plain.is_open());
  EXPECT_EQ(ResultOf(Attack("fds")).output, "0 1 2 3 \n");  // The last is the folder it reads.
}

TEST_F(SandboxEscapeTest, NoEnvironmentOfOursIsInherited) {
  ::setenv("HONE_TEST_SECRET", "secret", 1);
  EXPECT_EQ(ResultOf(Attack("environment")).output, "");
  SandboxCommand command = Attack("environment");
  command.environment = {{"A", "x=y"}, {"B", ""}};
  EXPECT_EQ(ResultOf(command).output, "A=x=y\nB=\n");
}

TEST_F(SandboxEscapeTest, OtherProcessesCannotBeTraced) { ExpectRefused(Attack("trace")); }

TEST_F(SandboxEscapeTest, NamespacesCannotBeMadeOrEntered) { ExpectRefused(Attack("namespaces")); }

TEST_F(SandboxEscapeTest, NothingCanBeMounted) { ExpectRefused(Attack("mounts")); }

TEST_F(SandboxEscapeTest, TheKernelIsNotToBePlayedWith) {
  char before[256] = {};
  ::gethostname(before, sizeof before - 1);
  ExpectRefused(Attack("kernel"));
  char after[256] = {};
  ::gethostname(after, sizeof after - 1);
  EXPECT_STREQ(before, after);
}

TEST_F(SandboxEscapeTest, NobodyMakesHugePagesOfSharedMemory) {
  ExpectRefused(Attack("huge-pages"));
}

TEST_F(SandboxEscapeTest, NobodyTakesHugePagesThatWereSetAside) {
  ExpectRefused(Attack("reserved-pages"));
}

TEST_F(SandboxEscapeTest, ThereIsNoNetworkNotEvenThroughASocketOfOurs) {
  const Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&here), sizeof here), 0);
  ASSERT_EQ(::listen(listener.get(), 4), 0);
  const Descriptor given(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  SandboxCommand command = Attack("network");
  command.descriptors = {given.get()};
  ExpectRefused(command);
  const SandboxResult interfaces = ResultOf(Attack("interfaces"));
  EXPECT_THAT(interfaces.output, Not(HasSubstr("eth")));
  EXPECT_THAT(interfaces.output, HasSubstr("lo:       0"));
}

TEST_F(SandboxEscapeTest, AKillOfEverybodyReachesNobodyOutside) {
  const pid_t canary = ::fork();
  ASSERT_GE(canary, 0);
  if (canary == 0) {
    ::pause();
    ::_exit(0);
  }
  EXPECT_EQ(ResultOf(Attack("kill-all")).output, "alive\n");
  EXPECT_EQ(::waitpid(canary, nullptr, WNOHANG), 0);
  ::kill(canary, SIGKILL);
  ::waitpid(canary, nullptr, 0);
}

TEST_F(SandboxEscapeTest, TheDoorOf32BitProgramsIsDeadly) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "only x86 lets a 64-bit program in by that door";
#endif
  const SandboxResult result = ResultOf(Attack("old-door"));
  EXPECT_EQ(result.end, End::kSignalled);
  EXPECT_THAT(result.status, AnyOf(SIGSYS, SIGSEGV));
  EXPECT_THAT(result.output, Not(HasSubstr("ESCAPED")));
}

TEST_F(SandboxEscapeTest, ItHasNoRightsAndCannotGetAny) {
  const std::string text = ResultOf(Attack("whoami")).output;
  EXPECT_THAT(text, HasSubstr("host sandbox user 1000 group 1000 pid 2 parent 1\n"));
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
    EXPECT_THAT(text, HasSubstr(std::string(set) + ":\t0000000000000000"));
  }
  EXPECT_THAT(text, HasSubstr("NoNewPrivs:\t1"));
  EXPECT_THAT(text, HasSubstr("Seccomp:\t2"));
  EXPECT_THAT(text, HasSubstr("SigBlk:\t0000000000000000"));
  EXPECT_THAT(text, HasSubstr("SigIgn:\t0000000000000000"));
}

TEST_F(SandboxEscapeTest, OutsideItIsNobody) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root: others have no second user";
  const auto folder = TempDir::Make();
  ASSERT_TRUE(folder.has_value());
  std::filesystem::permissions(folder->path(), std::filesystem::perms(0777));
  SandboxCommand command = Shell("echo mine > /out/file");
  command.views.push_back({folder->path(), "/out", true});
  ASSERT_EQ(ResultOf(command).status, 0);
  struct stat status {};
  ASSERT_EQ(::stat((folder->path() / "file").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 65534u);
  EXPECT_EQ(status.st_gid, 65534u);
}

TEST_F(SandboxEscapeTest, WhatIsKeptIsAPlainFileOfTheScratch) {
  SandboxCommand command = Attack("decoys");
  command.keep = {"good", "link", "pipe", "folder", "away/passwd", "missing"};
  const SandboxResult result = ResultOf(command);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.files, (std::map<std::string, std::string>{{"good", "good"}}));
  for (const char* trick : {"../etc/passwd", "/etc/passwd", "a/../../etc/passwd", "", ".", "a/"}) {
    command.keep = {trick};
    EXPECT_EQ(RunInSandbox(command).error().code, Errc::kInvalidArgument) << trick;
    command.keep.clear();
    SandboxCommand other = command;
    other.files[trick] = "x";
    EXPECT_EQ(RunInSandbox(other).error().code, Errc::kInvalidArgument) << trick;
  }
}

TEST_F(SandboxEscapeTest, DescriptorsThatItSendsAreNotTaken) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  const Descriptor ours(ends[0]);
  Descriptor theirs(ends[1]);
  const int before = CountOurDescriptors();
  SandboxCommand command = Attack("rights");
  command.descriptors = {theirs.get()};
  command.limits.wall = std::chrono::milliseconds{300};
  EXPECT_EQ(ResultOf(command).end, End::kTimedOut);
  char byte = 0;
  EXPECT_EQ(::recv(ours.get(), &byte, 1, 0), 1);
  EXPECT_EQ(CountOurDescriptors(), before);
}

}  // namespace
}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/shell/shell_jail.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <future>
#include <optional>
#include <vector>

#include "hone/base/file.h"
#include "hone/base/process/process_tree.h"
#include "hone/base/temp_dir.h"
#include "hone/kconfig/shell/jail_for_test.h"
#include "hone/sandbox/owned_view.h"
#include "hone/testing/wait_until.h"

namespace hone::kconfig {
namespace {

using std::chrono::milliseconds;
using ::testing::AnyOf;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

constexpr milliseconds kAmple = kTestTimeout;
constexpr milliseconds kShort{300};

// A jail, and its folder with one file in it.
class ShellJailTest : public testing::Test {
 protected:
  ShellJailTest() : folder_(TempDir::Make("kconfig-jail")) {
    EXPECT_TRUE(WriteFileDurably(folder_->path() / "there", "seen"));
    fs::permissions(folder_->path(), fs::perms(0755));  // As root the commands run as nobody.
    Remake(kAmple);
  }

  void SetUp() override {
    if (const std::string why = WhyNoJailHere(); !why.empty()) GTEST_SKIP() << why;
    ASSERT_EQ(Run("echo here"), "here\n");
  }

  void Remake(milliseconds hang_timeout) {
    ShellJailSettings settings;
    const char* path = ::getenv("PATH");
    settings.environment["PATH"] = path == nullptr ? "/usr/bin:/bin" : path;
    settings.visible = {fs::canonical(folder_->path())};
    settings.folder = settings.visible[0].string();
    settings.hang_timeout = hang_timeout;
    jail_.emplace(std::move(settings));
  }

  // The output, or the error.
  std::string Run(const std::string& command, milliseconds limit = kAmple) {
    const auto output = jail_->Run(command, limit);
    return output ? *output : "error: " + output.error().message;
  }

  // The process of the jail itself, and those of its cells.
  std::vector<pid_t> JailProcesses() const { return TreeOf(jail_->pid()); }

  void ExpectTheSameJailWorks(pid_t before) {
    EXPECT_EQ(Run("cat there"), "seen");
    EXPECT_EQ(jail_->pid(), before);
    EXPECT_EQ(JailProcesses().size(), 1U);
  }

  const Result<TempDir> folder_;
  std::optional<ShellJail> jail_;
};

TEST_F(ShellJailTest, AllCommandsShareOneJailAndEachHasItsOwnCell) {
  const pid_t jail = jail_->pid();
  const std::string network = Run("readlink /proc/self/ns/net");
  EXPECT_EQ(Run("readlink /proc/self/ns/net"), network);
  EXPECT_NE(network, fs::read_symlink("/proc/self/ns/net").string() + "\n");
  EXPECT_EQ(Run("echo $$ $PPID"), "2 1\n");
  EXPECT_EQ(Run("echo $$ $PPID"), "2 1\n");
  ExpectTheSameJailWorks(jail);
}

TEST_F(ShellJailTest, ItEndsWithItsObject) {
  const std::vector<pid_t> processes = JailProcesses();
  ASSERT_EQ(processes.size(), 1U);
  jail_.reset();
  for (const pid_t process : processes) EXPECT_NE(::kill(process, 0), 0);
}

TEST_F(ShellJailTest, WhatOneCommandWroteIsNotSeenByTheNext) {
  EXPECT_EQ(Run("pwd; echo x > made; echo x > $TMPDIR/made; rm there; ls . $TMPDIR"),
            "/scratch/work\n.:\nmade\n\n/scratch/tmp:\nmade\n");
  EXPECT_EQ(Run("pwd; ls . $TMPDIR; cat there"), "/scratch/work\n.:\nthere\n\n/scratch/tmp:\nseen");
  EXPECT_EQ(*ReadFile(folder_->path() / "there"), "seen");
}

TEST_F(ShellJailTest, ThereIsNoSharedMemoryToLeaveAnythingIn) {
  EXPECT_EQ(Run("ipcmk -M 100 2> /dev/null || echo none"), "none\n");
}

TEST_F(ShellJailTest, WhatACommandLeavesRunningIsEndedBeforeItsResultIsThere) {
  const pid_t jail = jail_->pid();
  EXPECT_EQ(Run("sleep 1000 & setsid sleep 1000 & (setsid sleep 1000 &); echo done"), "done\n");
  ExpectTheSameJailWorks(jail);
}

TEST_F(ShellJailTest, SeveralCommandsRunAtOnceAndCannotReachEachOther) {
  auto first = std::async(std::launch::async, [&] { return Run("sleep 1; echo alive"); });
  WaitUntil([&] { return JailProcesses().size() == 4; }, "the first command runs");
  EXPECT_EQ(Run("cat /proc/pids/[0-9]*/cmdline | tr '\\0' ' ' | grep -c 'sleep [1]'"), "0\n");
  EXPECT_EQ(Run("kill -9 -1; echo alive"), "alive\n");
  EXPECT_EQ(first.get(), "alive\n");
}

TEST_F(ShellJailTest, ACommandIsKilledAsOutsideAndCannotKillWhatHoldsIt) {
  const pid_t jail = jail_->pid();
  EXPECT_EQ(Run("echo before; kill -9 $$; echo after"), "before\n");
  EXPECT_EQ(Run("kill -9 1; kill -STOP 1; kill -9 -1; echo alive"), "alive\n");
  ExpectTheSameJailWorks(jail);
}

TEST_F(ShellJailTest, ACommandCannotLookIntoWhatHoldsIt) {
  EXPECT_EQ(Run("cd /proc/pids; readlink $$/cwd; readlink $PPID/cwd || echo none; "
                "cat $PPID/environ $PPID/mem 2> /dev/null || echo none"),
            "/proc/pids\nnone\nnone\n");
}

TEST_F(ShellJailTest, ACommandHasNoDescriptorButItsOwnThree) {
  const pid_t jail = jail_->pid();
  EXPECT_EQ(Run("exec ls /proc/self/fd"), "0\n1\n2\n3\n");  // The last is the list itself.
  EXPECT_EQ(Run("for i in 3 4 5 6 7 8 9; do eval \"echo bad >&$i\"; done 2>/dev/null; echo end"),
            "end\n");
  ExpectTheSameJailWorks(jail);
}

TEST_F(ShellJailTest, OutputWithoutEndIsCutAndEndsAtTheLimit) {
  const pid_t jail = jail_->pid();
  EXPECT_EQ(Run("yes | head -c 10000000").size(), 4096U);
  EXPECT_EQ(Run("yes >&2 | yes", kShort), "error: it did not end within 0 s");
  ExpectTheSameJailWorks(jail);
}

TEST_F(ShellJailTest, ACommandThatClosesEverythingIsStillWaitedFor) {
  const pid_t jail = jail_->pid();
  EXPECT_EQ(Run("echo said; exec 0<&- 1>&- 2>&-; exit 3"), "said\n");
  EXPECT_EQ(Run("exec 0<&- 1>&- 2>&-; sleep 1000", kShort), "error: it did not end within 0 s");
  ExpectTheSameJailWorks(jail);
}

TEST_F(ShellJailTest, AForkBombEndsAtTheLimitAndNothingOfItIsLeft) {
  const pid_t jail = jail_->pid();
  // It ends at the time limit, or where the shell cannot fork any more.
  EXPECT_THAT(Run("b() { b | b & b; }; b", kShort), AnyOf("", "error: it did not end within 0 s"));
  ExpectTheSameJailWorks(jail);
  const std::string made =
      Run("i=0; while sleep 1000 > /dev/null & do i=$((i+1)); echo $i; done | tail -n 1");
  EXPECT_GT(std::stoi(made), 100);
  EXPECT_LT(std::stoi(made), 1024);
  ExpectTheSameJailWorks(jail);
}

TEST_F(ShellJailTest, ACommandCannotChangeTheFilesOfTheJail) {
  struct stat before {};
  struct stat after {};
  ASSERT_EQ(::stat("/dev/null", &before), 0);
  EXPECT_EQ(Run("{ touch /dev/new || rm /dev/fd || chmod 600 /dev/null || touch /dev/null || "
                "mount -t tmpfs none /dev || umount /dev/null || echo 1 > /proc/self/oom_score_adj "
                "|| mkdir /dev/shm/../new || echo refused; } 2>/dev/null"),
            "refused\n");
  ASSERT_EQ(::stat("/dev/null", &after), 0);
  EXPECT_EQ(after.st_mode, before.st_mode);
  EXPECT_EQ(after.st_mtim.tv_sec, before.st_mtim.tv_sec);
  EXPECT_EQ(Run("rm -rf /dev/shm/* 2>/dev/null; ls /dev/shm"), "");
  EXPECT_EQ(
      Run("echo x > /dev/null; ls /dev /dev/shm; cat there"),
      "/dev:\nfd\nfull\nnull\nrandom\nshm\nstderr\nstdin\nstdout\nurandom\nzero\n\n/dev/shm:\n"
      "tmp\nwork\nseen");
}

TEST_F(ShellJailTest, ACommandThatFillsItsMemoryFailsAlone) {
  const pid_t jail = jail_->pid();
  EXPECT_THAT(Run("head -c 300000000 /dev/zero 2>&1 > big; stat -c %s big"),
              HasSubstr("File size limit exceeded\n268"));
  ExpectTheSameJailWorks(jail);
}

TEST_F(ShellJailTest, ThereAreNoSocketsAndNoKeyRings) {
  EXPECT_THAT(Run("python3 -c 'import socket; socket.socket(socket.AF_UNIX)' 2>&1"),
              HasSubstr("Address family not supported"));
  // keyctl(KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0)
  EXPECT_EQ(Run("python3 -c 'import ctypes; l = ctypes.CDLL(None, use_errno=True); "
                "print(l.syscall(" +
                std::to_string(SYS_keyctl) + ", 0, -3, 0), ctypes.get_errno())'"),
            "-1 1\n");
}

TEST_F(ShellJailTest, AJailThatDiesIsSaidAndTheNextCommandGetsANewOne) {
  const pid_t old = jail_->pid();
  auto answer = std::async(std::launch::async, [&] { return Run("exec sleep 1000"); });
  WaitUntil([&] { return JailProcesses().size() == 3; }, "the command runs");
  const std::vector<pid_t> all = JailProcesses();
  ::kill(old, SIGKILL);
  EXPECT_THAT(answer.get(), HasSubstr("the jail of this load died under it"));
  EXPECT_EQ(Run("echo again"), "again\n");
  EXPECT_NE(jail_->pid(), old);
  WaitUntil(
      [&] {
        return std::all_of(all.begin(), all.end(), [](pid_t it) { return ::kill(it, 0) != 0; });
      },
      "nothing of the old one is left");
}

TEST_F(ShellJailTest, AJailThatHangsIsSaidAndTheNextCommandGetsANewOne) {
  Remake(kShort);
  ASSERT_EQ(Run("echo here"), "here\n");
  const pid_t old = jail_->pid();
  ::kill(old, SIGSTOP);
  EXPECT_THAT(Run("echo never", kShort), HasSubstr("does not answer and was ended"));
  EXPECT_EQ(Run("echo again"), "again\n");
  EXPECT_NE(jail_->pid(), old);
}

TEST_F(ShellJailTest, ATextThatIsTooLongIsAnError) {
  EXPECT_EQ(Run("printf " + std::string(131'071 - 7, 'x') + " | wc -c").substr(0, 6), "error:");
  EXPECT_EQ(Run("printf " + std::string(100'000, 'x') + " | wc -c"), "100000\n");
}

TEST_F(ShellJailTest, ItShowsItsFoldersAndWhatACompilerNeedsAndNothingElse) {
  EXPECT_EQ(Run("ls -d /* | grep -v -e '^/lib' -e '^/s*bin$' | tr '\\n' ' '"),
            "/dev /etc /proc /scratch /sys /tmp /usr ");
  EXPECT_EQ(Run("ls /etc | grep -v -e '^ld.so' -e '^alternatives$'"), "passwd\n");
  EXPECT_EQ(Run("ls /tmp; cat /proc/1/cmdline /proc/version /proc/mounts 2> /dev/null; id -u; "
                "ls /home /root /run /var /sys/kernel /sys/class 2> /dev/null"),
            folder_->path().filename().string() + "\n1000\n");
}

TEST_F(ShellJailTest, OutsideItIsNobodyWhereItsUserIsRoot) {
  auto command = std::async(std::launch::async, [&] { return Run("exec sleep 1"); });
  WaitUntil([&] { return JailProcesses().size() == 3; }, "the command runs");
  const unsigned user = ::geteuid() == 0 ? 65534 : ::geteuid();
  for (const pid_t process : JailProcesses()) {
    const auto status = ReadFile("/proc/" + std::to_string(process) + "/status");
    ASSERT_TRUE(status);
    EXPECT_THAT(*status, HasSubstr(fmt::format("\nUid:\t{0}\t{0}\t{0}\t{0}\n", user)));
  }
  command.get();
}

TEST_F(ShellJailTest, APrivateFolderOfItsUserIsReadOrAnErrorSaysWhatToDo) {
  fs::permissions(folder_->path() / "there", fs::perms(0600));
  fs::permissions(folder_->path(), fs::perms(0700));
  jail_.reset();
  Remake(kAmple);
  if (::geteuid() == 0 && !CopyOwnedView(folder_->path()).is_open()) {
    EXPECT_THAT(Run("cat there"), HasSubstr("chmod -R o+rX"));
  } else {
    EXPECT_EQ(Run("cat there; { echo x >> $(readlink there); } 2> /dev/null || echo no"),
              "seenno\n");
  }
}

TEST_F(ShellJailTest, AFolderThatIsNotThereIsAnError) {
  ShellJailSettings settings;
  settings.folder = "/nowhere/at/all";
  ShellJail jail(settings);
  const auto output = jail.Run("echo x", kAmple);
  ASSERT_FALSE(output);
  EXPECT_THAT(output.error().message, HasSubstr("/nowhere/at/all: No such file"));
}

}  // namespace
}  // namespace hone::kconfig

// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/kconfig/files/load.h"
#include "hone/kconfig/language/parser.h"
#include "hone/kconfig/shell/jail_for_test.h"
#include "hone/kconfig/values/configuration.h"

namespace hone::kconfig {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace fs = std::filesystem;

// A tree of one file. Commands may count in the file `count` how often they run.
class ShellTest : public testing::Test {
 protected:
  ShellTest() : folder_(TempDir::Make("kconfig-shell")), beside_(TempDir::Make("kconfig-beside")) {
    fs::create_directories(marks());
    fs::permissions(folder(), fs::perms(0755));  // As root restricted commands run as nobody.
    const char* path = ::getenv("PATH");
    options_.environment["PATH"] = path == nullptr ? "/usr/bin:/bin" : path;
    options_.environment["COUNT"] = (folder() / "count").string();
    options_.folders = {folder_->path()};
    options_.shell = ShellPolicy::kRun;
    options_.memo = folder_->path() / "memo";
  }

  fs::path folder() const { return folder_->path(); }
  fs::path marks() const { return folder_->path() / "marks"; }

  void Write(const std::string& text) { ASSERT_TRUE(WriteFileDurably(folder() / "Kconfig", text)); }

  std::size_t RunCount() const { return ReadFile(folder() / "count").value_or("").size(); }

  // A command that prints `text` and counts. It does not name the file that it changes.
  static std::string Counting(const std::string& text) {
    return "$(shell,printf x >> $COUNT; echo " + text + ")";
  }

  // What a command gives under the policy, or the error.
  std::string Gives(ShellPolicy policy, const std::string& command) {
    Write("X := $(shell," + command + ")\nconfig A\n\tbool \"a\"\n");
    LoadOptions options = options_;
    options.shell = policy;
    options.memo.clear();
    const auto tree = LoadTreeOrError(options);
    return tree ? (*tree)->shell_results()[0].second : "error: " + tree.error().message;
  }

  const Result<TempDir> folder_;
  const Result<TempDir> beside_;  // Nothing that a tree has to do with.
  LoadOptions options_;
};

TEST_F(ShellTest, ASecondLoadForksNothing) {
  Write("A := " + Counting("1") + "\nB := " + Counting("2") + "\n");
  EXPECT_EQ(LoadTree(options_).commands_run, 2U);
  EXPECT_EQ(RunCount(), 2U);
  const Loaded second = LoadTree(options_);
  EXPECT_EQ(second.commands_run, 0U);
  EXPECT_EQ(second.passes, 1);
  EXPECT_EQ(RunCount(), 2U);
  ASSERT_NE(second.tree, nullptr);
  EXPECT_EQ(second.tree->shell_results()[0].second, "1");
}

TEST_F(ShellTest, FilesCountAsTheyWereBeforeTheCommand) {
  const std::string made = (folder() / "made").string();
  Write("A := $(shell,touch " + made + "; echo 1)\n");
  EXPECT_EQ(LoadTree(options_).commands_run, 1U);
  fs::remove(made);
  EXPECT_EQ(LoadTree(options_).commands_run, 0U);
}

TEST_F(ShellTest, AnotherCompilerAsksAnew) {
  Write("A := " + Counting("1") + "\n");
  LoadTree(options_);
  options_.environment["CC"] = "another-cc";
  LoadTree(options_);
  EXPECT_EQ(RunCount(), 2U);
}

TEST_F(ShellTest, AScriptThatChangedIsAskedAnew) {
  const std::string script = (folder() / "ask.sh").string();
  ASSERT_TRUE(WriteFileDurably(script, "echo one\n"));
  Write("A := $(shell,sh " + script + ")\n");
  EXPECT_EQ(LoadTree(options_).tree->shell_results()[0].second, "one");
  ASSERT_TRUE(WriteFileDurably(script, "echo three\n"));
  EXPECT_EQ(LoadTree(options_).tree->shell_results()[0].second, "three");
}

TEST_F(ShellTest, AScriptThatWasForgedWithItsSizeAndTimeIsAskedAnew) {
  const std::string script = (folder() / "ask.sh").string();
  ASSERT_TRUE(WriteFileDurably(script, "echo one\n"));
  const auto time = fs::last_write_time(script);
  Write("A := $(shell,sh " + script + ")\n");
  EXPECT_EQ(LoadTree(options_).tree->shell_results()[0].second, "one");
  std::ofstream(script) << "echo two\n";
  fs::last_write_time(script, time);
  EXPECT_EQ(LoadTree(options_).tree->shell_results()[0].second, "two");
}

TEST_F(ShellTest, ACorruptMemoIsSurvivedAndMended) {
  Write("A := " + Counting("1") + "\n");
  LoadTree(options_);
  for (const auto& file : fs::directory_iterator(options_.memo)) {
    ASSERT_TRUE(WriteFileDurably(file.path(), std::string("no tab \x00\xff", 9)));
  }
  const Loaded loaded = LoadTree(options_);
  ASSERT_NE(loaded.tree, nullptr);
  EXPECT_EQ(loaded.commands_run, 1U);
  EXPECT_EQ(LoadTree(options_).commands_run, 0U);
}

TEST_F(ShellTest, AMemoThatCannotBeKeptIsNoFault) {
  options_.memo = "/proc/nowhere";
  Write("A := " + Counting("1") + "\n");
  EXPECT_NE(LoadTree(options_).tree, nullptr);
}

// Each waits for the other to begin: one after the other they would never end.
TEST_F(ShellTest, CommandsRunInParallel) {
  const std::string script = (folder() / "meet.sh").string();
  ASSERT_TRUE(WriteFileDurably(script, "cd " + marks().string() +
                                           "; touch $1; n=0; until [ -e $2 ]; do sleep 0.1; "
                                           "n=$((n+1)); [ $n -gt 300 ] && echo alone && exit; "
                                           "done; echo met\n"));
  Write("A := $(shell,sh " + script + " a b)\nB := $(shell,sh " + script + " b a)\n");
  const auto tree = LoadTreeOrError(options_);
  ASSERT_TRUE(tree) << tree.error().message;
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "needs two processors";
  for (const NamedText& result : (*tree)->shell_results()) EXPECT_EQ(result.second, "met");
}

TEST_F(ShellTest, CommandsMadeOfResultsOfOthersEnd) {
  std::string text = "A0 := $(shell,echo 0)\n";
  for (int i = 1; i <= 40; ++i) {
    text += "A" + std::to_string(i) + " := $(shell,echo $(A" + std::to_string(i - 1) + ")x)\n";
  }
  Write(text + "config A\n\tbool \"$(A40)\"\n");
  const auto tree = LoadTreeOrError(options_);
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_EQ((*tree)->shell_results().back().second, "0" + std::string(40, 'x'));
}

TEST_F(ShellTest, ACommandWithTheByteThatStandsForAnUnknownResultRuns) {
  EXPECT_EQ(Gives(ShellPolicy::kRun,
                  "echo 'a\x01"
                  "b' | wc -c"),
            "4");
}

TEST_F(ShellTest, ACommandThatHangsIsAnErrorAtItsPlace) {
  Write("\nA := $(shell,echo fine)\nB := $(shell,sleep 1000)\nC := $(shell,sleep 2000)\n");
  options_.shell_timeout = std::chrono::milliseconds(300);
  const auto tree = LoadTreeOrError(options_);
  ASSERT_FALSE(tree);
  EXPECT_THAT(tree.error().message,
              HasSubstr("Kconfig:3: error: $(shell,sleep 1000): it did not end"));
}

TEST_F(ShellTest, ACommandThatPrintsWithoutEndGivesTheBeginning) {
  EXPECT_EQ(Gives(ShellPolicy::kRun, "head -c 100000000 /dev/zero | tr '\\0' x").size(), 4095U);
}

TEST_F(ShellTest, WhatACommandLeavesRunningIsEnded) {
  const std::string pid_file = (folder() / "pid").string();
  EXPECT_EQ(Gives(ShellPolicy::kRun, "sleep 1000 & echo $! > " + pid_file + "; echo done"), "done");
  EXPECT_NE(::kill(std::stoi(*ReadFile(pid_file)), 0), 0);
}

TEST_F(ShellTest, RefusedAndUnknownCommandsAreErrorsAtTheirPlace) {
  EXPECT_THAT(Gives(ShellPolicy::kRefuse, "echo 1"),
              HasSubstr("Kconfig:1: error: $(shell,echo 1): the policy refuses"));
  EXPECT_THAT(Gives(ShellPolicy::kRecorded, "echo 1"), HasSubstr("not in the table"));
  options_.recorded = {{"echo 1", "recorded"}};
  EXPECT_EQ(Gives(ShellPolicy::kRecorded, "echo 1"), "recorded");
  EXPECT_EQ(Gives(ShellPolicy::kRefuse, "echo 1"), "recorded");
}

class RestrictedShellTest : public ShellTest {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNoJailHere(); !why.empty()) GTEST_SKIP() << why;
    ASSERT_EQ(Restricted("echo here"), "here");
  }
  std::string Restricted(const std::string& command) {
    return Gives(ShellPolicy::kRestricted, command);
  }
};

TEST_F(RestrictedShellTest, ItIsTheDefault) {
  Write("A := $(shell,touch " + (folder() / "made").string() + " 2>/dev/null || echo refused)\n");
  LoadOptions options;
  options.folders = options_.folders;
  options.environment = options_.environment;
  const auto tree = LoadTreeOrError(options);
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_EQ((*tree)->shell_results()[0].second, "refused");
  EXPECT_FALSE(fs::exists(folder() / "made"));
}

TEST_F(RestrictedShellTest, ThereIsNoNetwork) {
  EXPECT_EQ(Restricted("grep -c : /proc/self/net/dev"), "1");  // The loopback device, down.
  EXPECT_THAT(Restricted("python3 -c 'import socket; socket.socket(socket.AF_UNIX)' 2>&1"),
              HasSubstr("Address family not supported"));
}

TEST_F(RestrictedShellTest, NothingCanBeWrittenOutside) {
  const std::string target = (folder() / "target").string();
  ASSERT_TRUE(WriteFileDurably(target, "untouched"));
  EXPECT_THAT(Restricted("echo bad 2>&1 > " + target + " || echo refused"), HasSubstr("refused"));
  EXPECT_EQ(Restricted("rm -f " + target + " 2>/dev/null || echo refused"), "refused");
  EXPECT_EQ(Restricted("touch /tmp/x /var/tmp/x $HOME/x 2>/dev/null || echo refused"), "refused");
  EXPECT_EQ(*ReadFile(target), "untouched");
}

TEST_F(RestrictedShellTest, ItsOwnFolderIsWritableAndShowsTheRealOne) {
  options_.shell_folder = folder().string();
  ASSERT_TRUE(WriteFileDurably(folder() / "there", "seen"));
  EXPECT_EQ(Restricted("mkdir .tmp && echo x > .tmp/y && cat .tmp/y there"), "x seen");
  EXPECT_FALSE(fs::exists(folder() / ".tmp"));
}

TEST_F(RestrictedShellTest, ThereAreNoRightsAndNoOtherProcesses) {
  EXPECT_EQ(Restricted("grep CapEff /proc/self/status"), "CapEff:\t0000000000000000");
  EXPECT_EQ(Restricted("grep NoNewPrivs /proc/self/status"), "NoNewPrivs:\t1");
  EXPECT_EQ(Restricted("kill -0 " + std::to_string(::getpid()) + " 2>/dev/null || echo none"),
            "none");
  EXPECT_EQ(Restricted("ls /dev | grep -c -e sd -e vd -e mem"), "0");
}

// The second is made of the first one's result, so that they run one after the other.
TEST_F(RestrictedShellTest, CommandsOfALoadShareOneJailButNoFiles) {
  Write(
      "A := $(shell,readlink /proc/self/ns/net; touch made)\n"
      "B := $(shell,: $(A); readlink /proc/self/ns/net; ls made 2>&1)\n");
  LoadOptions options = options_;
  options.shell = ShellPolicy::kRestricted;
  options.memo.clear();
  const auto tree = LoadTreeOrError(options);
  ASSERT_TRUE(tree) << tree.error().message;
  const auto results = (*tree)->shell_results();
  ASSERT_EQ(results.size(), 2U);
  EXPECT_THAT(results[0].second, HasSubstr("net:["));
  EXPECT_THAT(results[1].second, StartsWith(results[0].second + " "));
  EXPECT_THAT(results[1].second, HasSubstr("No such file"));
}

TEST_F(RestrictedShellTest, ItsResultsAreKeptApart) {
  Write("A := $(shell,touch " + (folder() / "made").string() + " 2>/dev/null && echo made)\n");
  options_.shell = ShellPolicy::kRestricted;
  EXPECT_EQ(LoadTree(options_).tree->shell_results()[0].second, "");
  options_.shell = ShellPolicy::kRun;
  EXPECT_EQ(LoadTree(options_).tree->shell_results()[0].second, "made");
}

TEST_F(RestrictedShellTest, NoFileOfTheMachineIsRead) {
  const fs::path secret = fs::canonical(beside_->path()) / "secret";
  ASSERT_TRUE(WriteFileDurably(secret, "the-secret"));
  fs::permissions(secret, fs::perms(0644));
  fs::permissions(beside_->path(), fs::perms(0755));
  fs::create_symlink(secret, folder() / "link");
  for (const std::string& name :
       {secret.string(), (folder() / "link").string(), "/proc/1/root" + secret.string(),
        "/proc/self/root" + secret.string(), std::string("/etc/shadow"),
        std::string("/etc/hostname"), std::string("/proc/1/environ")}) {
    EXPECT_EQ(Restricted("cat " + name + " 2>/dev/null || echo none"), "none") << name;
  }
  EXPECT_EQ(Restricted("ls /root /home /var /run 2>/dev/null"), "");
}

TEST_F(RestrictedShellTest, TheEnvironmentOfItsUserIsNotSeen) {
  options_.environment["API_KEY"] = "the-secret";
  options_.environment["HOME"] = "/root";
  options_.environment["KCONFIG_NAME"] = "usual";
  EXPECT_EQ(Restricted("env | grep -e the-secret -e =/root; echo $KCONFIG_NAME $HOME"),
            "usual /scratch/tmp");
  Write("config A\n\tstring \"a\"\n\tdefault \"<$(API_KEY)$(HOME)>\"\n");
  LoadOptions options = options_;
  for (const ShellPolicy policy :
       {ShellPolicy::kRestricted, ShellPolicy::kRecorded, ShellPolicy::kRefuse}) {
    options.shell = policy;
    const auto tree = LoadTreeOrError(options);
    ASSERT_TRUE(tree) << tree.error().message;
    EXPECT_EQ(Configuration(*tree).text((*tree)->Find("A")), "<>");
  }
  options_.passed = {"API_KEY"};
  EXPECT_EQ(Restricted("echo $API_KEY"), "the-secret");
}

TEST_F(RestrictedShellTest, NothingIsWrittenIntoAPipeOfTheMachine) {
  fs::permissions(beside_->path(), fs::perms(0777));
  for (const fs::path& place : {fs::canonical(beside_->path()) / "pipe", folder() / "pipe"}) {
    ASSERT_EQ(::mkfifo(place.c_str(), 0666), 0);
    fs::permissions(place, fs::perms(0666));
    const int reader = ::open(place.c_str(), O_RDONLY | O_NONBLOCK);
    Restricted("echo bad > " + place.string() + "; echo " + place.string());
    char byte = 0;
    EXPECT_LE(::read(reader, &byte, 1), 0) << place;
    ::close(reader);
  }
}

TEST_F(RestrictedShellTest, AProcessOfTheMachineIsNotReached) {
  const pid_t other = ::fork();
  if (other == 0) {
    ::pause();
    ::_exit(0);
  }
  EXPECT_EQ(Restricted("kill -9 " + std::to_string(other) + " 2>/dev/null || echo none"), "none");
  EXPECT_EQ(::kill(other, 0), 0);
  EXPECT_EQ(::waitpid(other, nullptr, WNOHANG), 0);
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
}

TEST_F(RestrictedShellTest, AToolThatItsUserNamesByAPathIsSeen) {
  const fs::path tools = fs::canonical(beside_->path()) / "tools";
  fs::create_directories(tools / "bin");
  fs::create_directories(tools / "lib/gcc");
  ASSERT_TRUE(WriteFileDurably(tools / "bin/cc", "#!/bin/sh\ncat ${0%/bin/cc}/lib/gcc/version\n"));
  ASSERT_TRUE(WriteFileDurably(tools / "lib/gcc/version", "mine"));
  ASSERT_TRUE(WriteFileDurably(tools.parent_path() / "secret", "the-secret"));
  fs::permissions(tools / "bin/cc", fs::perms(0755));
  fs::permissions(beside_->path(), fs::perms(0755));
  EXPECT_EQ(Restricted(tools.string() + "/bin/cc 2>/dev/null || echo none"), "none");
  options_.environment["CC"] = (tools / "bin/cc").string();
  EXPECT_EQ(Restricted("$CC"), "mine");
  EXPECT_EQ(Restricted("cat " + tools.parent_path().string() + "/secret 2>/dev/null || echo none"),
            "none");
  options_.environment["CC"] = "/nowhere-here/cc";
  EXPECT_THAT(Restricted("$CC"), HasSubstr("CC=/nowhere-here/cc: the tree's commands would see"));
}

// What a command of one tree read is not told to another tree that names the same command.
TEST_F(RestrictedShellTest, AnotherTreeIsNotAnsweredFromTheMemo) {
  const fs::path file = fs::canonical(folder()) / "private";
  ASSERT_TRUE(WriteFileDurably(file, "mine"));
  const std::string text = "A := $(shell,cat " + file.string() + " 2>/dev/null || echo none)\n";
  Write(text);
  LoadOptions options = options_;
  options.shell = ShellPolicy::kRestricted;
  EXPECT_EQ(LoadTree(options).tree->shell_results()[0].second, "mine");
  fs::permissions(beside_->path(), fs::perms(0755));
  ASSERT_TRUE(WriteFileDurably(beside_->path() / "Kconfig", text));
  options.folders = {beside_->path()};
  EXPECT_EQ(LoadTree(options).tree->shell_results()[0].second, "none");
}

TEST_F(RestrictedShellTest, ACompilerWorks) {
  EXPECT_EQ(Restricted("echo 'int x;' | gcc -x c -c - -o t.o && test -s t.o && echo y"), "y");
}

}  // namespace
}  // namespace hone::kconfig

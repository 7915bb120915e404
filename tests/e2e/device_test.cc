// SPDX-License-Identifier: Apache-2.0
// Campaigns over the queues of a disk and over a network device, both of the test's own, through
// the real binary (tests/crash/sysctl_devices.cc makes them).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstdlib>
#include <map>

#include "hone/base/file.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"
#include "hone/testing/host_parameters_lock.h"
#include "hone/testing/wait_until.h"
#include "tests/crash/sysctl_parameters.h"
#include "tests/e2e/hone_process.h"

namespace hone {
namespace {

using testing::HasSubstr;

class DeviceCampaignTest : public HoneTest {
 protected:
  DeviceCampaignTest() { ::setenv("HONE_STATE", (Folder() / "state").c_str(), 1); }

  void SetUp() override {
    if (const auto why = sysctl::WhyHostIsOutOfReach(); !why.empty()) GTEST_SKIP() << why;
    const std::string disk = std::getenv(sysctl::kTestDisk);
    link_ = std::getenv(sysctl::kTestLink);
    ahead_ = "/sys/block/" + disk + "/queue/read_ahead_kb";
    if (!files_->IsWritable(ahead_)) GTEST_SKIP() << "no loop device here";
    steering_ = "/sys/class/net/" + link_ + "/queues/rx-0/rps_cpus";
    offload_ = "/ethtool/" + link_ + "/features/tx-tcp-segmentation";
    channels_ = "/ethtool/" + link_ + "/channels/rx";
    for (const auto& path : {ahead_, steering_, offload_, channels_}) before_[path] = Text(path);
  }

  void TearDown() override {
    for (const auto& [path, text] : before_) EXPECT_EQ(Text(path), text) << path;
  }

  std::string Text(const std::string& path) { return files_->Read(path).value_or("(none)"); }

  std::string Workload() const {
    const auto path = Folder() / "w.json";
    const Json workload{
        {"name", "devices"},
        {"benchmark", {{"shell", R"sh(echo "score: 10$(($$ % 10))")sh"}}},
        {"metrics", {{{"name", "score"}, {"unit", "points"}, {"direction", "higher_is_better"}}}},
        {"parameters", {"vm.stat_interval"}}};
    EXPECT_TRUE(WriteFileDurably(path, workload.dump()));
    return path.string();
  }

  std::vector<std::string> Tune(int trials) const {
    return {"tune", Workload(), "--yes", "--engine", "random", "--trials", std::to_string(trials),
            "-p",   ahead_,     "-p",    steering_,  "-p",     offload_};
  }

  const sysctl::HostParametersLock lock_;
  const std::unique_ptr<sysctl::KernelFiles> files_ = sysctl::MakeHostFiles();
  std::string link_;
  std::string ahead_;
  std::string steering_;
  std::string offload_;
  std::string channels_;
  std::map<std::string, std::string> before_;
};

TEST_F(DeviceCampaignTest, ACampaignSaysWhatItTouchesAndPutsItBack) {
  const ProcessResult tuned = Run(Tune(4));
  ASSERT_LE(tuned.status, 1) << tuned.output << tuned.errors;
  for (const std::string& path : {ahead_, steering_, offload_}) {
    EXPECT_THAT(tuned.errors, HasSubstr(path));
  }
  EXPECT_THAT(tuned.errors, HasSubstr("not watched here: whether the benchmark asks for"));
  EXPECT_THAT(tuned.output, HasSubstr("Everything is back: all 3 parameters"));
}

TEST_F(DeviceCampaignTest, WhatResetsALinkNeedsItsFlag) {
  const ProcessResult refused = Run({"tune", Workload(), "--yes", "-p", channels_});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.errors, HasSubstr("--allow-disruptive allows that"));
  const ProcessResult tuned = Run({"tune", Workload(), "--yes", "--engine", "random", "--trials",
                                   "2", "-p", channels_, "--allow-disruptive"});
  ASSERT_LE(tuned.status, 1) << tuned.output << tuned.errors;
  EXPECT_THAT(tuned.errors, HasSubstr("link_reset"));
  EXPECT_THAT(tuned.output, HasSubstr("Everything is back: the parameter reads as before"));
}

TEST_F(DeviceCampaignTest, AKilledCampaignLeavesTheDevicesAsTheyWere) {
  std::vector<std::string> words = Tune(4000);
  words.emplace_back("--quiet");
  words = CommandFor(words);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = -1;
  ASSERT_EQ(::posix_spawn(&pid, arguments[0], nullptr, nullptr, arguments.data(), environ), 0);
  const auto is_changed = [this] {
    return Text(ahead_) != before_[ahead_] && Text(offload_) != before_[offload_];
  };
  WaitUntil(is_changed, "a candidate comes into force");
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  const auto is_back = [this] {
    return Text(ahead_) == before_[ahead_] && Text(steering_) == before_[steering_] &&
           Text(offload_) == before_[offload_];
  };
  WaitUntil(is_back, "the guardian puts them back");
}

TEST_F(DeviceCampaignTest, ADeviceThatLacksItSaysWhatToDo) {
  const ProcessResult absent =
      Run({"tune", Workload(), "--yes", "-p", "/ethtool/nonesuch0/features/rx-gro"});
  EXPECT_EQ(absent.status, 2);
  EXPECT_THAT(absent.errors, HasSubstr("name one that has it here: " + link_));
  const ProcessResult group =
      Run({"tune", Workload(), "--yes", "-p", "cgroup:nonesuch.service/cpu.weight"});
  EXPECT_EQ(group.status, 2);
  EXPECT_THAT(group.errors, HasSubstr("nonesuch.service"));
}

TEST_F(DeviceCampaignTest, WhereEveryDeviceIsLeftOutTheReasonIsTold) {
  const ProcessResult tuned =
      Run({"tune", Workload(), "--yes", "-p", "/sys/block/loop*/queue/scheduler"});
  EXPECT_EQ(tuned.status, 2);
  EXPECT_THAT(tuned.errors, HasSubstr("nothing is left to tune here: /sys/block/*/queue/scheduler: "
                                      "left out on loop0"));
}

TEST_F(DeviceCampaignTest, AFileOfDevicesIsAppliedAndPutBack) {
  const auto file = (Folder() / "found.json").string();
  const Json found{{"format", "hone-settings"},
                   {"format_version", 1},
                   {"settings",
                    {{{"path", channels_}, {"before", "1"}, {"after", "2"}},
                     {{"path", offload_}, {"before", "on"}, {"after", "off"}}}}};
  ASSERT_TRUE(WriteFileDurably(file, found.dump()));
  const ProcessResult refused = Run({"sysctl", "apply", file});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.errors, HasSubstr("add --allow-disruptive"));
  ASSERT_EQ(Run({"sysctl", "apply", file, "--allow-disruptive"}).status, 0);
  EXPECT_EQ(Text(channels_), "2");
  EXPECT_EQ(Text(offload_), "off");
  EXPECT_EQ(Run({"sysctl", "diff", file}).status, 0);
  EXPECT_EQ(Run({"sysctl", "restore", "--applied"}).status, 0);
}

TEST_F(DeviceCampaignTest, APageTellsAllAboutADevicesParameter) {
  const ProcessResult page = Run({"sysctl", "show", "/ethtool/*/features/rx-gro", steering_});
  ASSERT_EQ(page.status, 0) << page.errors;
  EXPECT_THAT(page.output, HasSubstr("/ethtool/" + link_ + "/features/rx-gro"));
  EXPECT_THAT(page.output, HasSubstr("ethtool -K " + link_ + " rx-gro VALUE"));
  EXPECT_THAT(page.output, HasSubstr("A set of CPUs as a hexadecimal mask"));
}

}  // namespace
}  // namespace hone

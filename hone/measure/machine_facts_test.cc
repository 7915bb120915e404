// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/machine_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "hone/base/temp_dir.h"
#include "hone/testing/fake_clock.h"

namespace hone {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

// A folder that stands in for "/".
class Root {
 public:
  Root() : folder_(TempDir::Make().value()) {}

  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = folder_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  const std::filesystem::path& path() const { return folder_.path(); }

  void WriteProcess(const std::string& folder, int pid, int parent, const std::string& name,
                    int ticks) {
    Write("proc/" + folder + "/stat", std::to_string(pid) + " (" + name + ") S " +
                                          std::to_string(parent) + " 1 1 0 -1 0 0 0 0 0 " +
                                          std::to_string(ticks) + " 0 0 0 20 0 1 0 77 0 0 0\n");
  }

 private:
  TempDir folder_;
};

MachineReading At(milliseconds time) {
  MachineReading reading;
  reading.at = Clock::Monotonic(time);
  return reading;
}

TEST(MachineFactsTest, WhatCannotBeReadIsSaid) {
  const Root empty;
  const MachineFacts facts = ReadMachineFacts(empty.path());
  for (const char* name : {"cpu", "governor", "turbo", "kernel", "boot id", "memory",
                           "virtualisation", "cgroup cpu limit", "system"}) {
    ASSERT_TRUE(facts.contains(name)) << name;
    EXPECT_EQ(facts.at(name), "not readable") << name;
  }
}

TEST(MachineFactsTest, FactsOfABareMachineAreRead) {
  Root root;
  root.Write("proc/cpuinfo", "model name\t: EPYC\ncpu MHz\t\t: 2445.4\nflags\t\t: fpu sse\n");
  root.Write("proc/meminfo", "MemTotal:       16777216 kB\nSwapTotal:  0 kB\n");
  root.Write("proc/sys/kernel/osrelease", "6.1.0-25-amd64\n");
  root.Write("sys/devices/system/cpu/online", "0-15\n");
  root.Write("sys/devices/system/cpu/isolated", "\n");
  root.Write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  root.Write("sys/devices/system/cpu/cpufreq/boost", "0\n");
  root.Write("etc/os-release", "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
  const MachineFacts facts = ReadMachineFacts(root.path());
  EXPECT_EQ(facts.at("cpu"), "EPYC");
  EXPECT_EQ(facts.at("memory"), "16384 MiB");
  EXPECT_EQ(facts.at("swap"), "0 MiB");
  EXPECT_EQ(facts.at("kernel"), "6.1.0-25-amd64");
  EXPECT_EQ(facts.at("isolated cpus"), "none");
  EXPECT_EQ(facts.at("governor"), "performance");
  EXPECT_EQ(facts.at("turbo"), "off");
  EXPECT_EQ(facts.at("virtualisation"), "none seen");
  EXPECT_EQ(facts.at("system"), "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(MachineWatch(root.path()).cpus(), 16);
}

TEST(MachineFactsTest, AnArmIsNamedByItsNumbers) {
  Root root;
  root.Write("proc/cpuinfo",
             "processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU variant\t: 0x3\n"
             "CPU part\t: 0xd0c\nCPU revision\t: 1\n");
  root.Write("sys/devices/system/cpu/cpu0/cache/index0/size", "64K\n");
  root.Write("sys/devices/system/cpu/cpu0/cache/index1/size", "1024K\n");
  const MachineFacts facts = ReadMachineFacts(root.path());
  EXPECT_EQ(facts.at("cpu"), "ARM Neoverse-N1 variant 0x3 revision 1");
  EXPECT_EQ(facts.at("cpu cache"), "1024K");
  root.Write("proc/cpuinfo", "CPU implementer\t: 0x99\nCPU part\t: 0x123\n");
  EXPECT_EQ(ReadMachineFacts(root.path()).at("cpu"), "ARM implementer 0x99 part 0x123");
}

TEST(MachineFactsTest, VirtualMachineNamesItsVendor) {
  Root root;
  root.Write("proc/cpuinfo", "flags\t\t: fpu hypervisor sse\n");
  EXPECT_EQ(ReadMachineFacts(root.path()).at("virtualisation"), "virtual machine");
  root.Write("sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
  root.Write("sys/class/dmi/id/product_name", "c5.large\n");
  EXPECT_EQ(ReadMachineFacts(root.path()).at("virtualisation"),
            "virtual machine, Amazon EC2 c5.large");
}

TEST(MachineFactsTest, TightestLimitOfTheGroupsAboveCounts) {
  Root root;
  root.Write("proc/self/cgroup", "0::/jobs/one\n");
  root.Write("sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
  root.Write("sys/fs/cgroup/jobs/cgroup.controllers", "cpu memory\n");
  root.Write("sys/fs/cgroup/jobs/cpu.max", "50000 100000\n");
  root.Write("sys/fs/cgroup/jobs/memory.max", "max\n");
  root.Write("sys/fs/cgroup/jobs/one/cgroup.controllers", "cpu memory\n");
  root.Write("sys/fs/cgroup/jobs/one/cpu.max", "200000 100000\n");
  root.Write("sys/fs/cgroup/jobs/one/memory.max", "1073741824\n");
  const MachineFacts facts = ReadMachineFacts(root.path());
  EXPECT_EQ(facts.at("cgroup version"), "2");
  EXPECT_EQ(facts.at("cgroup cpu limit"), "0.50 cpus");
  EXPECT_EQ(facts.at("cgroup memory limit"), "1024 MiB");
}

TEST(MachineFactsTest, GroupsOfVersion1AreUnderstood) {
  Root root;
  root.Write("proc/self/cgroup", "4:memory:/host/path/unseen\n1:cpu,cpuacct:/\n");
  root.Write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  root.Write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  root.Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(ReadMachineFacts(root.path()).at("cgroup version"), "1");
  EXPECT_EQ(ReadMachineFacts(root.path()).at("cgroup cpu limit"), "none");
  EXPECT_EQ(ReadMachineFacts(root.path()).at("cgroup memory limit"), "none");
  root.Write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "20000\n");
  EXPECT_EQ(ReadMachineFacts(root.path()).at("cgroup cpu limit"), "0.20 cpus");
}

TEST(MachineChangeTest, QuietRunHasNoMarks) {
  MachineReading before = At(milliseconds(0));
  before.cpu = CpuTimes{CpuTicks(100), CpuTicks(900), CpuTicks(0)};
  before.ours = CpuTicks(50);
  before.pressure["cpu"] = {microseconds(1000), {}};
  before.load = 0.4;
  MachineReading after = At(seconds(1));
  after.cpu = CpuTimes{CpuTicks(201), CpuTicks(998), CpuTicks(1)};
  after.ours = CpuTicks(150);
  after.pressure["cpu"] = {microseconds(21'000), {}};
  after.load = 0.9;
  const MachineChange change = ChangeBetween(before, after, 2);
  EXPECT_THAT(change.marks, IsEmpty());
  EXPECT_DOUBLE_EQ(*change.steal, 0.005);
  EXPECT_NEAR(*change.others_cores, 0.01, 1e-12);
  EXPECT_NEAR(change.pressure.at("cpu"), 0.02, 1e-12);
  EXPECT_EQ(change.elapsed, seconds(1));
}

TEST(MachineChangeTest, InterferenceIsMarked) {
  MachineReading before = At(milliseconds(0));
  before.cpu = CpuTimes{CpuTicks(100), CpuTicks(900), CpuTicks(0)};
  before.ours = CpuTicks(50);
  before.pressure["cpu"] = {microseconds(0), {}};
  before.throttled = microseconds(0);
  before.thermal_throttles = 4;
  MachineReading after = At(seconds(1));
  after.cpu = CpuTimes{CpuTicks(270), CpuTicks(916), CpuTicks(14)};
  after.ours = CpuTicks(130);
  after.pressure["cpu"] = {microseconds(310'000), {}};
  after.throttled = microseconds(120'000);
  after.thermal_throttles = 5;
  after.load = 3.21;
  EXPECT_THAT(ChangeBetween(before, after, 2).marks,
              ElementsAre("steal 7 %", "others use 0.9 cores", "cpu pressure 31 %",
                          "held back by cgroup quota 12 %", "too hot, clock lowered", "load 3.2"));
}

TEST(MachineChangeTest, OneTickInAShortRunIsNotInterference) {
  MachineReading before = At(milliseconds(0));
  before.cpu = CpuTimes{CpuTicks(0), CpuTicks(0), CpuTicks(0)};
  before.ours = CpuTicks(0);
  MachineReading after = At(milliseconds(10));
  after.cpu = CpuTimes{CpuTicks(1), CpuTicks(0), CpuTicks(1)};
  after.ours = CpuTicks(0);
  const MachineChange change = ChangeBetween(before, after, 2);
  EXPECT_DOUBLE_EQ(*change.steal, 0.5);
  EXPECT_THAT(change.marks, IsEmpty());
}

TEST(MachineChangeTest, WhatWasNotReadIsNotCompared) {
  const MachineChange change = ChangeBetween(At(milliseconds(0)), At(seconds(1)), 2);
  EXPECT_FALSE(change.steal || change.others_cores || change.load || change.throttled);
  EXPECT_THAT(change.pressure, IsEmpty());
  EXPECT_THAT(change.marks, IsEmpty());
  EXPECT_FALSE(ChangeBetween(At(seconds(1)), At(seconds(1)), 2).steal);
}

ProcessTicks Process(int pid, int parent, const std::string& name, int used, int started = 1) {
  return {.pid = pid,
          .parent = parent,
          .name = name,
          .used = CpuTicks(used),
          .used_by_children = {},
          .started = started};
}

TEST(BusiestTest, OursAreLeftOutAndTheBusiestComeFirst) {
  const std::vector<ProcessTicks> before = {
      Process(1, 0, "init", 10),
      Process(20, 1, "hone", 10),
      Process(30, 1, "cc1plus", 10),
      Process(40, 1, "reused", 9000),
  };
  const std::vector<ProcessTicks> after = {
      Process(1, 0, "init", 10),       Process(20, 1, "hone", 210),
      Process(21, 20, "shell", 150),   Process(22, 21, "benchmark", 150),
      Process(30, 1, "cc1plus", 60),   Process(31, 1, "cc1plus", 45),
      Process(40, 1, "reused", 90, 2),  // Another process with the same number.
      Process(50, 1, "backup", 30),    Process(60, 1, "chat", 20),
  };
  const std::vector<BusyProgram> busiest = BusiestBetween(before, after, seconds(1), 20);
  ASSERT_EQ(busiest.size(), 3U);
  EXPECT_EQ(busiest[0].name, "cc1plus");
  EXPECT_DOUBLE_EQ(busiest[0].cores, 0.95);
  EXPECT_EQ(busiest[1].name, "reused");
  EXPECT_DOUBLE_EQ(busiest[1].cores, 0.9);
  EXPECT_EQ(busiest[2].name, "backup");
}

TEST(MachineWatchTest, BusyOthersAreNamedAtMostOnceASecond) {
  Root root;
  FakeClock clock;
  root.Write("sys/devices/system/cpu/online", "0-1\n");
  root.Write("proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\n");
  root.WriteProcess("self", 20, 1, "hone", 0);
  root.WriteProcess("20", 20, 1, "hone", 0);
  root.WriteProcess("30", 30, 1, "cc1plus", 0);
  MachineWatch watch(root.path(), clock);

  const MachineReading before = watch.Read();
  root.Write("proc/stat", "cpu  180 0 0 20 0 0 0 0 0 0\n");
  root.WriteProcess("self", 20, 1, "hone", 100);
  root.WriteProcess("30", 30, 1, "cc1plus", 80);
  clock.Advance(seconds(1));
  EXPECT_THAT(watch.Since(before).marks,
              ElementsAre("others use 0.8 cores", "cc1plus uses 0.8 cores"));
  EXPECT_THAT(watch.Since(before).busiest, IsEmpty());
}

TEST(MachineWatchTest, ThisMachineCanBeRead) {
  MachineWatch watch;
  EXPECT_GE(watch.cpus(), 1);
  const MachineReading before = watch.Read();
  ASSERT_TRUE(before.cpu.has_value());
  ASSERT_TRUE(before.ours.has_value());
  const MachineChange change = watch.Since(before);
  EXPECT_GT(change.elapsed.count(), 0);
  EXPECT_NE(watch.facts().at("kernel"), "not readable");
}

}  // namespace
}  // namespace hone

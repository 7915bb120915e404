// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/machine_counters.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "hone/base/temp_dir.h"
#include "hone/testing/fake_clock.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// A made-up machine whose files a test writes.
class MachineCountersTest : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TempDir::Make();
    ASSERT_TRUE(folder.has_value());
    folder_.emplace(*std::move(folder));
    fs::create_directories(Root() / "sys/block/vda/device");
    Write("proc/stat", "cpu  100 20 30 400 10 1 2 5 50 0\ncpu0 1 2 3\nctxt 1000\nprocesses 50\n");
    Write("proc/vmstat", "pgfault 500\npgmajfault 5\npswpin 1\npswpout 2\n");
    Write("proc/meminfo", "MemTotal: 9 kB\nMemAvailable:  2097152 kB\n");
    Write("proc/pressure/memory",
          "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\n"
          "full avg10=0.00 avg60=0.00 avg300=0.00 total=500\n");
    Write("proc/diskstats",
          " 253 0 vda 10 0 2048 0 20 0 4096 0 0 0 0\n 253 1 vda1 9 0 9 0 9 0 9 0 0 0 0\n");
    Write("proc/net/dev",
          "Inter-|   Receive\n face |bytes\n"
          "    lo: 1048576 10 0 1 0 0 0 0 2097152 20 0 2 0 0 0 0\n");
    Write("proc/net/snmp", "Tcp: RtoMin RetransSegs\nTcp: 200 7\n");
  }

  fs::path Root() const { return folder_->path(); }

  void Write(const std::string& name, const std::string& text) {
    fs::create_directories((Root() / name).parent_path());
    std::ofstream(Root() / name) << text;
  }

  MachineCounters Read() { return ReadMachineCounters(Root() / "proc/net", Root(), clock_); }

  FakeClock clock_;
  std::optional<TempDir> folder_;
};

TEST_F(MachineCountersTest, WhatIsReportedIsTheChange) {
  const MachineCounters before = Read();
  Write("proc/stat", "cpu  150 20 50 420 15 1 2 10 90 0\ncpu0 1 2 3\nctxt 1300\nprocesses 54\n");
  Write("proc/vmstat", "pgfault 700\npgmajfault 6\npswpin 3\npswpout 4\n");
  Write("proc/meminfo", "MemTotal: 9 kB\nMemAvailable:  1048576 kB\n");
  Write("proc/pressure/memory",
        "some avg10=0.00 avg60=0.00 avg300=0.00 total=1001000\n"
        "full avg10=0.00 avg60=0.00 avg300=0.00 total=200500\n");
  Write("proc/diskstats",
        " 253 0 vda 30 0 6144 0 24 0 8192 0 0 0 0\n 253 1 vda1 99 0 9 0 9 0 9 0 0 0 0\n");
  Write("proc/net/dev", "    lo: 3145728 14 0 3 0 0 0 0 6291456 26 0 2 0 0 0 0\n");
  Write("proc/net/snmp", "Tcp: RtoMin RetransSegs\nTcp: 200 17\n");
  clock_.Advance(std::chrono::seconds(2));
  const auto seen = ObservationsBetween(before, Read());

  EXPECT_DOUBLE_EQ(seen.at("cpu_user"), 0.5);
  EXPECT_DOUBLE_EQ(seen.at("cpu_system"), 0.2);
  EXPECT_DOUBLE_EQ(seen.at("cpu_idle"), 0.2);
  EXPECT_DOUBLE_EQ(seen.at("cpu_iowait"), 0.05);
  EXPECT_DOUBLE_EQ(seen.at("cpu_steal"), 0.05);
  EXPECT_DOUBLE_EQ(seen.at("context_switches_per_s"), 150);
  EXPECT_DOUBLE_EQ(seen.at("forks_per_s"), 2);
  EXPECT_DOUBLE_EQ(seen.at("page_faults_per_s"), 100);
  EXPECT_DOUBLE_EQ(seen.at("major_faults_per_s"), 0.5);
  EXPECT_DOUBLE_EQ(seen.at("swaps_per_s"), 2);
  EXPECT_DOUBLE_EQ(seen.at("memory_available_change_mib"), -1024);
  EXPECT_DOUBLE_EQ(seen.at("pressure_memory_some"), 0.5);
  EXPECT_DOUBLE_EQ(seen.at("pressure_memory_full"), 0.1);
  EXPECT_FALSE(seen.contains("pressure_io_full"));
  EXPECT_DOUBLE_EQ(seen.at("disk_reads_per_s"), 10);
  EXPECT_DOUBLE_EQ(seen.at("disk_read_mib_per_s"), 1);
  EXPECT_DOUBLE_EQ(seen.at("disk_writes_per_s"), 2);
  EXPECT_DOUBLE_EQ(seen.at("disk_write_mib_per_s"), 1);
  EXPECT_DOUBLE_EQ(seen.at("network_receive_mib_per_s"), 1);
  EXPECT_DOUBLE_EQ(seen.at("network_send_mib_per_s"), 2);
  EXPECT_DOUBLE_EQ(seen.at("network_packets_per_s"), 5);
  EXPECT_DOUBLE_EQ(seen.at("network_drops_per_s"), 1);
  EXPECT_DOUBLE_EQ(seen.at("tcp_retransmits_per_s"), 5);
  EXPECT_DOUBLE_EQ(seen.at("stability"), 0.95 * 0.95 * 0.5);
}

TEST_F(MachineCountersTest, AQuietMachineIsStable) {
  const MachineCounters before = Read();
  clock_.Advance(std::chrono::seconds(1));
  const auto seen = ObservationsBetween(before, Read());
  EXPECT_EQ(seen.at("stability"), 1);
  EXPECT_EQ(seen.at("cpu_user"), 0);
}

TEST(StabilityTest, IsTheShareOfTimeInWhichNothingWasHeldUp) {
  EXPECT_EQ(StabilityOf({}), 1);
  EXPECT_DOUBLE_EQ(StabilityOf({{"cpu_iowait", 0.5}, {"pressure_io_full", 0.5}}), 0.25);
  EXPECT_EQ(StabilityOf({{"cpu_steal", 1.5}}), 0);
}

TEST(MachineCountersOfThisMachineTest, AreReadable) {
  const MachineCounters before = ReadMachineCounters();
  const auto seen = ObservationsBetween(before, ReadMachineCounters());
  for (const char* name : {"cpu_user", "context_switches_per_s", "memory_available_change_mib",
                           "network_receive_mib_per_s", "page_faults_per_s", "stability"}) {
    EXPECT_TRUE(seen.contains(name)) << name;
  }
}

}  // namespace
}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/workload/tripwire.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <future>

#include "hone/base/descriptor.h"
#include "hone/base/process/subprocess.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/sysctl/workload/spec_for_test.h"
#include "hone/testing/host_parameters_lock.h"
#include "hone/testing/wait_until.h"

namespace hone::sysctl {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Wire = Trip::Wire;

constexpr std::chrono::seconds kLong{30};
constexpr std::chrono::milliseconds kFewLooks{350};

// Says one record in a pipe in the place of the kernel's log; returns when it is read.
void SayAndAwait(const Descriptor& log, const std::string& record) {
  EXPECT_EQ(::write(log.get(), record.data(), record.size()), static_cast<ssize_t>(record.size()));
  WaitUntil(
      [&] {
        int unread = 0;
        return ::ioctl(log.get(), FIONREAD, &unread) == 0 && unread == 0;
      },
      "the record is read");
}

// Wires whose sources a test writes; all but those that it turns on are off.
class TripwireTest : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TempDir::Make();
    ASSERT_TRUE(folder.has_value());
    folder_.emplace(*std::move(folder));
    settings_.pressure = folder_->path() / "memory";
    settings_.vmstat = folder_->path() / "vmstat";
    settings_.kernel_log = folder_->path() / "kmsg";
    settings_.cgroup = folder_->path() / "cgroup";
    settings_.wires = TripwireSpec{0, false, false, {}};
    settings_.metrics = MustRead(kWholeSpec).metrics;
  }

  // In one step, as the kernel would show it.
  void Show(const fs::path& path, const std::string& text) {
    std::ofstream(path.native() + ".new") << text;
    fs::rename(path.native() + ".new", path);
  }

  void ShowStall(int milliseconds) {
    Show(settings_.pressure, fmt::format("some avg10=0.00 avg60=0.00 avg300=0.00 total=9\n"
                                         "full avg10=0.00 avg60=0.00 avg300=0.00 total={}\n",
                                         milliseconds * 1000));
  }

  void Arm() {
    wires_ = Tripwires::Arm(settings_, [this](const Trip& trip) { trip_.set_value(trip); });
  }

  std::optional<Trip> WaitForTrip(std::chrono::milliseconds wait_timeout = kLong) {
    auto future = trip_.get_future();
    if (future.wait_for(wait_timeout) != std::future_status::ready) return std::nullopt;
    return future.get();
  }

  TripwireSettings settings_;
  std::optional<TempDir> folder_;
  std::promise<Trip> trip_;
  std::unique_ptr<Tripwires> wires_;
};

TEST_F(TripwireTest, MemoryPressureBreaksItsWire) {
  settings_.wires.memory_pressure = 0.5;
  ShowStall(1000);
  Arm();
  ShowStall(1600);
  const auto trip = WaitForTrip();
  ASSERT_TRUE(trip.has_value());
  EXPECT_EQ(trip->wire, Wire::kMemoryPressure);
  EXPECT_EQ(trip->why,
            "memory_pressure: all tasks waited for memory for 600 ms of the last second, allowed "
            "are 500 ms");
  EXPECT_EQ(wires_->Disarm()->why, trip->why);
}

TEST_F(TripwireTest, LittlePressureDoesNot) {
  settings_.wires.memory_pressure = 0.5;
  ShowStall(1000);
  Arm();
  ShowStall(1400);
  EXPECT_FALSE(WaitForTrip(kFewLooks).has_value());
  EXPECT_FALSE(wires_->Disarm().has_value());
}

TEST_F(TripwireTest, AnOutOfMemoryKillBreaksItsWire) {
  settings_.wires.has_oom_wire = true;
  Show(settings_.vmstat, "pgfault 5\noom_kill 7\n");
  Arm();
  Show(settings_.vmstat, "pgfault 5\noom_kill 9\n");
  const auto trip = WaitForTrip();
  ASSERT_TRUE(trip.has_value());
  EXPECT_EQ(trip->wire, Wire::kOom);
  EXPECT_EQ(trip->why, "oom: the kernel ended 2 process(es) for want of memory");
}

TEST_F(TripwireTest, WhatHappensAtTheVeryEndIsStillSeen) {
  settings_.wires.has_oom_wire = true;
  Show(settings_.vmstat, "oom_kill 7\n");
  Arm();
  Show(settings_.vmstat, "oom_kill 8\n");
  ASSERT_TRUE(wires_->Disarm().has_value());
}

TEST_F(TripwireTest, OnlyErrorsOfTheKernelItselfBreakTheLogsWire) {
  settings_.wires.has_kernel_log_wire = true;
  ASSERT_EQ(::mkfifo(settings_.kernel_log.c_str(), 0600), 0);
  const Descriptor log(::open(settings_.kernel_log.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(log.is_open());
  Arm();
  const auto say = [&](const std::string& record) { SayAndAwait(log, record); };
  say("4,1,1,-;a warning\n");
  say("11,2,1,-;an error of a program\n");
  say("no record at all\n");
  EXPECT_FALSE(WaitForTrip(std::chrono::milliseconds(1)).has_value());
  trip_ = {};
  say("3,3,1,-;EXT4-fs error: made up\n SUBSYSTEM=block\n");
  const auto trip = wires_->Disarm();
  ASSERT_TRUE(trip.has_value());
  EXPECT_EQ(trip->wire, Wire::kKernelLog);
  EXPECT_EQ(trip->why, "kernel_log: a message of level 3: EXT4-fs error: made up");
}

constexpr const char* kGroupKill = "3,2,1,-;Memory cgroup out of memory: Killed process 7 (x)\n";

// Tells what the kernel says of a kill, through a pipe in the place of its log.
class TripwireOomTest : public TripwireTest {
 protected:
  void SetUp() override {
    TripwireTest::SetUp();
    settings_.wires.has_oom_wire = true;
    settings_.wires.has_kernel_log_wire = true;
    Show(settings_.cgroup, "4:memory:/ours\n0::/\n");
    ASSERT_EQ(::mkfifo(settings_.kernel_log.c_str(), 0600), 0);
    log_ = Descriptor(::open(settings_.kernel_log.c_str(), O_RDWR | O_CLOEXEC));
    ASSERT_TRUE(log_.is_open());
    Arm();
  }

  void Say(const std::string& record) const { SayAndAwait(log_, record); }
  void SayWhere(const std::string& constraint, const std::string& group) const {
    Say("6,1,1,-;oom-kill:constraint=" + constraint + ",nodemask=(null),task_memcg=" + group +
        ",task=x,pid=7,uid=0\n");
  }

  Descriptor log_;
};

TEST_F(TripwireOomTest, AKillInAGroupWithALimitOfItsOwnIsNotOurs) {
  SayWhere("CONSTRAINT_MEMCG", "/ours/a-container");
  Say(kGroupKill);
  EXPECT_FALSE(WaitForTrip(std::chrono::milliseconds(1)).has_value());
  trip_ = {};
  SayWhere("CONSTRAINT_MEMCG", "/ours");
  Say(kGroupKill);
  const auto trip = wires_->Disarm();
  ASSERT_TRUE(trip.has_value());
  EXPECT_EQ(trip->wire, Wire::kOom);
}

TEST_F(TripwireOomTest, AKillInAGroupThatBeganBeforeTheWatchIsNotOurs) {
  Say(kGroupKill);
  EXPECT_FALSE(wires_->Disarm().has_value());
}

TEST_F(TripwireOomTest, AKillForWantOfTheMachinesMemoryIsOurs) {
  Say("3,2,1,-;Out of memory: Killed process 7 (x)\n");
  ASSERT_TRUE(wires_->Disarm().has_value());
}

TEST_F(TripwireTest, TheRealKernelLogIsSeenFromNowOn) {
  const Descriptor log(::open("/dev/kmsg", O_WRONLY | O_CLOEXEC));
  if (!log.is_open()) GTEST_SKIP() << "needs root: /dev/kmsg cannot be written";
  settings_.wires.has_kernel_log_wire = true;
  settings_.kernel_log = "/dev/kmsg";
  settings_.takes_user_messages = true;
  if (!DeadWires(settings_).empty()) GTEST_SKIP() << DeadWires(settings_)[0];
  const std::string before = "<3>hone test, before";
  ASSERT_GT(::write(log.get(), before.data(), before.size()), 0);
  Arm();
  const std::string text = fmt::format("<3>hone test {}", ::getpid());
  const auto start = std::chrono::steady_clock::now();
  ASSERT_GT(::write(log.get(), text.data(), text.size()), 0);
  const auto trip = WaitForTrip();
  ASSERT_TRUE(trip.has_value());
  EXPECT_THAT(trip->why, HasSubstr("kernel_log: a message of level 3: "));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

// A memory cgroup (version 1) with a small limit, and one of version 2 that tells its pressure. An
// out-of-memory kill in it is seen by every tripwire on the machine, so that tests take turns.
class TinyCgroup {
 public:
  explicit TinyCgroup(const char* limit) {
    std::error_code fault;
    fs::create_directory(folder_, fault);
    std::ofstream file(folder_ / "memory.limit_in_bytes");
    is_there_ = !fault && (file << limit << std::flush).good();
    fs::create_directory(pressure_folder_, fault);
    has_pressure_ = is_there_ && fs::exists(pressure());
  }
  TinyCgroup(const TinyCgroup&) = delete;
  TinyCgroup& operator=(const TinyCgroup&) = delete;
  ~TinyCgroup() {
    ::rmdir(folder_.c_str());
    ::rmdir(pressure_folder_.c_str());
  }

  bool is_there() const { return is_there_; }
  bool has_pressure() const { return has_pressure_; }
  fs::path pressure() const { return pressure_folder_ / "memory.pressure"; }

  // Runs the shell text inside, to its end.
  bool Run(const std::string& text) const {
    Command command;
    std::string enter = "echo $$ > " + (folder_ / "cgroup.procs").native() + "; ";
    if (has_pressure_) enter += "echo $$ > " + (pressure_folder_ / "cgroup.procs").native() + "; ";
    command.arguments = {"sh", "-c", enter + text};
    return RunProcess(command).has_value();
  }

 private:
  HostParametersLock lock_;
  const fs::path folder_ = fmt::format("/sys/fs/cgroup/memory/hone-test-{}", ::getpid());
  const fs::path pressure_folder_ = fmt::format("/sys/fs/cgroup/unified/hone-test-{}", ::getpid());
  bool is_there_ = false;
  bool has_pressure_ = false;
};

TEST_F(TripwireTest, ARealOutOfMemoryKillIsSeen) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root";
  const TinyCgroup group("16777216");
  if (!group.is_there()) GTEST_SKIP() << "needs the memory cgroup of version 1";
  settings_.wires.has_oom_wire = true;
  settings_.vmstat = "/proc/vmstat";
  Arm();
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(group.Run("head -c 200m /dev/zero | tail -c 100m > /dev/null; exit 0"));
  const auto trip = WaitForTrip();
  ASSERT_TRUE(trip.has_value());
  EXPECT_EQ(trip->wire, Wire::kOom);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(25));
}

TEST_F(TripwireTest, RealMemoryPressureIsSeen) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root";
  const TinyCgroup group("33554432");
  if (!group.has_pressure()) GTEST_SKIP() << "needs cgroups of version 1 and 2 side by side";
  settings_.wires.memory_pressure = 0.01;
  settings_.pressure = group.pressure();
  Arm();
  const std::string file = folder_->path() / "large";
  ASSERT_TRUE(group.Run("for i in 1 2 3; do head -c 300M /dev/zero > " + file + "; done"));
  const auto trip = WaitForTrip(std::chrono::milliseconds(200));
  if (!trip) GTEST_SKIP() << "the disk takes what is written faster than it is made";
  EXPECT_EQ(trip->wire, Wire::kMemoryPressure);
  EXPECT_THAT(trip->why, HasSubstr("allowed are 10 ms"));
}

TEST_F(TripwireTest, ALiveLimitIsJudgedLineByLine) {
  settings_.wires.live_limits = {Limit{"requests_per_s", false, 100, false}};
  Arm();
  wires_->SeeLine("Requests/sec: 100");
  wires_->SeeLine("Requests/sec: none yet");
  wires_->SeeLine("something else: 3");
  EXPECT_FALSE(WaitForTrip(std::chrono::milliseconds(0)).has_value());
  trip_ = {};
  wires_->SeeLine("Requests/sec: 99.5");
  wires_->SeeLine("Requests/sec: 1");
  const auto trip = WaitForTrip();
  ASSERT_TRUE(trip.has_value());
  EXPECT_EQ(trip->wire, Wire::kLiveLimit);
  EXPECT_EQ(trip->why, "live: requests_per_s was 99.5, the limit is requests_per_s >= 100");
}

TEST_F(TripwireTest, WiresThatCannotWorkAreNamed) {
  settings_.wires = TripwireSpec{};
  EXPECT_THAT(DeadWires(settings_),
              testing::ElementsAre(HasSubstr("tripwire memory_pressure: off, "),
                                   HasSubstr("tripwire oom: off, "),
                                   HasSubstr("tripwire kernel_log: off, ")));
  Arm();
  EXPECT_FALSE(wires_->Disarm().has_value());
}

}  // namespace
}  // namespace hone::sysctl

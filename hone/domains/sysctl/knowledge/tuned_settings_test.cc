// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/tuned_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/domains/sysctl/kernel/fake_kernel.h"

namespace hone::sysctl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TunedSettingsTest : public testing::Test {
 protected:
  Result<std::vector<Setting>> Settings(const std::string& text, bool has_machine = true) {
    const auto units = ReadTunedProfile(text, "f");
    if (!units) return units.error();
    return SettingsOfProfile(*units, "f", has_machine ? &kernel_ : nullptr);
  }

  std::vector<Setting> Read(const std::string& text) {
    const auto settings = Settings(text);
    EXPECT_TRUE(settings) << settings.error().message;
    return settings.value_or(std::vector<Setting>());
  }

  std::string FaultOf(const std::string& text, bool has_machine = true) {
    const auto settings = Settings(text, has_machine);
    return settings ? "" : settings.error().message;
  }

  FakeKernel kernel_;
};

const std::string kFrequencyPolicy = "/sys/devices/system/cpu/cpufreq/policy";

TEST_F(TunedSettingsTest, TheFirstGovernorThatIsOfferedIsTaken) {
  for (const char* const number : {"0", "1"}) {
    kernel_.Add(kFrequencyPolicy + number + "/scaling_governor", "schedutil");
    kernel_.Add(kFrequencyPolicy + number + "/scaling_available_governors",
                "performance powersave");
  }
  EXPECT_THAT(Read("[cpu]\ngovernor=conservative|powersave\n"),
              ElementsAre(Setting{kFrequencyPolicy + "0/scaling_governor", "powersave"},
                          Setting{kFrequencyPolicy + "1/scaling_governor", "powersave"}));
}

TEST_F(TunedSettingsTest, PreferencesOfTheCpuAreThoseOfItsFiles) {
  kernel_.Add(kFrequencyPolicy + "0/energy_performance_preference", "balance_power");
  kernel_.Add(kFrequencyPolicy + "0/energy_performance_available_preferences", "performance power");
  kernel_.Add("/sys/devices/system/cpu/cpu0/power/energy_perf_bias", "6");
  kernel_.Add("/sys/devices/system/cpu/intel_pstate/min_perf_pct", "20");
  EXPECT_THAT(
      Read("[cpu]\nenergy_performance_preference=performance\nenergy_perf_bias=powersave|power\n"
           "min_perf_pct=100\n"),
      ElementsAre(Setting{kFrequencyPolicy + "0/energy_performance_preference", "performance"},
                  Setting{"/sys/devices/system/cpu/cpu0/power/energy_perf_bias", "15"},
                  Setting{"/sys/devices/system/cpu/intel_pstate/min_perf_pct", "100"}));
}

TEST_F(TunedSettingsTest, DevicesThatAreNotHereAreLeftOut) {
  EXPECT_THAT(Read("[cpu]\ngovernor=performance\nmin_perf_pct=100\n[disk]\nreadahead=>4096\n"),
              IsEmpty());
}

TEST_F(TunedSettingsTest, ALimitSetsWhatLiesBeyondIt) {
  kernel_.Add("/sys/block/sda/queue/read_ahead_kb", "128");
  kernel_.Add("/sys/block/nvme0n1/queue/read_ahead_kb", "8192");
  kernel_.Add("/proc/sys/net/core/somaxconn", "4096");
  kernel_.Add("/proc/sys/vm/dirty_ratio", "20");
  EXPECT_THAT(Read("[disk]\nreadahead=>4096\n[sysctl]\nnet.core.somaxconn=>2048\n"
                   "vm.dirty_ratio=<10\n"),
              ElementsAre(Setting{"/sys/block/sda/queue/read_ahead_kb", "4096"},
                          Setting{"/proc/sys/vm/dirty_ratio", "10"}));
}

TEST_F(TunedSettingsTest, AnElevatorGoesToTheDisksThatOfferIt) {
  kernel_.AddChoice("/sys/block/sda/queue/scheduler", {"none", "mq-deadline"}, "none");
  kernel_.AddChoice("/sys/block/sdb/queue/scheduler", {"none", "mq-deadline"}, "none");
  kernel_.Add("/sys/block/sdb/removable", "1");
  kernel_.AddChoice("/sys/block/nvme0n1/queue/scheduler", {"none", "mq-deadline"}, "none");
  kernel_.AddChoice("/sys/block/sdc/queue/scheduler", {"none"}, "none");
  EXPECT_THAT(Read("[disk-sas]\ntype=disk\ndevices=sd*\nelevator=mq-deadline\n"),
              ElementsAre(Setting{"/sys/block/sda/queue/scheduler", "mq-deadline"}));
}

TEST_F(TunedSettingsTest, SectorsAreHalvesOfAKibibyte) {
  kernel_.Add("/sys/block/sda/queue/read_ahead_kb", "128");
  EXPECT_THAT(Read("[disk]\nreadahead=8192 s\n"),
              ElementsAre(Setting{"/sys/block/sda/queue/read_ahead_kb", "4096"}));
  EXPECT_THAT(Read("[disk]\nreadahead=>128 s\n"), IsEmpty());
}

TEST_F(TunedSettingsTest, UnitsForOtherMachinesAreLeftOut) {
  EXPECT_THAT(Read("[sysctl]\nvm.swappiness=10\n"
                   "[sysctl.other]\ntype=sysctl\nuname_regex=no such machine\nvm.swappiness=20\n"
                   "[sysctl.off]\ntype=sysctl\nenabled=0\nvm.swappiness=30\n"),
              ElementsAre(Setting{"/proc/sys/vm/swappiness", "10"}));
  EXPECT_THAT(Read("[sysctl]\nuname_regex=Linux\\s\nvm.swappiness=20\n"),
              ElementsAre(Setting{"/proc/sys/vm/swappiness", "20"}));
}

TEST_F(TunedSettingsTest, WhatTunedAloneUnderstandsIsRefusedAllAtOnce) {
  EXPECT_EQ(FaultOf("[cpu]\nforce_latency=1\n[bootloader]\ncmdline=x\n[video]\n[vm]\ncolour=red\n"),
            "f: tuned alone can do: [cpu] force_latency (line 2), [bootloader] cmdline (line 4), "
            "[vm] colour (line 7). Leave it out of a copy of the profile, or name what it sets "
            "under [sysctl] or [sysfs]");
  EXPECT_THAT(FaultOf("[disk]\ndevices=!sda\nreadahead=1\n"), HasSubstr("[disk] readahead"));
  EXPECT_THAT(
      FaultOf("[sysctl]\nvm.swappiness=${f:exec:date}\n"),
      HasSubstr("line 2: vm.swappiness: the value \"${f:exec:date}\" is computed by tuned"));
  EXPECT_THAT(FaultOf("[sysfs]\n/etc/passwd=x\n"), HasSubstr("a parameter is a plain path below"));
}

TEST_F(TunedSettingsTest, WithoutAMachineWhatDependsOnItIsRefused) {
  EXPECT_THAT(FaultOf("[sysctl]\nvm.dirty_ratio=>10\n", false), HasSubstr("is computed by tuned"));
  EXPECT_EQ(FaultOf("[cpu]\ngovernor=performance\n", false), "");
}

}  // namespace
}  // namespace hone::sysctl

// SPDX-License-Identifier: Apache-2.0
// Parameters that a device has, on a made-up machine: governors, interrupts, queues.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/domains/sysctl/kernel/fake_kernel.h"
#include "hone/domains/sysctl/knowledge/knowledge.h"

namespace hone::sysctl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kPolicy = "/sys/devices/system/cpu/cpufreq/policy";
const std::string kReceive = "/sys/class/net/eth0/queues/rx-0/rps_cpus";
const std::string kGroup = "/sys/fs/cgroup/system.slice/nginx.service";
const std::string kTransmit = "/sys/class/net/eth0/queues/tx-0/xps_cpus";

ParameterRequest Wish(const std::string& name) { return {name, {}, {}, false}; }

// Four CPUs on two nodes with a governor each, a disk, a network card with one transmit queue.
class DeviceTunablesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    kernel_.Add("/proc/sys/kernel/osrelease", "6.1.0");
    kernel_.Add("/sys/devices/system/cpu/online", "0-3");
    kernel_.Add("/sys/devices/system/cpu/possible", "0-3");
    kernel_.Add("/sys/devices/system/node/node0/cpulist", "0-1");
    kernel_.Add("/sys/devices/system/node/node1/cpulist", "2-3");
    for (const char* const number : {"0", "2"}) {
      const std::string folder = kPolicy + number;
      kernel_.Add(folder + "/scaling_governor", "powersave");
      kernel_.Add(folder + "/scaling_available_governors", "performance powersave");
      kernel_.Add(folder + "/energy_performance_preference", "balance_performance");
      kernel_.Add(folder + "/energy_performance_available_preferences",
                  "default performance balance_performance balance_power power");
    }
    AddInterrupt("24", "virtio2-input.0");
    AddInterrupt("9", "");
    AddInterrupt("30", "nvme0q1");
    kernel_.MakeReadOnly("/proc/irq/30/smp_affinity");  // As the kernel has managed ones.
    kernel_.Add(kReceive, "0");
    kernel_.Add(kTransmit, "0");
    kernel_.MakeWriteOnly(kTransmit);  // As the kernel has it with a single queue.
    kernel_.Add("/sys/block/vda/size", "1000");
    kernel_.Add("/sys/block/vda/queue/max_sectors_kb", "1280");
    kernel_.Add("/sys/block/vda/queue/max_hw_sectors_kb", "2048");
  }

  void AddInterrupt(const std::string& number, const std::string& actions) {
    kernel_.Add("/proc/irq/" + number + "/smp_affinity", "f");
    kernel_.Add("/sys/kernel/irq/" + number + "/actions", actions);
  }

  TunableSet Find(const std::vector<ParameterRequest>& requests) {
    auto set = FindTunables(kernel_, Knowledge::Builtin(), requests, Place::kHost);
    EXPECT_TRUE(set) << set.error().message;
    return set ? *set : TunableSet();
  }

  std::string Refusal(const ParameterRequest& request) {
    const auto set = FindTunables(kernel_, Knowledge::Builtin(), {request}, Place::kHost);
    return set ? "" : set.error().message;
  }

  std::vector<std::string> ChoicesOf(const std::string& name) {
    const TunableSet set = Find({Wish(name)});
    if (set.tunables.empty()) return {};
    return std::get<Category>(set.tunables.front().parameter.kind).choices;
  }

  FakeKernel kernel_;
};

TEST_F(DeviceTunablesTest, EveryPolicyHasAGovernorOfThoseThatItsDriverOffers) {
  const TunableSet set = Find({Wish(kPolicy + "*/scaling_governor")});
  ASSERT_THAT(set.tunables, SizeIs(2));
  EXPECT_EQ(set.tunables[1].path, kPolicy + "2/scaling_governor");
  EXPECT_THAT(ChoicesOf(kPolicy + "0/scaling_governor"), ElementsAre("performance", "powersave"));
}

TEST_F(DeviceTunablesTest, AGovernorIsKnownToMoveTheEnergyPreferenceOfItsPolicy) {
  const TunableSet set = Find({Wish(kPolicy + "2/scaling_governor")});
  EXPECT_THAT(set.couplings.effects,
              ElementsAre(Couplings::Effect{kPolicy + "2/scaling_governor",
                                            kPolicy + "2/energy_performance_preference", true}));
}

TEST_F(DeviceTunablesTest, AGovernorTakesItsOwnFolderWithIt) {
  const std::string threshold = "/sys/devices/system/cpu/cpufreq/ondemand/up_threshold";
  kernel_.Add(threshold, "70");
  const TunableSet set = Find({Wish(kPolicy + "2/scaling_governor")});
  EXPECT_THAT(set.couplings.effects, testing::Contains(Couplings::Effect{
                                         kPolicy + "2/scaling_governor", threshold, true}));
}

TEST_F(DeviceTunablesTest, ASchedulerTakesItsOwnParametersWithIt) {
  const std::string queue = "/sys/block/vda/queue/";
  kernel_.AddChoice(queue + "scheduler", {"none", "mq-deadline"}, "mq-deadline");
  kernel_.Add(queue + "iosched/fifo_batch", "32");
  kernel_.Add(queue + "iosched/made_up", "1");
  ParameterRequest wish = Wish(queue + "scheduler");
  wish.is_disruption_allowed = true;
  for (const char* const name : {"fifo_batch", "made_up"}) {
    EXPECT_THAT(
        Find({wish}).couplings.effects,
        testing::Contains(Couplings::Effect{queue + "scheduler", queue + "iosched/" + name, true}));
  }
}

TEST_F(DeviceTunablesTest, AnInterruptIsTriedOnAllCpusNodesHalvesAndSingleOnes) {
  EXPECT_THAT(ChoicesOf("/proc/irq/24/smp_affinity"),
              ElementsAre("f", "3", "c", "1", "2", "4", "8"));
}

TEST_F(DeviceTunablesTest, InterruptsThatNobodyAskedForOrThatTheKernelPlacesAreLeftOut) {
  const TunableSet set = Find({Wish("/proc/irq/*/smp_affinity")});
  ASSERT_THAT(set.tunables, SizeIs(1));
  EXPECT_EQ(set.tunables[0].path, "/proc/irq/24/smp_affinity");
  EXPECT_THAT(set.notes, ElementsAre(HasSubstr("left out on 30, 9")));
  EXPECT_THAT(Refusal(Wish("/proc/irq/30/smp_affinity")),
              HasSubstr("the device does not let it be changed"));
}

TEST_F(DeviceTunablesTest, PacketsMayAlsoStayOnTheCpuOfTheInterrupt) {
  EXPECT_THAT(ChoicesOf(kReceive), ElementsAre("0", "f", "3", "c", "1", "2", "4", "8"));
}

TEST_F(DeviceTunablesTest, ADeviceWithOneTransmitQueueIsLeftOutOrSaysWhy) {
  const TunableSet set = Find({Wish("/sys/class/net/*/queues/tx-*/xps_cpus")});
  EXPECT_THAT(set.tunables, IsEmpty());
  EXPECT_THAT(set.notes, ElementsAre(HasSubstr("left out on eth0")));
  EXPECT_THAT(Refusal(Wish(kTransmit)),
              HasSubstr("A device with a single transmit queue does not have it."));
}

TEST_F(DeviceTunablesTest, ADeviceThatIsNotThereIsToldWithThoseThatAre) {
  EXPECT_EQ(Refusal(Wish("/sys/class/net/eth7/queues/rx-0/rps_cpus")),
            "/sys/class/net/eth7/queues/rx-0/rps_cpus: there is no such device, or it does not "
            "have this; name one that has it here: eth0");
}

TEST_F(DeviceTunablesTest, ARangeEndsWhereTheDeviceEnds) {
  const std::string path = "/sys/block/vda/queue/max_sectors_kb";
  const TunableSet set = Find({Wish(path)});
  ASSERT_THAT(set.tunables, SizeIs(1));
  EXPECT_EQ(std::get<IntegerRange>(set.tunables[0].parameter.kind).high, 2048);
  ParameterRequest request = Wish(path);
  request.range = IntegerRange{128, 4096};
  EXPECT_THAT(Refusal(request), HasSubstr("max_hw_sectors_kb says that at most 2048 is possible"));
}

// The card's settings as the kernel gives them are ethtool_test.cc's; here they are made up.
class LinkTunablesTest : public DeviceTunablesTest {
 protected:
  void SetUp() override {
    DeviceTunablesTest::SetUp();
    kernel_.Add("/ethtool/eth0/ring/rx", "256");
    kernel_.Add("/ethtool/eth0/ring/rx-max", "1024");
    kernel_.Add("/ethtool/eth0/features/rx-gro", "on");
    kernel_.Add("/ethtool/eth0/features/rx-vlan-filter", "on");
    kernel_.Add("/ethtool/lo/features/rx-gro", "on");
  }
};

TEST_F(LinkTunablesTest, WhatResetsALinkNeedsToBeAllowed) {
  ParameterRequest request = Wish("/ethtool/eth0/ring/rx");
  EXPECT_EQ(Refusal(request),
            "/ethtool/eth0/ring/rx: changing it may take the network link down for a moment, and "
            "break connections over it, yours too if you came that way; --allow-disruptive allows "
            "that");
  request.is_disruption_allowed = true;
  const TunableSet set = Find({request});
  ASSERT_THAT(set.tunables, SizeIs(1));
  EXPECT_EQ(set.tunables[0].risk, Risk::kLinkReset);
  EXPECT_EQ(std::get<IntegerRange>(set.tunables[0].parameter.kind),
            (IntegerRange{64, 1024, 64, true}));
}

TEST_F(LinkTunablesTest, AnOffloadIsOnOrOffAndWrittenAsTheDeviceShowsIt) {
  const TunableSet set = Find({Wish("/ethtool/*/features/rx-gro")});
  ASSERT_THAT(set.tunables, SizeIs(1));
  EXPECT_THAT(SettingsFor(set, {{"/ethtool/eth0/features/rx-gro", Value(false)}}),
              ElementsAre(Setting{"/ethtool/eth0/features/rx-gro", "off"}));
  EXPECT_THAT(set.notes, ElementsAre(HasSubstr("left out on lo")));
}

// The controls of a service, made up.
class GroupTunablesTest : public DeviceTunablesTest {
 protected:
  void SetUp() override {
    DeviceTunablesTest::SetUp();
    kernel_.Add("/proc/meminfo", "MemTotal: 16777216 kB");
    kernel_.Add(kGroup + "/cgroup.procs", "");
    kernel_.Add(kGroup + "/cpu.weight", "100");
    kernel_.Add(kGroup + "/memory.high", "max");
    kernel_.Add(kGroup + "/memory.max", "max");
    kernel_.Add(kGroup + "/io.max/vda/rbps", "max");
  }
};

TEST_F(GroupTunablesTest, AWeightHasItsRange) {
  const TunableSet set = Find({Wish(kGroup + "/cpu.weight")});
  ASSERT_THAT(set.tunables, SizeIs(1));
  EXPECT_EQ(std::get<IntegerRange>(set.tunables[0].parameter.kind),
            (IntegerRange{10, 10000, 1, true}));
}

TEST_F(GroupTunablesTest, NoLimitIsAValueThatIsReadAndWrittenAsTheKernelHasIt) {
  TunableSet set = Find({Wish(kGroup + "/memory.high"), Wish(kGroup + "/io.max/vda/rbps")});
  ASSERT_THAT(set.tunables, SizeIs(2));
  EXPECT_EQ(set.tunables[0].parameter.default_value, Value("max"));
  const std::int64_t some = 256 << 20;
  EXPECT_THAT(SettingsFor(set, {{kGroup + "/memory.high", Value(some)}}),
              ElementsAre(Setting{kGroup + "/memory.high", "268435456"}));
  kernel_.Set(kGroup + "/io.max/vda/rbps", "1048576");
  set = Find({Wish(kGroup + "/io.max/vda/rbps")});
  EXPECT_THAT(SettingsFor(set, {{kGroup + "/io.max/vda/rbps", Value("max")}}),
              ElementsAre(Setting{kGroup + "/io.max/vda/rbps", "max"}));
}

TEST_F(GroupTunablesTest, NoLimitStaysAmongTheValuesWhereOthersAreGiven) {
  ParameterRequest request = Wish(kGroup + "/memory.high");
  request.specials = {{std::int64_t{1} << 30, "what it had last year"}};
  const TunableSet set = Find({request});
  ASSERT_THAT(set.tunables, SizeIs(1));
  EXPECT_THAT(set.tunables[0].parameter.specials, SizeIs(2));
  EXPECT_TRUE(Space::Make({set.tunables[0].parameter}));
}

TEST_F(GroupTunablesTest, AllGroupsAtOnceHardLimitsAndAbsentControlsAreRefused) {
  EXPECT_THAT(Refusal(Wish("/sys/fs/cgroup/**/cpu.weight")), HasSubstr("name one"));
  EXPECT_THAT(Refusal(Wish("/sys/fs/cgroup/system.slice/*/cpu.weight")), HasSubstr("name one"));
  EXPECT_THAT(Refusal(Wish(kGroup + "/memory.max")), HasSubstr("it is never tuned"));
  EXPECT_THAT(Refusal(Wish(kGroup + "/io.weight/default")),
              HasSubstr("the controller io is not enabled for this group"));
}

TEST_F(LinkTunablesTest, WhatDecidesWhichPacketsAreTakenIsDenied) {
  EXPECT_THAT(Refusal(Wish("/ethtool/eth0/features/rx-vlan-filter")),
              HasSubstr("it is never tuned"));
}

}  // namespace
}  // namespace hone::sysctl

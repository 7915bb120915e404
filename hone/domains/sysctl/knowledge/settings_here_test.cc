// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/settings_here.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/domains/sysctl/kernel/fake_kernel.h"

namespace hone::sysctl {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SettingsHereTest : public ::testing::Test {
 protected:
  void SetUp() override {
    kernel_.Add("/proc/meminfo", "MemTotal: 16777216 kB\nHugepagesize: 2048 kB");
    kernel_.Add("/proc/sys/vm/swappiness", "60");
    kernel_.Add("/proc/sys/vm/dirty_ratio", "20");
    kernel_.Add("/proc/sys/vm/drop_caches", "0");
    kernel_.Add("/proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456");
    kernel_.AddChoice("/sys/kernel/mm/transparent_hugepage/enabled", {"always", "madvise", "never"},
                      "madvise");
    kernel_.Add("/proc/sys/net/ipv4/tcp_sack", "1");
    kernel_.Add("/proc/sys/net/ipv4/tcp_made_up", "7");
    kernel_.Add("/sys/block/vda/queue/read_ahead_kb", "128");
    kernel_.Add("/sys/block/vdb/queue/read_ahead_kb", "128");
  }

  std::vector<Setting> Read(const std::string& text) {
    const auto settings = ReadSettingsHere(text, "f", kernel_);
    EXPECT_TRUE(settings) << settings.error().message;
    return settings.value_or(std::vector<Setting>{});
  }

  // The tunables that a comparison of the two texts has; "" is what is in force.
  std::vector<Tunable> Compared(const std::string& a, const std::string& b) {
    const auto settings_of = [&](const std::string& text) {
      return text.empty() ? std::vector<Setting>{} : Read(text);
    };
    const auto requests = RequestsFor(kernel_, settings_of(a), settings_of(b), false);
    EXPECT_TRUE(requests) << requests.error().message;
    auto set = FindTunables(kernel_, Knowledge::Builtin(), *requests, Place::kHost);
    EXPECT_TRUE(set) << set.error().message;
    return set.value_or(TunableSet{}).tunables;
  }

  // Why the setting may not be written here; empty if it may.
  std::string FaultOf(const std::string& path, const std::string& text) {
    const ParameterFacts* const facts = Knowledge::Builtin().Find(path);
    if (facts == nullptr) return "nothing is known of it";
    const auto allowed = CheckSetting(kernel_, *facts, {path, text}, ReadSizes(kernel_));
    return allowed ? "" : allowed.error().message;
  }

  FakeKernel kernel_;
};

TEST_F(SettingsHereTest, AValueOutsideTheHardRangeMayNotBeWritten) {
  EXPECT_EQ(FaultOf("/proc/sys/vm/swappiness", "201"),
            "vm.swappiness: 201 leaves what is allowed, which is 0 to 200");
  EXPECT_EQ(FaultOf("/proc/sys/vm/dirty_writeback_centisecs", "0"),
            "vm.dirty_writeback_centisecs: 0 leaves what is allowed, which is 1 to 2147483647")
      << "the kernel would take it";
  EXPECT_EQ(FaultOf("/proc/sys/net/ipv4/tcp_rmem", "0 131072 6291456"),
            "net.ipv4.tcp_rmem: 0 leaves what is allowed, which is 1 to 2147483647");
  EXPECT_EQ(FaultOf("/proc/sys/vm/swappiness", "much"),
            "vm.swappiness: \"much\" does not read as an integer");
  EXPECT_EQ(FaultOf("/proc/sys/net/ipv4/tcp_rmem", "4096 131072"),
            "net.ipv4.tcp_rmem: \"4096 131072\" does not read as 3 integers");
}

TEST_F(SettingsHereTest, AShareOfTheMemoryAndWhatADeviceSaysAreHardToo) {
  EXPECT_THAT(FaultOf("/proc/sys/vm/min_free_kbytes", "16777216"),
              HasSubstr("vm.min_free_kbytes: 16777216 leaves what is allowed"));
  kernel_.Add("/ethtool/eth0/ring/rx", "512");
  kernel_.Add("/ethtool/eth0/ring/rx-max", "1024");
  EXPECT_THAT(FaultOf("/ethtool/eth0/ring/rx", "2048"),
              HasSubstr("2048 is too high: /ethtool/*/ring/rx-max says that at most 1024"));
  EXPECT_EQ(FaultOf("/ethtool/eth0/ring/rx", "1024"), "");
}

TEST_F(SettingsHereTest, WhatLiesInsideOrHasNoRangeMayBeWritten) {
  EXPECT_EQ(FaultOf("/proc/sys/vm/swappiness", "200"), "");
  EXPECT_EQ(FaultOf("/proc/sys/net/ipv4/tcp_rmem", "4096 131072 2147483647"), "");
  EXPECT_EQ(FaultOf("/proc/sys/net/ipv4/tcp_sack", "0"), "");
  EXPECT_EQ(FaultOf("/sys/kernel/mm/transparent_hugepage/enabled", "sometimes"), "")
      << "the kernel knows its choices";
  EXPECT_EQ(FaultOf("/sys/fs/cgroup/system.slice/nginx.service/memory.high", "max"), "");
}

TEST_F(SettingsHereTest, WhatIsInForceMayBeSetAgainWhereverItLies) {
  kernel_.Add("/proc/sys/vm/dirty_writeback_centisecs", "0");
  EXPECT_EQ(FaultOf("/proc/sys/vm/dirty_writeback_centisecs", "0"), "");
}

TEST_F(SettingsHereTest, APatternStandsForEveryDevice) {
  EXPECT_THAT(Read("/sys/block/*/queue/read_ahead_kb = 512\n"), SizeIs(2));
}

TEST_F(SettingsHereTest, ARangeHoldsBothValuesAndTheOneInForce) {
  const auto tunables = Compared("vm.swappiness = 10\n", "vm.swappiness = 100\n");
  ASSERT_THAT(tunables, SizeIs(1));
  const auto& range = std::get<IntegerRange>(tunables[0].parameter.kind);
  EXPECT_EQ(range.low, 10);
  EXPECT_EQ(range.high, 100);
  EXPECT_EQ(tunables[0].parameter.default_value, Value(std::int64_t{60}));
}

TEST_F(SettingsHereTest, NoLimitIsComparedWithALimit) {
  const std::string high = "/sys/fs/cgroup/system.slice/nginx.service/memory.high";
  kernel_.Add("/sys/fs/cgroup/system.slice/nginx.service/cgroup.procs", "");
  kernel_.Add(high, "max");
  const auto tunables = Compared("", high + " = 268435456\n");
  ASSERT_THAT(tunables, SizeIs(1));
  EXPECT_EQ(std::get<IntegerRange>(tunables[0].parameter.kind).high, 268435456);
  EXPECT_EQ(tunables[0].parameter.default_value, Value("max"));
  EXPECT_THAT(Compared("", high + " = max\n"), IsEmpty());
}

TEST_F(SettingsHereTest, WhatIsSoAlreadyIsNotTouched) {
  EXPECT_THAT(Compared("", "vm.swappiness = 60\nnet.ipv4.tcp_rmem = 4096 131072 6291456\n"),
              IsEmpty());
}

TEST_F(SettingsHereTest, WhatBothSetAlikeIsStillSet) {
  EXPECT_THAT(Compared("vm.swappiness = 10\n", "vm.swappiness = 10\n"), SizeIs(1));
}

TEST_F(SettingsHereTest, ChoicesSwitchesAndTuplesAreCompared) {
  EXPECT_THAT(Compared("/sys/kernel/mm/transparent_hugepage/enabled = never\n",
                       "net.ipv4.tcp_rmem = 4096 262144 8388608\nnet.ipv4.tcp_sack = 0\n"),
              SizeIs(3));
}

TEST_F(SettingsHereTest, AValueThatIsNoValueIsRefused) {
  const auto requests = RequestsFor(kernel_, {}, Read("vm.swappiness = often\n"), false);
  ASSERT_FALSE(requests);
  EXPECT_THAT(requests.error().message, HasSubstr("vm.swappiness"));
}

TEST_F(SettingsHereTest, WhatIsNeverTunedIsNeverCompared) {
  const auto requests = RequestsFor(kernel_, {}, Read("vm.drop_caches = 3\n"), true);
  ASSERT_TRUE(requests) << requests.error().message;
  EXPECT_FALSE(FindTunables(kernel_, Knowledge::Builtin(), *requests, Place::kHost));
}

TEST_F(SettingsHereTest, WhatNobodyKnowsNeedsAWordAndGetsARange) {
  const std::string text = "net.ipv4.tcp_made_up = 9\nnet.ipv4.tcp_sack = 0\n";
  const auto refused = RequestsFor(kernel_, {}, Read(text), false);
  ASSERT_TRUE(refused);
  EXPECT_FALSE(FindTunables(kernel_, Knowledge::Builtin(), *refused, Place::kHost));
  const auto allowed = RequestsFor(kernel_, {}, Read(text), true);
  ASSERT_TRUE(allowed);
  for (const ParameterRequest& request : *allowed) {
    EXPECT_EQ(request.is_unknown_allowed, request.range.has_value()) << request.name;
  }
  EXPECT_TRUE(FindTunables(kernel_, Knowledge::Builtin(), *allowed, Place::kHost));
}

TEST_F(SettingsHereTest, TextsAreComparedByWhatTheyMean) {
  EXPECT_TRUE(
      MeanTheSame("/proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456", "4096 131072 6291456"));
  EXPECT_FALSE(MeanTheSame("/proc/sys/vm/swappiness", "60", "61"));
}

}  // namespace
}  // namespace hone::sysctl

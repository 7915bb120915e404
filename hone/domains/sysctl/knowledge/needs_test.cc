// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/needs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/domains/sysctl/kernel/fake_kernel.h"
#include "hone/domains/sysctl/knowledge/knowledge.h"

namespace hone::sysctl {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kHeading[] = "Filename Type Size Used Priority";

class NeedsTest : public ::testing::Test {
 protected:
  std::vector<std::string> Unmet(const std::string& name) {
    const ParameterFacts* const facts = Knowledge::Builtin().Find(name);
    EXPECT_NE(facts, nullptr) << name;
    std::vector<std::string> whys;
    if (facts == nullptr) return whys;
    for (auto& [need, why] : FindUnmetNeeds(kernel_, *facts)) whys.push_back(std::move(why));
    return whys;
  }

  std::vector<std::string> NotesOn(const std::vector<std::string>& names) {
    std::vector<ParameterRequest> requests;
    for (const std::string& name : names) requests.emplace_back().name = name;
    const auto set = FindTunables(kernel_, Knowledge::Builtin(), requests, Place::kHost);
    EXPECT_TRUE(set) << set.error().message;
    return set ? set->notes : std::vector<std::string>();
  }

  FakeKernel kernel_;
};

TEST_F(NeedsTest, WithoutSwapItIsSaidAndWithSwapItIsNot) {
  kernel_.Add("/proc/swaps", kHeading);
  EXPECT_THAT(Unmet("vm.swappiness"), ElementsAre("this machine has no swap"));
  kernel_.Add("/proc/swaps", std::string(kHeading) + "\n/dev/vdb partition 1048572 0 -2");
  EXPECT_THAT(Unmet("vm.swappiness"), IsEmpty());
}

TEST_F(NeedsTest, OneNodeIsNotSeveral) {
  kernel_.Add("/sys/devices/system/node/online", "0");
  EXPECT_THAT(Unmet("kernel.numa_balancing"), ElementsAre("this machine has one NUMA node"));
  for (const char* const nodes : {"0-1", "0,2"}) {
    kernel_.Add("/sys/devices/system/node/online", nodes);
    EXPECT_THAT(Unmet("kernel.numa_balancing"), IsEmpty()) << nodes;
  }
}

TEST_F(NeedsTest, AParameterThatIsOffTakesOthersWithIt) {
  kernel_.Add("/proc/sys/net/ipv4/tcp_timestamps", "0");
  EXPECT_THAT(Unmet("net.ipv4.tcp_tw_reuse"), ElementsAre("net.ipv4.tcp_timestamps is 0"));
  kernel_.Set("/proc/sys/net/ipv4/tcp_timestamps", "1");
  EXPECT_THAT(Unmet("net.ipv4.tcp_tw_reuse"), IsEmpty());
}

TEST_F(NeedsTest, OneDeviceThatHasItIsEnough) {
  const std::string devices = "/sys/class/net/";
  kernel_.Add(devices + "eth0/queues/rx-0/rps_flow_cnt", "0");
  kernel_.Add(devices + "eth1/queues/rx-0/rps_flow_cnt", "0");
  EXPECT_THAT(Unmet("net.core.rps_sock_flow_entries"),
              ElementsAre("/sys/class/net/*/queues/rx-*/rps_flow_cnt is 0"));
  kernel_.Set(devices + "eth1/queues/rx-0/rps_flow_cnt", "4096");
  EXPECT_THAT(Unmet("net.core.rps_sock_flow_entries"), IsEmpty());
}

TEST_F(NeedsTest, WhatCannotBeReadIsNotClaimed) {
  EXPECT_THAT(Unmet("vm.swappiness"), IsEmpty());
  EXPECT_THAT(Unmet("net.ipv4.tcp_tw_reuse"), IsEmpty());
}

TEST_F(NeedsTest, ThePlanSaysWhatDoesNothing) {
  kernel_.Add("/proc/swaps", kHeading);
  kernel_.Add("/proc/sys/vm/swappiness", "60");
  EXPECT_THAT(NotesOn({"vm.swappiness"}),
              ElementsAre("vm.swappiness: does nothing here: this machine has no swap"));
}

TEST_F(NeedsTest, WhatIsTunedBesideItMayMeetTheNeed) {
  kernel_.Add("/proc/sys/net/ipv4/tcp_sack", "0");
  kernel_.Add("/proc/sys/net/ipv4/tcp_dsack", "1");
  EXPECT_THAT(NotesOn({"net.ipv4.tcp_dsack"}),
              ElementsAre("net.ipv4.tcp_dsack: does nothing here: net.ipv4.tcp_sack is 0"));
  EXPECT_THAT(NotesOn({"net.ipv4.tcp_dsack", "net.ipv4.tcp_sack"}), IsEmpty());
}

TEST_F(NeedsTest, EveryNeedReadsAsWords) {
  EXPECT_EQ(TextOfNeed("swap"), "swap");
  EXPECT_EQ(TextOfNeed("numa"), "several NUMA nodes");
  EXPECT_EQ(TextOfNeed("net.ipv4.tcp_sack"), "net.ipv4.tcp_sack not off");
}

TEST_F(NeedsTest, ANeedThatNobodyKnowsIsRefused) {
  const auto read = Knowledge::Read({{"made-up.json", R"({
    "format": "hone-parameters", "format_version": 1, "parameters": [{
      "name": "vm.made_up", "kind": {"type": "boolean"}, "risk": "safe", "scope": "host",
      "needs": ["luck"], "matters_for": [], "summary": "Made up."}]})"}});
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, ::testing::HasSubstr("it needs luck, which is not known"));
}

}  // namespace
}  // namespace hone::sysctl

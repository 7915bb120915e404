// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/kernel/setting.h"

#include <gtest/gtest.h>

namespace hone::sysctl {
namespace {

TEST(SettingTest, AParameterOfSysctlIsNamedWithDots) {
  EXPECT_EQ(NameOfPath("/proc/sys/vm/swappiness"), "vm.swappiness");
  EXPECT_EQ(PathOfName("vm.swappiness"), "/proc/sys/vm/swappiness");
}

TEST(SettingTest, APathBelowSysIsItsOwnName) {
  const std::string path = "/sys/block/vda/queue/read_ahead_kb";
  EXPECT_EQ(NameOfPath(path), path);
  EXPECT_EQ(PathOfName(path), path);
}

TEST(SettingTest, AnInterfaceWithADotKeepsIt) {
  const std::string path = "/proc/sys/net/ipv4/conf/eth0.1/forwarding";
  EXPECT_EQ(NameOfPath(path), "net.ipv4.conf.eth0/1.forwarding");
  EXPECT_EQ(PathOfName(NameOfPath(path)), path);
}

TEST(SettingTest, ANameWithSlashesIsAPathBelowProcSys) {
  EXPECT_EQ(PathOfName("net/ipv4/conf/eth0.1/forwarding"),
            "/proc/sys/net/ipv4/conf/eth0.1/forwarding");
}

}  // namespace
}  // namespace hone::sysctl

// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/kernel/parameter_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::sysctl {
namespace {

using testing::HasSubstr;

std::string TextOf(const std::string& name) {
  const auto path = ParameterPath::Of(name);
  return path ? path->text() : path.error().message;
}

TEST(ParameterPathTest, NamesAndPathsOfOneParameterAreOnePath) {
  for (const char* const name :
       {"net.ipv4.tcp_rmem", "net/ipv4/tcp_rmem", "/proc/sys/net/ipv4/tcp_rmem"}) {
    EXPECT_EQ(TextOf(name), "/proc/sys/net/ipv4/tcp_rmem");
  }
  EXPECT_EQ(TextOf("net.ipv4.conf.eth0/1.forwarding"), "/proc/sys/net/ipv4/conf/eth0.1/forwarding");
  for (const char* const path :
       {"/sys/block/*/queue/scheduler", "/proc/irq/7/smp_affinity", "/ethtool/eth0/ring/rx",
        "/sys/fs/cgroup/**/io.max/*/rbps", "/sys/class/net/.odd/mtu", "/sys/a/..b/c."}) {
    EXPECT_EQ(TextOf(path), path);
  }
}

TEST(ParameterPathTest, AnotherSpellingIsRefused) {
  for (const char* const name : {"/proc/sys/kernel/./core_pattern",
                                 "/proc/sys/kernel//core_pattern",
                                 "/proc/sys//kernel/core_pattern",
                                 "/proc/sys/./kernel/core_pattern",
                                 "/proc/sys/net/ipv4/../../kernel/core_pattern",
                                 "/proc/sys/kernel/core_pattern/",
                                 "/proc/sys/kernel/core_pattern/.",
                                 "/proc/sys/kernel/core_pattern/..",
                                 "/proc/sys/",
                                 "/proc/sys/..",
                                 "/proc/sys/kernel/.*/core_pattern",
                                 "/proc/sys/kernel/.*./core_pattern",
                                 "kernel/./core_pattern",
                                 "kernel//core_pattern",
                                 "kernel/core_pattern/",
                                 "kernel/../kernel/core_pattern",
                                 "kernel..core_pattern",
                                 "kernel.core_pattern.",
                                 "kernel./.core_pattern",
                                 "kernel.//.core_pattern",
                                 ".kernel.core_pattern",
                                 "/sys/class/net/../../power/state",
                                 "/ethtool/../proc/sys/kernel/core_pattern"}) {
    EXPECT_THAT(TextOf(name), HasSubstr("has one spelling")) << name;
  }
}

TEST(ParameterPathTest, WhatIsElsewhereIsNoParameter) {
  for (const char* const name :
       {"", "/", "/etc/passwd", "/proc/sysrq-trigger", "/proc/sys", "/proc/self/mem",
        "//proc/sys/vm/x", "/proc/./sys/vm/x", "/proc//sys/vm/x", "/system/x", "file:/etc/passwd",
        "nginx:sendfile"}) {
    EXPECT_FALSE(ParameterPath::Of(name)) << name;
  }
  EXPECT_FALSE(ParameterPath::Of("vm.swappiness\n"));
  EXPECT_FALSE(ParameterPath::Of("vm.swap\x1b[2Jpiness"));
  EXPECT_FALSE(ParameterPath::Of(std::string("vm.swappiness\0x", 15)));
}

}  // namespace
}  // namespace hone::sysctl

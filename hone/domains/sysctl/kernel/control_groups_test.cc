// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/kernel/control_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/domains/sysctl/kernel/fake_kernel.h"

namespace hone::sysctl {
namespace {

using ::testing::HasSubstr;

const std::string kNginx = "/sys/fs/cgroup/system.slice/nginx.service";
constexpr char kLimits[] =
    "253:0 rbps=1048576 wbps=max riops=max wiops=120\n8:16 rbps=max wbps=2097152 riops=max "
    "wiops=max\n";

GroupValue Limit(const std::string& key) { return {kNginx + "/io.max", "vda", key}; }

TEST(ControlGroupsTest, APathMayGoOnBelowAFileOfSeveralValues) {
  const auto limit = GroupValueOf(kNginx + "/io.max/vda/rbps");
  ASSERT_TRUE(limit);
  EXPECT_EQ(limit->file, kNginx + "/io.max");
  EXPECT_EQ(limit->device, "vda");
  EXPECT_EQ(limit->key, "rbps");
  const auto weight = GroupValueOf(kNginx + "/io.weight/default");
  ASSERT_TRUE(weight);
  EXPECT_EQ(weight->file, kNginx + "/io.weight");
  EXPECT_EQ(weight->key, "default");
  EXPECT_FALSE(GroupValueOf(kNginx + "/cpu.weight"));
  EXPECT_FALSE(GroupValueOf(kNginx + "/io.max/vda"));
  EXPECT_FALSE(GroupValueOf("/sys/block/io.max/vda/rbps"));
}

TEST(ControlGroupsTest, AValueIsFoundOnTheLineOfItsDevice) {
  EXPECT_EQ(ValueIn(Limit("rbps"), "253:0", kLimits), "1048576");
  EXPECT_EQ(ValueIn(Limit("wiops"), "253:0", kLimits), "120");
  EXPECT_EQ(ValueIn(Limit("wbps"), "8:16", kLimits), "2097152");
  EXPECT_EQ(ValueIn(Limit("wbps"), "8:1", kLimits), "max") << "8:1 is not 8:16";
  EXPECT_EQ(ValueIn(Limit("rbps"), "253:0", ""), "max");
}

TEST(ControlGroupsTest, TheDefaultIsTheLineOfThatName) {
  const GroupValue weight{kNginx + "/io.weight", "", "default"};
  EXPECT_EQ(ValueIn(weight, "", "default 100\n253:0 200\n"), "100");
  EXPECT_EQ(ValueIn(weight, "", "253:0 200\n"), std::nullopt);
}

TEST(ControlGroupsTest, OneValueIsWrittenWithoutTheOthers) {
  EXPECT_EQ(LineFor(Limit("rbps"), "253:0", "max"), "253:0 rbps=max");
  EXPECT_EQ(LineFor({kNginx + "/io.weight", "", "default"}, "", "200"), "default 200");
}

class GroupNamesTest : public testing::Test {
 protected:
  GroupNamesTest() {
    kernel_.Add("/sys/fs/cgroup/cgroup.controllers", "cpu memory");
    AddGroup("/sys/fs/cgroup/system.slice", "cpu memory");
    AddGroup(kNginx, "memory");
    kernel_.Add(kNginx + "/memory.high", "max");
    AddGroup("/sys/fs/cgroup/a.slice/twice.service", "");
    AddGroup("/sys/fs/cgroup/b.slice/twice.service", "");
  }

  void AddGroup(const std::string& folder, const std::string& controllers) {
    kernel_.Add(folder + "/cgroup.procs", "");
    kernel_.Add(folder + "/cgroup.controllers", controllers);
  }

  std::string Resolved(const std::string& name) {
    const auto path = PathOfGroupName(kernel_, name);
    return path ? *path : path.error().message;
  }

  FakeKernel kernel_;
};

TEST_F(GroupNamesTest, AServiceIsFoundByItsName) {
  EXPECT_EQ(Resolved("cgroup:nginx.service/cpu.weight"), kNginx + "/cpu.weight");
  EXPECT_EQ(Resolved("cgroup:nginx.service/io.max/vda/rbps"), kNginx + "/io.max/vda/rbps");
  EXPECT_EQ(Resolved("cgroup:system.slice/nginx.service/memory.high"), kNginx + "/memory.high");
}

TEST_F(GroupNamesTest, WhatCannotBeFoundSaysWhatToDo) {
  EXPECT_THAT(Resolved("cgroup:apache.service/cpu.weight"),
              HasSubstr("there is no control group apache.service below /sys/fs/cgroup"));
  EXPECT_THAT(Resolved("cgroup:twice.service/cpu.weight"), HasSubstr("give more of the path"));
  EXPECT_THAT(Resolved("cgroup:nginx.service"), HasSubstr("expected a group and a control"));
  FakeKernel bare;
  EXPECT_THAT(PathOfGroupName(bare, "cgroup:nginx.service/cpu.weight").error().message,
              HasSubstr("no control groups of version 2"));
}

TEST_F(GroupNamesTest, AMissingControlNamesItsController) {
  EXPECT_THAT(WhyNoControl(kernel_, kNginx + "/cpu.weight"),
              HasSubstr("the controller cpu is not enabled for this group"));
  EXPECT_EQ(WhyNoControl(kernel_, kNginx + "/memory.high"),
            "this kernel's controller memory does not have it");
  EXPECT_THAT(WhyNoControl(kernel_, "/sys/fs/cgroup/none/cpu.weight"),
              HasSubstr("there is no control group /sys/fs/cgroup/none"));
  EXPECT_TRUE(HasController(kernel_, "/sys/fs/cgroup/**/cpu.weight"));
  EXPECT_FALSE(HasController(kernel_, "/sys/fs/cgroup/**/io.max/*/rbps"));
}

TEST_F(GroupNamesTest, SystemdHasAPropertyForMost) {
  EXPECT_EQ(SystemdCommand(kNginx + "/cpu.weight", "200"),
            "systemctl set-property nginx.service CPUWeight=200");
  EXPECT_EQ(SystemdCommand(kNginx + "/io.weight/default", "200"),
            "systemctl set-property nginx.service IOWeight=200");
  EXPECT_EQ(SystemdCommand(kNginx + "/io.max/vda/rbps", "max"),
            "systemctl set-property nginx.service IOReadBandwidthMax='/dev/vda infinity'");
  EXPECT_EQ(SystemdCommand("/sys/fs/cgroup/mine/cpu.weight", "200"), "");
}

}  // namespace
}  // namespace hone::sysctl

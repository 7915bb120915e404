// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hone/domains/sysctl/workload/spec_for_test.h"

namespace hone::sysctl {
namespace {

WorkloadSpec SpecThatRunsHere() {
  WorkloadSpec spec = MustRead(kPlainSpec);
  spec.benchmark.arguments = {"true"};
  return spec;
}

std::string FaultOf(const WorkloadSpec& spec) {
  const auto valid = CheckOnThisMachine(spec);
  return valid ? "it can run" : valid.error().message;
}

TEST(MachineCheckTest, WhatIsHereIsFound) {
  WorkloadSpec spec = SpecThatRunsHere();
  spec.programs = {"sh", "/bin/sh"};
  spec.setup = {CommandSpec{{"{folder}/made-by-setup"}, false, {}, "/not/yet", {}, {}}};
  EXPECT_EQ(FaultOf(spec), "it can run");
}

TEST(MachineCheckTest, AMissingProgramIsNamedWithItsPackages) {
  WorkloadSpec spec = SpecThatRunsHere();
  spec.programs = {"sh", "no-such-program-of-hone"};
  EXPECT_EQ(FaultOf(spec),
            "plain: /programs/1: no such program no-such-program-of-hone on this machine; install "
            "it, or give its whole path");
  spec.packages = {"one", "two"};
  EXPECT_EQ(FaultOf(spec),
            "plain: /programs/1: no such program no-such-program-of-hone on this machine; this "
            "workload needs Debian's one, two: apt-get install one two");
  EXPECT_EQ(CheckOnThisMachine(spec).error().code, Errc::kNotFound);
}

TEST(MachineCheckTest, ThePlaceOfAMissingProgramIsNamed) {
  const CommandSpec missing{{"/no/such/program"}, false, {}, "", {}, {}};
  const std::string rest =
      ": no such program /no/such/program on this machine; install it, or give its whole path";
  WorkloadSpec spec = SpecThatRunsHere();
  spec.teardown = {missing};
  EXPECT_EQ(FaultOf(spec), "plain: /teardown/0" + rest);
  spec = SpecThatRunsHere();
  spec.before_run = {spec.benchmark, missing};
  EXPECT_EQ(FaultOf(spec), "plain: /before_run/1" + rest);
  spec = SpecThatRunsHere();
  spec.service = ServiceSpec{};
  spec.service->start = missing;
  EXPECT_EQ(FaultOf(spec), "plain: /service/start" + rest);
  spec.service->start = spec.benchmark;
  spec.service->ready = missing;
  EXPECT_EQ(FaultOf(spec), "plain: /service/ready" + rest);
  spec = SpecThatRunsHere();
  spec.benchmark = missing;
  EXPECT_EQ(FaultOf(spec), "plain: /benchmark" + rest);
}

TEST(MachineCheckTest, ACpuThatIsNotHereIsRefused) {
  WorkloadSpec spec = SpecThatRunsHere();
  spec.benchmark.cpus = {1023};
  EXPECT_TRUE(FaultOf(spec).starts_with(
      "plain: /benchmark/cpus: there is no CPU 1023 for us on this machine; there are: "))
      << FaultOf(spec);
}

TEST(MachineCheckTest, AFolderThatIsNotHereIsRefused) {
  WorkloadSpec spec = SpecThatRunsHere();
  spec.benchmark.folder = "/no/such/folder";
  EXPECT_EQ(FaultOf(spec),
            "plain: /benchmark/folder: there is no folder /no/such/folder on this machine");
}

}  // namespace
}  // namespace hone::sysctl

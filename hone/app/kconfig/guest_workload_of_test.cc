// SPDX-License-Identifier: Apache-2.0
#include "hone/app/kconfig/guest_workload_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::app {
namespace {

using kernels::GuestStep;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

sysctl::CommandSpec SpecCommand(std::vector<std::string> arguments) {
  sysctl::CommandSpec command;
  command.arguments = std::move(arguments);
  return command;
}

sysctl::WorkloadSpec GuestWeb() {
  sysctl::WorkloadSpec spec;
  spec.name = "web";
  spec.service.emplace();
  spec.service->start = SpecCommand({"server", "{address}:{port}"});
  spec.service->ready_port = 0;
  spec.benchmark = SpecCommand({"client", "{folder}"});
  spec.metrics = {{{"rate", "1/s", Direction::kHigherIsBetter, ""}, {}}};
  spec.metrics.front().extractor.text = "rate";
  return spec;
}

TEST(GuestWorkloadOfTest, AServiceIsStartedAndAwaitedBeforeWhatIsMeasured) {
  const auto made = GuestWorkloadOf(GuestWeb());
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_EQ(made->steps.size(), 3u);
  EXPECT_THAT(made->steps[0].arguments, ElementsAre("server", "127.0.0.1:7000"));
  EXPECT_EQ(made->steps[1].kind, GuestStep::Kind::kListen);
  EXPECT_EQ(made->steps[1].port, 7000);
  EXPECT_EQ(made->steps[2].kind, GuestStep::Kind::kMeasure);
  EXPECT_THAT(made->steps[2].arguments, ElementsAre("client", "/work"));
  EXPECT_THAT(made->programs, ElementsAre("server", "client"));
  EXPECT_EQ(made->read("rate: 12\n").value().at("rate"), 12);
  EXPECT_FALSE(made->read("nothing\n"));
}

TEST(GuestWorkloadOfTest, AShellIsBusyboxs) {
  auto spec = GuestWeb();
  spec.setup = {SpecCommand({"/bin/sh", "-c", "true"})};
  spec.setup.front().is_shell = true;
  const auto made = GuestWorkloadOf(spec);
  ASSERT_TRUE(made);
  EXPECT_THAT(made->programs, Contains("busybox"));
  EXPECT_THAT(made->steps.front().arguments, ElementsAre("busybox", "--install", "-s", "/bin"));
}

TEST(GuestWorkloadOfTest, WhoBringsAFileSystemTakesNothingElseAlong) {
  auto spec = GuestWeb();
  spec.guest = sysctl::GuestSpec{};
  spec.guest->disk = "/images/web.ext4";
  spec.guest->needs = {"EXT4_FS=y"};
  const auto made = GuestWorkloadOf(spec);
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->programs.empty());
  EXPECT_EQ(made->disk, "/images/web.ext4");
  EXPECT_THAT(made->needs, ElementsAre("EXT4_FS=y"));
}

TEST(GuestWorkloadOfTest, WhatAGuestHasNotIsNamed) {
  auto spec = GuestWeb();
  spec.benchmark = SpecCommand({"{hone}", "probe"});
  EXPECT_THAT(GuestWorkloadOf(spec).error().message, HasSubstr("{hone} cannot be had"));
  spec = GuestWeb();
  spec.place = sysctl::Place::kNamespace;
  EXPECT_THAT(GuestWorkloadOf(spec).error().message, HasSubstr("namespace"));
  EXPECT_THAT(ReadGuestWorkload("no-such").error().message, HasSubstr("there are file-reads"));
}

TEST(GuestWorkloadOfTest, OneIsReadAgainFromItsTextWhateverItsFileSaysNow) {
  const auto made = ReadGuestWorkload("redis");
  ASSERT_TRUE(made) << made.error().message;
  const auto again = ReadGuestWorkload(made->text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(kernels::TaskOf(*again), kernels::TaskOf(*made));
  EXPECT_EQ(again->needs, made->needs);
  EXPECT_EQ(again->text, made->text);
}

TEST(GuestWorkloadOfTest, PresetsOfServicesRunInAGuest) {
  for (const char* name : {"redis", "nginx"}) {
    const auto made = ReadGuestWorkload(name);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_THAT(made->needs, Contains("INET=y")) << name;
  }
}

}  // namespace
}  // namespace hone::app

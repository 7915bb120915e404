// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/guest_workload.h"

#include <gtest/gtest.h>

namespace hone::kernels {
namespace {

TEST(GuestWorkloadTest, ATaskHasALineForEachPartOfACommand) {
  GuestWorkload workload;
  workload.steps = {{.kind = GuestStep::Kind::kStart,
                     .arguments = {"server", "--port", "7000"},
                     .environment = {{"LANG", "C"}}},
                    {.kind = GuestStep::Kind::kListen, .port = 7000},
                    {.kind = GuestStep::Kind::kMeasure, .arguments = {"client", ""}}};
  EXPECT_EQ(TaskOf(workload),
            "prepare /work\narg server\narg --port\narg 7000\nenv LANG=C\ndo start\nlisten 7000\n"
            "arg client\narg \ndo measure\n");
}

TEST(GuestWorkloadTest, AnArgumentOfSeveralLinesStaysOneLine) {
  GuestWorkload workload;
  workload.steps = {{.arguments = {"sh", "-c", "a\nb \\n"}}};
  EXPECT_EQ(TaskOf(workload), "prepare /work\narg sh\narg -c\narg a\\nb \\\\n\ndo call\n");
}

TEST(GuestWorkloadTest, ADiskIsEnteredFirst) {
  GuestWorkload workload;
  workload.disk = "/images/debian.ext4";
  EXPECT_EQ(TaskOf(workload), "disk /dev/vda\nprepare /work\n");
}

}  // namespace
}  // namespace hone::kernels

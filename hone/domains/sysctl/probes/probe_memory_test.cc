// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/domains/sysctl/probes/probe.h"

namespace hone::sysctl {
namespace {

TEST(MemoryProbeTest, TellsItsRateAndTheFirstTouch) {
  const auto readings = RunProbe(**FindProbe("memory"), {{"mib", "8"}, {"milliseconds", "20"}}, {});
  ASSERT_TRUE(readings) << readings.error().message;
  ASSERT_EQ(readings->size(), 2);
  EXPECT_EQ((*readings)[0].name, "mops_per_s");
  EXPECT_GT((*readings)[0].value, 0);
  EXPECT_EQ((*readings)[1].name, "first_touch_s");
  EXPECT_GT((*readings)[1].value, 0);
}

TEST(MemoryProbeTest, TellsHowItGoesIfSomebodyListens) {
  std::vector<ProbeReading> series;
  const auto readings = RunProbe(**FindProbe("memory"), {{"mib", "8"}, {"milliseconds", "350"}},
                                 [&](const ProbeReading& reading) { series.push_back(reading); });
  ASSERT_TRUE(readings);
  EXPECT_THAT(series, testing::Not(testing::IsEmpty()));
  EXPECT_THAT(series, testing::Each(testing::Field(&ProbeReading::name, "mops_per_s")));
}

TEST(MemoryProbeTest, MemoryThatTheMachineNeedsIsNotTaken) {
  const auto readings = RunProbe(**FindProbe("memory"), {{"mib", "1048576"}}, {});
  ASSERT_FALSE(readings) << "does this machine have two TiB?";
  EXPECT_EQ(readings.error().code, Errc::kUnavailable);
  EXPECT_THAT(readings.error().message, testing::HasSubstr("mib=1048576 is more than half"));
}

}  // namespace
}  // namespace hone::sysctl

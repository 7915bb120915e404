// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/gpu_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "hone/gpu/fake_gpu_for_test.h"

namespace hone::compute {
namespace {

using ::testing::HasSubstr;

constexpr pid_t kOurs = 100;
constexpr pid_t kOthers = 1 << 30;  // No process has this number.

DeviceSight SightOf(Result<gpu::GpuReading> reading) {
  gpu::FakeGpu device(std::move(reading));
  return LookAtGpu(device, [](pid_t pid) { return pid == kOurs; });
}

TEST(GpuWatchTest, GpuThatIsOursAloneAndRunsFreelyIsNoCauseForDoubt) {
  gpu::GpuReading reading;
  reading.clock_mhz = 1980;
  reading.processes = {{kOurs, 1 << 20}};
  const DeviceSight sight = SightOf(reading);
  EXPECT_EQ(sight.warning, "");
  EXPECT_EQ(sight.facts["gpu"], "Fake GPU");
  EXPECT_EQ(sight.facts["clock_mhz"], 1980);
  EXPECT_TRUE(sight.facts["others"].empty());
}

TEST(GpuWatchTest, OthersOnTheGpuAreNamed) {
  gpu::GpuReading reading;
  reading.processes = {{kOurs, 1 << 20}, {kOthers, 1 << 20}};
  const DeviceSight sight = SightOf(reading);
  EXPECT_THAT(sight.warning, HasSubstr("others use the GPU: process 1073741824"));
  EXPECT_EQ(sight.facts["others"].size(), 1U);
}

TEST(GpuWatchTest, WhatSlowsItIsNamed) {
  gpu::GpuReading reading;
  reading.slowed_by = {"power cap", "heat"};
  EXPECT_EQ(SightOf(reading).warning, "the GPU is slowed by power cap, heat");
}

TEST(GpuWatchTest, GpuThatCannotBeAskedIsDoubtful) {
  EXPECT_EQ(SightOf(Error{Errc::kUnavailable, "GPU: lost"}).warning, "GPU: lost");
}

}  // namespace
}  // namespace hone::compute

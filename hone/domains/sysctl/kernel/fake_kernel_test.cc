// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/kernel/fake_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::sysctl {
namespace {

const std::string kRatio = "/proc/sys/vm/dirty_ratio";
const std::string kBytes = "/proc/sys/vm/dirty_bytes";

TEST(FakeKernelTest, RoundsAndClamps) {
  FakeKernel kernel;
  kernel.Add(kRatio, "20");
  kernel.Round(kRatio, 8);
  kernel.Clamp(kRatio, 8, 96);
  ASSERT_TRUE(kernel.Write(kRatio, "17"));
  EXPECT_EQ(kernel.Read(kRatio).value(), "24");
  ASSERT_TRUE(kernel.Write(kRatio, "1000"));
  EXPECT_EQ(kernel.Read(kRatio).value(), "96");
}

TEST(FakeKernelTest, AWriteToOneTwinSwitchesTheOtherOff) {
  FakeKernel kernel;
  kernel.Add(kRatio, "20");
  kernel.Add(kBytes, "0");
  kernel.Couple(kRatio, kBytes);
  ASSERT_TRUE(kernel.Write(kBytes, "1048576"));
  EXPECT_EQ(kernel.Read(kRatio).value(), "0");
  EXPECT_EQ(kernel.Write(kBytes, "0").error().code, Errc::kInvalidArgument);
}

TEST(FakeKernelTest, ForbiddenIsUnsupportedAndSomebodyElseWritesUnseen) {
  FakeKernel kernel;
  kernel.Add(kRatio, "20");
  kernel.Add(kBytes, "0");
  kernel.Forbid(kRatio);
  EXPECT_EQ(kernel.Write(kRatio, "10").error().code, Errc::kUnsupported);
  kernel.BeforeWrite([&](const std::string&) { kernel.Set(kRatio, "77"); });
  ASSERT_TRUE(kernel.Write(kBytes, "5"));
  EXPECT_EQ(kernel.Read(kRatio).value(), "77");
  EXPECT_THAT(kernel.writes(), testing::ElementsAre(Setting{kBytes, "5"}));
}

}  // namespace
}  // namespace hone::sysctl

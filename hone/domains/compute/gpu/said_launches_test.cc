// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/said_launches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

namespace hone::compute {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kSum = R"({"reference": "-", "backend": "cuda",
  "sizes": ["n", "m"], "shapes": [{"n": 1000, "m": 2}],
  "inputs": [{"name": "x", "dtype": "f32", "shape": ["n"]}],
  "outputs": [{"name": "out", "dtype": "f32", "shape": ["m"]}]})";

class SaidLaunchesTest : public ::testing::Test {
 protected:
  Result<SaidLaunches> Parse(const std::string& source) const {
    return SaidLaunches::Parse(source, problem_);
  }

  std::string Complaint(const std::string& source) const {
    const auto plan = Parse(source);
    return plan ? "" : plan.error().message;
  }

  std::string FillComplaint(const std::string& launch) {
    const auto plan = Parse("// hone: " + launch);
    if (!plan) return "does not parse: " + plan.error().message;
    const auto filled = plan->Fill({{"n", 1000}, {"m", 2}}, *block_);
    return filled ? "" : filled.error().message;
  }

  static std::int64_t NumberOf(const Step& step, std::uint32_t argument) {
    std::int64_t number = 0;
    std::memcpy(&number, step.bytes + step.argument[argument], sizeof(number));
    return number;
  }

  const Problem problem_ = ParseProblem(kSum, "test").value();
  std::unique_ptr<LaunchBlock> block_ = std::make_unique<LaunchBlock>();
};

TEST_F(SaidLaunchesTest, LaunchesStandInTheirOrderWithNumbersForTheSizes) {
  const auto plan = Parse(
      "// A comment of somebody else's.\n"
      "// hone: scratch partial bytes(4 * ((n + 255) / 256))\n"
      "  // hone: launch reduce grid((n + 255) / 256, m) block(256) args(x, partial, n)\n"
      "// hone: launch finish grid(1) block(32, 2) shared(1024) args(partial, out, int n / 256)\n"
      "// hone: launch reduce grid(1) block(1) args()\n");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(plan->functions(), ElementsAre("reduce", "finish"));
  EXPECT_EQ(plan->ScratchBytes({{"n", 1000}, {"m", 2}}), 256U);
  ASSERT_TRUE(plan->Fill({{"n", 1000}, {"m", 2}}, *block_));
  ASSERT_EQ(block_->steps, 3U);
  const Step& reduce = block_->step[0];
  EXPECT_EQ(reduce.function, 0U);
  EXPECT_THAT(reduce.grid, ElementsAre(4U, 2U, 1U));
  EXPECT_THAT(reduce.block, ElementsAre(256U, 1U, 1U));
  ASSERT_EQ(reduce.arguments, 3U);
  ASSERT_EQ(reduce.addresses, 2U);
  EXPECT_EQ(reduce.address[0].kind, kAddressInput);
  EXPECT_EQ(reduce.address[0].at, reduce.argument[0]);
  EXPECT_EQ(reduce.address[1].kind, kAddressScratch);
  EXPECT_EQ(reduce.address[1].at, reduce.argument[1]);
  EXPECT_EQ(NumberOf(reduce, 2), 1000);
  const Step& finish = block_->step[1];
  EXPECT_EQ(finish.shared_bytes, 1024U);
  EXPECT_THAT(finish.block, ElementsAre(32U, 2U, 1U));
  EXPECT_EQ(finish.address[1].kind, kAddressOutput);
  EXPECT_EQ(finish.address[1].which, 1U);  // Behind the input, in the table of a call.
  EXPECT_EQ(NumberOf(finish, 2), 3);
  EXPECT_EQ(block_->step[2].arguments, 0U);
}

TEST_F(SaidLaunchesTest, OnlyACommentOfItsOwnSaysLaunches) {
  EXPECT_TRUE(SaysLaunches("int x;\n  // hone: launch k grid(1) block(1)\n"));
  EXPECT_FALSE(SaysLaunches("const char* text = \"// hone: launch k\";\n"));
  EXPECT_FALSE(SaysLaunches("__global__ void k() {}"));
}

TEST_F(SaidLaunchesTest, ArraysOfScratchDoNotOverlap) {
  const auto plan = Parse(
      "// hone: scratch a bytes(1)\n// hone: scratch b bytes(n)\n"
      "// hone: launch k grid(1) block(1) args(a, b)\n");
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_TRUE(plan->Fill({{"n", 1000}, {"m", 2}}, *block_));
  EXPECT_EQ(block_->step[0].address[0].offset, 0);
  EXPECT_EQ(block_->step[0].address[1].offset, 256);
  EXPECT_EQ(plan->ScratchBytes({{"n", 1000}, {"m", 2}}), 256U + 1024U);
}

TEST_F(SaidLaunchesTest, WhatIsWrongIsSaidWithItsLine) {
  EXPECT_THAT(Complaint("__global__ void k() {}"), HasSubstr("launches nothing"));
  EXPECT_THAT(Complaint("\n// hone: lunch k grid(1) block(1)"), HasSubstr("line 2: \"lunch\""));
  EXPECT_THAT(Complaint("// hone: launch k block(1)"), HasSubstr("needs grid"));
  EXPECT_THAT(Complaint("// hone: launch k grid(1)"), HasSubstr("needs block"));
  EXPECT_THAT(Complaint("// hone: launch k grid(1 block(1)"), HasSubstr("not closed"));
  EXPECT_THAT(Complaint("// hone: launch k grid(1) block(1) color(3)"), HasSubstr("color"));
  EXPECT_THAT(Complaint("// hone: launch k grid(1, 1, 1, 1) block(1)"), HasSubstr("three"));
  EXPECT_THAT(Complaint("// hone: launch k grid(q) block(1)"), HasSubstr("q"));
  EXPECT_THAT(Complaint("// hone: launch k grid(1) block(1) args(y)"), HasSubstr("\"y\""));
  EXPECT_THAT(Complaint("// hone: scratch x bytes(4)"), HasSubstr("something else"));
}

TEST_F(SaidLaunchesTest, WhatNoGpuCanLaunchIsRefused) {
  EXPECT_EQ(FillComplaint("launch k grid(n) block(1024)"), "");
  EXPECT_THAT(FillComplaint("launch k grid(n - 1000) block(1)"), HasSubstr("a grid of 0"));
  EXPECT_THAT(FillComplaint("launch k grid(1, 70000) block(1)"), HasSubstr("65535"));
  EXPECT_THAT(FillComplaint("launch k grid(1) block(1025)"), HasSubstr("1024"));
  EXPECT_THAT(FillComplaint("launch k grid(1) block(64, 32)"), HasSubstr("2048 threads"));
  EXPECT_THAT(FillComplaint("launch k grid(1) block(1) shared(n * n)"), HasSubstr("shared"));
}

TEST_F(SaidLaunchesTest, WhatNo64BitsHoldIsNoLaunchAndNoHarm) {
  const std::string too_large = "(0-9223372036854775807-1)/(0-1)";
  EXPECT_THAT(FillComplaint("launch k grid(" + too_large + ") block(1)"), HasSubstr("a grid of"));
  const auto plan = Parse("// hone: scratch s bytes(" + too_large +
                          ")\n// hone: launch k grid(1) block(1) args(s)\n");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->ScratchBytes({{"n", 1000}, {"m", 2}}), std::uint64_t{1} << 36);
}

TEST_F(SaidLaunchesTest, MoreLaunchesOrArgumentsThanTheBlockHoldsAreRefused) {
  std::string many;
  for (int i = 0; i <= 16; ++i) {
    many += "// hone: launch k grid(1) block(1)\n";
  }
  EXPECT_THAT(Complaint(many), HasSubstr("more than 16 launches"));
  std::string scratch;
  for (int i = 0; i <= 16; ++i) scratch += "// hone: scratch s" + std::to_string(i) + " bytes(4)\n";
  EXPECT_THAT(Complaint(scratch), HasSubstr("more than 16 arrays of scratch"));
  std::string arguments = "x";
  for (std::uint32_t i = 0; i < kMaxArguments; ++i) arguments += ", x";
  EXPECT_THAT(Complaint("// hone: launch k grid(1) block(1) args(" + arguments + ")"),
              HasSubstr("more than 32 arguments"));
}

}  // namespace
}  // namespace hone::compute

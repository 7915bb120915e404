// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/launch_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace hone::compute {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kSum = R"({"reference": "-", "backend": "cuda",
  "sizes": ["n", "m"], "shapes": [{"n": 1000, "m": 2}],
  "inputs": [{"name": "x", "dtype": "f32", "shape": ["n"]}],
  "outputs": [{"name": "out", "dtype": "f32", "shape": ["m"]}]})";

class LaunchPlanTest : public ::testing::Test {
 protected:
  Result<LaunchPlan> Parse(const std::string& source) const {
    return LaunchPlan::Parse(source, problem_);
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

  const Problem problem_ = ParseProblem(kSum, "test").value();
  std::unique_ptr<LaunchBlock> block_ = std::make_unique<LaunchBlock>();
};

TEST_F(LaunchPlanTest, LaunchesStandInTheirOrderWithNumbersForTheSizes) {
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
  ASSERT_EQ(block_->launches, 3U);
  const Launch& reduce = block_->launch[0];
  EXPECT_EQ(reduce.function, 0U);
  EXPECT_THAT(reduce.grid, ElementsAre(4U, 2U, 1U));
  EXPECT_THAT(reduce.block, ElementsAre(256U, 1U, 1U));
  ASSERT_EQ(reduce.arguments, 3U);
  EXPECT_EQ(reduce.argument[0].kind, kArgumentInput);
  EXPECT_EQ(reduce.argument[1].kind, kArgumentScratch);
  EXPECT_EQ(reduce.argument[2].kind, kArgumentLong);
  EXPECT_EQ(reduce.argument[2].value, 1000);
  const Launch& finish = block_->launch[1];
  EXPECT_EQ(finish.shared_bytes, 1024U);
  EXPECT_THAT(finish.block, ElementsAre(32U, 2U, 1U));
  EXPECT_EQ(finish.argument[1].kind, kArgumentOutput);
  EXPECT_EQ(finish.argument[1].value, 1);  // Behind the input, in the table of a call.
  EXPECT_EQ(finish.argument[2].kind, kArgumentInt);
  EXPECT_EQ(finish.argument[2].value, 3);
  EXPECT_EQ(block_->launch[2].arguments, 0U);
}

TEST_F(LaunchPlanTest, ArraysOfScratchDoNotOverlap) {
  const auto plan = Parse(
      "// hone: scratch a bytes(1)\n// hone: scratch b bytes(n)\n"
      "// hone: launch k grid(1) block(1) args(a, b)\n");
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_TRUE(plan->Fill({{"n", 1000}, {"m", 2}}, *block_));
  EXPECT_EQ(block_->launch[0].argument[0].value, 0);
  EXPECT_EQ(block_->launch[0].argument[1].value, 256);
  EXPECT_EQ(plan->ScratchBytes({{"n", 1000}, {"m", 2}}), 256U + 1024U);
}

TEST_F(LaunchPlanTest, WhatIsWrongIsSaidWithItsLine) {
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

TEST_F(LaunchPlanTest, WhatNoGpuCanLaunchIsRefused) {
  EXPECT_EQ(FillComplaint("launch k grid(n) block(1024)"), "");
  EXPECT_THAT(FillComplaint("launch k grid(n - 1000) block(1)"), HasSubstr("a grid of 0"));
  EXPECT_THAT(FillComplaint("launch k grid(1, 70000) block(1)"), HasSubstr("65535"));
  EXPECT_THAT(FillComplaint("launch k grid(1) block(1025)"), HasSubstr("1024"));
  EXPECT_THAT(FillComplaint("launch k grid(1) block(64, 32)"), HasSubstr("2048 threads"));
  EXPECT_THAT(FillComplaint("launch k grid(1) block(1) shared(n * n)"), HasSubstr("shared"));
}

TEST_F(LaunchPlanTest, MoreLaunchesOrArgumentsThanTheBlockHoldsAreRefused) {
  std::string many;
  for (std::uint32_t i = 0; i <= kMaxLaunches; ++i) {
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

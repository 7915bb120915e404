// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/write_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::sysctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WritePlanTest : public testing::Test {
 protected:
  WritePlanTest() {
    state_.parameters["a"] = {.original = "1", .last = "1"};
    state_.parameters["b"] = {.original = "2", .last = "5"};
    state_.parameters["ratio"] = {.original = "20", .last = "0"};
    state_.parameters["bytes"] = {.original = "0", .last = "4096"};
    state_.couplings.twins = {{"ratio", "bytes"}};
  }

  HeldState state_;
};

TEST_F(WritePlanTest, WhatGoesBackComesFirst) {
  const auto plan = PlanWrites(state_, {{"a", "7"}}, {});
  ASSERT_TRUE(plan);
  EXPECT_THAT(*plan,
              ElementsAre(PlannedWrite{{"b", "2"}, false}, PlannedWrite{{"ratio", "20"}, false},
                          PlannedWrite{{"a", "7"}, true}));
}

TEST_F(WritePlanTest, WhatIsInForceIsNotWritten) {
  const auto plan = PlanWrites(state_, {{"a", "1"}, {"b", "5"}, {"bytes", "4096"}}, {});
  ASSERT_TRUE(plan);
  EXPECT_THAT(*plan, IsEmpty());
}

TEST_F(WritePlanTest, ATwinThatWasOffAndIsAskedToBeOffGoesBackWithItsTwin) {
  const auto plan = PlanWrites(state_, {{"b", "5"}, {"bytes", "0"}}, {});
  ASSERT_TRUE(plan);
  EXPECT_THAT(*plan, ElementsAre(PlannedWrite{{"ratio", "20"}, false}));
}

TEST_F(WritePlanTest, BothTwinsOrOneParameterTwiceIsRefused) {
  EXPECT_EQ(PlanWrites(state_, {{"ratio", "5"}, {"bytes", "4096"}}, {}).error().code,
            Errc::kInvalidArgument);
  EXPECT_EQ(PlanWrites(state_, {{"a", "5"}, {"a", "6"}}, {}).error().code, Errc::kInvalidArgument);
}

}  // namespace
}  // namespace hone::sysctl

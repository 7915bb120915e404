// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/pulse.h"

#include <gtest/gtest.h>
#include <sched.h>

#include "hone/base/host.h"

namespace hone::compute {
namespace {

TEST(PulseTest, IsTakenOnAnyProcessorAndLeavesTheThreadFree) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(before), &before), 0);
  for (const int cpu : AllowedCpus()) EXPECT_GT(TakePulse(cpu), 0);
  EXPECT_GT(TakePulse(-1), 0);
  cpu_set_t after;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(after), &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

}  // namespace
}  // namespace hone::compute

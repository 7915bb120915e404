// SPDX-License-Identifier: Apache-2.0
#include "hone/base/host.h"

#include <gtest/gtest.h>
#include <sched.h>

namespace hone {
namespace {

TEST(HostTest, ThereIsANameAndACpu) {
  EXPECT_FALSE(HostName().empty());
  EXPECT_FALSE(AllowedCpus().empty());
}

TEST(HostTest, OnlyTheCpusOfThisThreadAreAllowed) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  const int last = AllowedCpus().back();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(last), &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(AllowedCpus(), std::vector<int>{last});
  ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
}

}  // namespace
}  // namespace hone

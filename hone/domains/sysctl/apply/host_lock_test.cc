// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/host_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "hone/base/temp_dir.h"

namespace hone::sysctl {
namespace {

TEST(HostLockTest, ASecondHolderIsToldWhoHasIt) {
  const auto folder = TempDir::Make();
  const auto file = folder->path() / "lock";
  {
    const auto first = LockHost(file);
    ASSERT_TRUE(first) << first.error().message;
    const auto second = LockHost(file);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, Errc::kStale);
    EXPECT_THAT(second.error().message, testing::HasSubstr(std::to_string(::getpid())));
  }
  EXPECT_TRUE(LockHost(file));
}

}  // namespace
}  // namespace hone::sysctl

// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/host_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

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

// Else any user of the machine could hold it, and nobody could tune.
TEST(HostLockTest, OnlyItsOwnerCanOpenIt) {
  const auto folder = TempDir::Make();
  const auto file = folder->path() / "lock";
  std::ofstream(file) << "";
  ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
  const auto lock = LockHost(file);
  ASSERT_TRUE(lock && *lock);
  EXPECT_EQ(std::filesystem::status(file).permissions(), std::filesystem::perms{0600});
}

TEST(HostLockTest, AnotherUsersFileIsRefusedAndNamed) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const auto folder = TempDir::Make();
  const auto file = folder->path() / "lock";
  std::ofstream(file) << "";
  ASSERT_EQ(::chown(file.c_str(), 65534, 65534), 0);
  const auto lock = LockHost(file);
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().code, Errc::kInvalidArgument);
  EXPECT_THAT(lock.error().message, testing::HasSubstr(file.native() + ": belongs to user 65534"));
}

TEST(HostLockTest, ALinkIsNotFollowed) {
  const auto folder = TempDir::Make();
  const auto file = folder->path() / "lock";
  const auto other = folder->path() / "other";
  std::ofstream(other) << "precious";
  std::filesystem::create_symlink(other, file);
  EXPECT_FALSE(LockHost(file));
  EXPECT_EQ(ReadFile(other).value(), "precious");
}

}  // namespace
}  // namespace hone::sysctl

// SPDX-License-Identifier: Apache-2.0
#include "hone/base/redis/redis_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "hone/base/temp_dir.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(RedisAddressTest, AFullUrlIsReadInAllItsParts) {
  const auto address = ParseRedisUrl("rediss://judge:p%40ss%3aword@queue.example:6390/3");
  ASSERT_TRUE(address) << address.error().message;
  EXPECT_TRUE(address->is_tls);
  EXPECT_EQ(address->user, "judge");
  EXPECT_EQ(address->password, "p@ss:word");
  EXPECT_EQ(address->host, "queue.example");
  EXPECT_EQ(address->port, 6390);
  EXPECT_EQ(address->database, 3);
}

TEST(RedisAddressTest, WhatIsLeftOutHasRedissOwnDefaults) {
  const auto address = ParseRedisUrl("redis://localhost");
  ASSERT_TRUE(address) << address.error().message;
  EXPECT_FALSE(address->is_tls);
  EXPECT_EQ(address->port, 6379);
  EXPECT_EQ(address->database, 0);
  EXPECT_EQ(address->user + address->password, "");
}

TEST(RedisAddressTest, APasswordWithoutAUserIsTheDefaultUsers) {
  const auto address = ParseRedisUrl("redis://:secret@[::1]:7000/");
  ASSERT_TRUE(address) << address.error().message;
  EXPECT_EQ(address->user, "");
  EXPECT_EQ(address->password, "secret");
  EXPECT_EQ(address->host, "::1");
  EXPECT_EQ(address->port, 7000);
  EXPECT_EQ(address->Name(), "redis://[::1]:7000/0");
}

TEST(RedisAddressTest, AUnixSocketIsAPath) {
  const auto address = ParseRedisUrl("unix:///run/redis/redis.sock");
  ASSERT_TRUE(address) << address.error().message;
  EXPECT_EQ(address->socket, "/run/redis/redis.sock");
  EXPECT_FALSE(ParseRedisUrl("unix://redis.sock"));
}

TEST(RedisAddressTest, WhatIsNoAddressIsRefusedWithoutRepeatingThePassword) {
  for (const char* url :
       {"", "localhost", "http://localhost", "redis://", "redis://secret@", "redis://:secret@:1",
        "redis://:secret@host:0", "redis://:secret@host:65536",
        "redis://:secret@host:", "redis://:secret@host/x", "redis://:secret@host/-1",
        "redis://:secret@[::1", "redis://:secret@[::1]x", "redis://:secret%@host",
        "redis://:secret%4@host", "redis://:secret%zz@host", "redis://:secret@host?db=1",
        "redis://:secret@host:1/2/3", "redis://user:secret"}) {
    const auto address = ParseRedisUrl(url);
    ASSERT_FALSE(address) << url;
    EXPECT_EQ(address.error().code, Errc::kInvalidArgument) << url;
    EXPECT_THAT(address.error().message, Not(HasSubstr("secret"))) << url;
  }
}

TEST(RedisAddressTest, TheNameNeverHoldsThePassword) {
  const auto address = ParseRedisUrl("redis://user:secret@host");
  ASSERT_TRUE(address);
  EXPECT_THAT(address->Name(), Not(HasSubstr("secret")));
}

TEST(RedisAddressTest, ThePasswordComesFromTheUrlElseTheFileElseTheEnvironment) {
  const auto folder = TempDir::Make("redis-address");
  ASSERT_TRUE(folder);
  const auto file = folder->path() / "password";
  std::ofstream(file) << "from file\r\nsecond line\n";
  ::setenv("HONE_REDIS_PASSWORD", "from environment", 1);
  const auto given = WithRedisPassword(*ParseRedisUrl("redis://:given@host"), file);
  const auto read = WithRedisPassword(*ParseRedisUrl("redis://host"), file);
  const auto found = WithRedisPassword(*ParseRedisUrl("redis://host"), "");
  ::unsetenv("HONE_REDIS_PASSWORD");
  ASSERT_TRUE(given && read && found);
  EXPECT_EQ(given->password, "given");
  EXPECT_EQ(read->password, "from file");
  EXPECT_EQ(found->password, "from environment");
  EXPECT_EQ(WithRedisPassword(*ParseRedisUrl("redis://host"), "")->password, "");
  std::ofstream(file) << "\n";
  EXPECT_FALSE(WithRedisPassword(*ParseRedisUrl("redis://host"), file));
  EXPECT_FALSE(WithRedisPassword(*ParseRedisUrl("redis://host"), folder->path() / "missing"));
}

}  // namespace
}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#include "hone/base/redis/redis_connection.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "hone/base/descriptor.h"
#include "hone/base/process/subprocess.h"
#include "hone/base/temp_dir.h"
#include "hone/testing/test_redis.h"

namespace hone {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class RedisConnectionTest : public testing::Test {
 protected:
  void Start(std::vector<std::string> options = {}) {
    auto redis = TestRedis::Start(folder_->path(), std::move(options));
    if (!redis && redis.error().code == Errc::kUnsupported) GTEST_SKIP() << redis.error().message;
    ASSERT_TRUE(redis) << redis.error().message;
    redis_ = std::move(*redis);
  }

  static Error OpenError(const RedisAddress& address) {
    auto connection = RedisConnection::Open(address, 5s);
    return connection ? Error{Errc::kCorrupt, "it let us in"} : connection.error();
  }

  static RedisAddress Port(int port) {
    RedisAddress address;
    address.port = port;
    return address;
  }

  Result<TempDir> folder_ = TempDir::Make("redis");
  std::unique_ptr<TestRedis> redis_;
};

TEST_F(RedisConnectionTest, AsksAndIsAnswered) {
  Start();
  if (!redis_) return;
  auto connection = RedisConnection::Open(redis_->address(), 5s);
  ASSERT_TRUE(connection) << connection.error().message;
  const std::string bytes("a\0b\r\n\xff", 6);
  EXPECT_EQ((*connection)->Ask({"SET", "key", bytes}, 5s)->text, "OK");
  EXPECT_EQ((*connection)->Ask({"GET", "key"}, 5s)->text, bytes);
  EXPECT_EQ((*connection)->Ask({"STRLEN", "key"}, 5s)->integer, 6);
  EXPECT_EQ((*connection)->Ask({"GET", "none"}, 5s)->kind, RedisReply::Kind::kNil);
  EXPECT_EQ((*connection)->Ask({"MGET", "key", "none"}, 5s)->items.size(), 2);
  EXPECT_TRUE((*connection)->Ask({"GET"}, 5s)->IsFault());
}

TEST_F(RedisConnectionTest, ALargeValueComesBackWhole) {
  Start();
  if (!redis_) return;
  auto connection = RedisConnection::Open(redis_->address(), 5s);
  ASSERT_TRUE(connection);
  const std::string large(20 << 20, 'x');
  ASSERT_EQ((*connection)->Ask({"SET", "key", large}, 30s)->text, "OK");
  EXPECT_EQ((*connection)->Ask({"GET", "key"}, 30s)->text, large);
}

TEST_F(RedisConnectionTest, AWrongPasswordIsToldApartFromAMissingOne) {
  Start({"requirepass", "right"});
  if (!redis_) return;
  RedisAddress address = redis_->address();
  EXPECT_TRUE(RedisConnection::Open(address, 5s));
  address.password = "wrong";
  EXPECT_EQ(OpenError(address).code, Errc::kInvalidArgument);
  EXPECT_THAT(OpenError(address).message, HasSubstr("password is wrong"));
  address.password = "";
  EXPECT_EQ(OpenError(address).code, Errc::kInvalidArgument);
  EXPECT_THAT(OpenError(address).message, HasSubstr("HONE_REDIS_PASSWORD"));
}

TEST_F(RedisConnectionTest, APasswordThatTheServerDoesNotHaveIsSaid) {
  Start();
  if (!redis_) return;
  RedisAddress address = redis_->address();
  address.password = "any";
  EXPECT_THAT(OpenError(address).message, HasSubstr("has none set"));
}

TEST_F(RedisConnectionTest, AUserOfTheAccessListGetsIn) {
  Start();
  if (!redis_) return;
  redis_->Do({"ACL", "SETUSER", "judge", "on", ">secret", "+@all", "~*"});
  RedisAddress address = redis_->address();
  address.user = "judge";
  address.password = "secret";
  EXPECT_TRUE(RedisConnection::Open(address, 5s));
  address.user = "other";
  EXPECT_THAT(OpenError(address).message, HasSubstr("user or password is wrong"));
}

TEST_F(RedisConnectionTest, ADatabaseThatIsNotThereIsSaid) {
  Start({"databases", "2"});
  if (!redis_) return;
  RedisAddress address = redis_->address();
  address.database = 1;
  EXPECT_TRUE(RedisConnection::Open(address, 5s));
  address.database = 2;
  EXPECT_THAT(OpenError(address).message, HasSubstr("no database of that number"));
}

TEST_F(RedisConnectionTest, WhereNobodyListensIsSaid) {
  EXPECT_EQ(OpenError(Port(FreePort())).code, Errc::kUnavailable);
  EXPECT_THAT(OpenError(Port(FreePort())).message, HasSubstr("nobody listens there"));
  RedisAddress address;
  address.socket = folder_->path() / "none.sock";
  EXPECT_EQ(OpenError(address).code, Errc::kUnavailable);
  EXPECT_THAT(OpenError(address).message, HasSubstr("no such socket"));
}

TEST_F(RedisConnectionTest, AHostThatIsNotKnownIsSaid) {
  RedisAddress address;
  address.host = "no-such-host.invalid";
  EXPECT_THAT(OpenError(address).message, HasSubstr("the host no-such-host.invalid"));
}

// Answers everyone with the same text, whatever is asked, and closes.
class Parrot {
 public:
  explicit Parrot(std::string text) : text_(std::move(text)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(socket_.get(), 8), 0);
    socklen_t size = sizeof address;
    ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this] { Serve(); });
  }
  ~Parrot() { ::shutdown(socket_.get(), SHUT_RDWR); }
  int port() const { return port_; }

 private:
  void Serve() const {
    while (true) {
      const Descriptor client(::accept(socket_.get(), nullptr, nullptr));
      if (!client.is_open()) return;
      char unused[512];
      if (::recv(client.get(), unused, sizeof unused, 0) <= 0) continue;
      ::send(client.get(), text_.data(), text_.size(), MSG_NOSIGNAL);
    }
  }

  std::string text_;
  Descriptor socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  int port_ = 0;
  std::jthread thread_;
};

TEST_F(RedisConnectionTest, WhatIsNoRedisIsSaidWithWhatItAnswered) {
  const Parrot parrot("HTTP/1.1 400 Bad Request\r\n\r\n");
  const Error error = OpenError(Port(parrot.port()));
  EXPECT_EQ(error.code, Errc::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("it is no Redis; it answered \"HTTP/1.1 400"));
}

TEST_F(RedisConnectionTest, AnAlertOfTlsIsRecognised) {
  const Parrot parrot(std::string("\x15\x03\x01\x00\x02\x02\x46", 7));
  const Error error = OpenError(Port(parrot.port()));
  EXPECT_EQ(error.code, Errc::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("write rediss://"));
}

TEST_F(RedisConnectionTest, OddRepliesAreErrorsAndNoCrash) {
  for (const std::string text :
       {"", "+", "$5\r\nabc", "*-5\r\n", "*1000000000\r\n", "$-2\r\n", "$99999999999999999999\r\n",
        ":abc\r\n", "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
        "-\r\n"}) {
    const Parrot parrot(text);
    EXPECT_FALSE(RedisConnection::Open(Port(parrot.port()), 2s)) << text;
  }
}

TEST_F(RedisConnectionTest, ASilentServerIsGivenUpInTime) {
  const Descriptor silent(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(silent.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(silent.get(), 1), 0);
  ::getsockname(silent.get(), reinterpret_cast<sockaddr*>(&address), &size);
  const auto connection = RedisConnection::Open(Port(ntohs(address.sin_port)), 50ms);
  ASSERT_FALSE(connection);
  EXPECT_EQ(connection.error().code, Errc::kUnavailable);
}

TEST_F(RedisConnectionTest, TellsWhatBearsOnTrust) {
  Start({"appendonly", "yes", "maxmemory", "100mb", "maxmemory-policy", "allkeys-lru"});
  if (!redis_) return;
  auto connection = RedisConnection::Open(redis_->address(), 5s);
  ASSERT_TRUE(connection);
  auto facts = ReadRedisFacts(**connection, redis_->address(), 5s);
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_TRUE(facts->is_append_only);
  EXPECT_TRUE(facts->may_evict);
  EXPECT_EQ(facts->eviction_policy, "allkeys-lru");
  EXPECT_FALSE(facts->is_replica);
  redis_->Do({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
  redis_->Do({"REPLICAOF", "127.0.0.1", "1"});
  facts = ReadRedisFacts(**connection, redis_->address(), 5s);
  ASSERT_TRUE(facts);
  EXPECT_FALSE(facts->may_evict);
  EXPECT_TRUE(facts->is_replica);
}

TEST(RedisFaultTest, EveryFaultSaysWhatToDo) {
  EXPECT_TRUE(MeaningOf("LOADING Redis is loading the dataset in memory", "s").is_passing);
  EXPECT_TRUE(MeaningOf("READONLY You can't write against a read only replica.", "s").is_passing);
  const RedisFault full = MeaningOf("OOM command not allowed when used memory > 'maxmemory'.", "s");
  EXPECT_FALSE(full.is_passing);
  EXPECT_EQ(full.error.code, Errc::kUnavailable);
  EXPECT_THAT(full.error.message, HasSubstr("s: its memory is full"));
  EXPECT_EQ(MeaningOf("MOVED 1 10.0.0.1:6379", "s").error.code, Errc::kUnsupported);
  EXPECT_EQ(MeaningOf("WRONGTYPE Operation against", "s").error.code, Errc::kCorrupt);
  EXPECT_THAT(MeaningOf("ERR whatever", "s").error.message, HasSubstr("ERR whatever"));
}

}  // namespace
}  // namespace hone

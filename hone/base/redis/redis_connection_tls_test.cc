// SPDX-License-Identifier: Apache-2.0
// Redis under TLS, with certificates made by the openssl program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include "hone/base/process/subprocess.h"
#include "hone/base/redis/redis_connection.h"
#include "hone/base/temp_dir.h"
#include "hone/testing/test_redis.h"

namespace hone {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class RedisTlsTest : public testing::Test {
 protected:
  void SetUp() override {
    MakeAuthority("ca");
    MakeAuthority("other");
    Sign("server", "subjectAltName=DNS:localhost,IP:127.0.0.1");
    Sign("client", "subjectAltName=DNS:client");
    if (IsSkipped() || HasFatalFailure()) return;
    Start("yes");
  }

  void Start(const std::string& asks_clients) {
    redis_.reset();
    port_ = FreePort();
    auto redis = TestRedis::Start(
        folder_->path(),
        {"tls-port", std::to_string(port_), "tls-cert-file", File("server.crt"), "tls-key-file",
         File("server.key"), "tls-ca-cert-file", File("ca.crt"), "tls-auth-clients", asks_clients});
    if (!redis && redis.error().code == Errc::kUnsupported) GTEST_SKIP() << redis.error().message;
    ASSERT_TRUE(redis) << redis.error().message;
    redis_ = std::move(*redis);
  }

  std::string File(const std::string& name) const { return folder_->path() / name; }

  void OpenSsl(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "openssl");
    Command command;
    command.arguments = std::move(arguments);
    const auto made = RunProcess(command);
    if (!made) GTEST_SKIP() << "openssl: " << made.error().message;
    ASSERT_EQ(made->status, 0) << made->errors;
  }

  void MakeAuthority(const std::string& name) {
    OpenSsl({"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
             "-days", "2", "-subj", "/CN=" + name, "-keyout", File(name + ".key"), "-out",
             File(name + ".crt")});
  }

  void Sign(const std::string& name, const std::string& extension) {
    std::ofstream(File(name + ".ext")) << extension;
    OpenSsl({"req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
             "/CN=" + name, "-keyout", File(name + ".key"), "-out", File(name + ".csr")});
    OpenSsl({"x509", "-req", "-in", File(name + ".csr"), "-CA", File("ca.crt"), "-CAkey",
             File("ca.key"), "-CAcreateserial", "-days", "2", "-extfile", File(name + ".ext"),
             "-out", File(name + ".crt")});
  }

  RedisAddress Address(const std::string& host = "127.0.0.1") const {
    RedisAddress address;
    address.host = host;
    address.port = port_;
    address.is_tls = true;
    address.ca_file = File("ca.crt");
    address.certificate_file = File("client.crt");
    address.key_file = File("client.key");
    return address;
  }

  static Error OpenError(const RedisAddress& address) {
    auto connection = RedisConnection::Open(address, 10s);
    return connection ? Error{Errc::kCorrupt, "it let us in"} : connection.error();
  }

  Result<TempDir> folder_ = TempDir::Make("redis-tls");
  std::unique_ptr<TestRedis> redis_;
  int port_ = 0;
};

TEST_F(RedisTlsTest, SpeaksUnderTlsByNameAndByAddress) {
  for (const char* host : {"127.0.0.1", "localhost"}) {
    auto connection = RedisConnection::Open(Address(host), 10s);
    ASSERT_TRUE(connection) << connection.error().message;
    const std::string large(5 << 20, 'x');
    ASSERT_EQ((*connection)->Ask({"SET", "key", large}, 30s)->text, "OK");
    EXPECT_EQ((*connection)->Ask({"GET", "key"}, 30s)->text, large);
  }
}

TEST_F(RedisTlsTest, AnAuthorityThatIsNotOursIsNotTrustedUnlessToldTo) {
  RedisAddress address = Address();
  address.ca_file = File("other.crt");
  EXPECT_EQ(OpenError(address).code, Errc::kInvalidArgument);
  EXPECT_THAT(OpenError(address).message, HasSubstr("is not trusted"));
  address.ca_file.clear();  // The system's list.
  EXPECT_THAT(OpenError(address).message, HasSubstr("is not trusted"));
  address.verifies_server = false;
  EXPECT_TRUE(RedisConnection::Open(address, 10s));
}

TEST_F(RedisTlsTest, ACertificateOfAnotherHostIsNotTrusted) {
  redis_.reset();
  Sign("server", "subjectAltName=DNS:elsewhere.example");
  Start("no");
  const Error error = OpenError(Address());
  EXPECT_EQ(error.code, Errc::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("mismatch"));
}

TEST_F(RedisTlsTest, AServerThatAsksForACertificateSaysSo) {
  RedisAddress address = Address();
  address.certificate_file.clear();
  const Error error = OpenError(address);
  EXPECT_THAT(error.message, HasSubstr("certificate"));
  EXPECT_NE(error.code, Errc::kCorrupt);
}

TEST_F(RedisTlsTest, FilesThatAreNoCertificatesAreNamed) {
  RedisAddress address = Address();
  address.ca_file = File("server.ext");
  EXPECT_THAT(OpenError(address).message, HasSubstr("server.ext"));
  address = Address();
  address.certificate_file = File("none.crt");
  EXPECT_THAT(OpenError(address).message, HasSubstr("none.crt"));
  address = Address();
  address.key_file = File("server.key");  // Of another certificate.
  EXPECT_THAT(OpenError(address).message, HasSubstr("server.key"));
}

TEST_F(RedisTlsTest, PlainWhereTlsIsExpectedAndTheOtherWayRound) {
  RedisAddress plain = Address();
  plain.is_tls = false;
  EXPECT_THAT(OpenError(plain).message, HasSubstr("rediss://"));
  redis_.reset();
  port_ = FreePort();
  auto redis = TestRedis::Start(folder_->path(), {"port", std::to_string(port_)});
  ASSERT_TRUE(redis) << redis.error().message;
  const auto connection = RedisConnection::Open(Address(), 1s);
  ASSERT_FALSE(connection);
  EXPECT_THAT(connection.error().message, HasSubstr("perhaps it does not speak TLS"));
}

}  // namespace
}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
// HTTPS, with certificates made by the openssl program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/http/http_client.h"
#include "hone/base/http/scripted_server_for_test.h"
#include "hone/base/net/tls_relay_for_test.h"
#include "hone/base/temp_dir.h"

namespace hone {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class HttpsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TestCertificates::Make(folder_->path());
    if (!made && made.error().code == Errc::kUnsupported) GTEST_SKIP() << made.error().message;
    ASSERT_TRUE(made) << made.error().message;
    certificates_.emplace(std::move(*made));
  }

  void Start(const std::string& names, bool is_expired = false, bool drops_the_end = false) {
    const auto made = certificates_->Sign("server", names, is_expired);
    ASSERT_TRUE(made) << made.error().message;
    auto relay = TlsRelay::Start(certificates_->File("server.crt"),
                                 certificates_->File("server.key"), server_.port(), drops_the_end);
    ASSERT_TRUE(relay) << relay.error().message;
    relay_ = std::move(*relay);
  }

  HttpCall Call(const std::string& host) const {
    HttpCall call;
    call.url = *ParseHttpUrl("https://" + host + ":" + std::to_string(relay_->port()));
    call.ca_file = certificates_->File("ca.crt");
    call.limits = {.connect = 20s, .idle = 20s, .total = 20s};
    return call;
  }

  void ExpectRefused(const HttpCall& call, const std::string& reason) const {
    const auto reply = CallHttp(call);
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, Errc::kInvalidArgument);
    EXPECT_THAT(reply.error().message, HasSubstr("is not trusted"));
    EXPECT_THAT(reply.error().message, HasSubstr(reason));
    EXPECT_THAT(server_.requests(), IsEmpty());  // Not a byte of the request was sent.
  }

  ScriptedServer server_{[](const ScriptedRequest& request, ScriptedReply& reply) {
    if (request.target == "/open") {
      reply.Send("HTTP/1.1 200 OK\r\n\r\nto the end");
    } else {
      reply.SendWhole(200, "text/plain", "under TLS");
    }
  }};
  Result<TempDir> folder_ = TempDir::Make("https");
  std::optional<TestCertificates> certificates_;
  std::unique_ptr<TlsRelay> relay_;
};

TEST_F(HttpsTest, SpeaksToAServerThatOurAuthorityVouchesFor) {
  Start("DNS:localhost,IP:127.0.0.1");
  for (const char* host : {"127.0.0.1", "localhost"}) {
    const auto reply = CallHttp(Call(host));
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->body, "under TLS");
  }
  EXPECT_THAT(relay_->asked_names(), ElementsAre("", "localhost"));
}

TEST_F(HttpsTest, ACertificateOfAnotherHostIsRefused) {
  Start("DNS:elsewhere.example,IP:127.0.0.2");
  ExpectRefused(Call("127.0.0.1"), "mismatch");
  ExpectRefused(Call("localhost"), "mismatch");
}

TEST_F(HttpsTest, AnExpiredCertificateIsRefused) {
  Start("DNS:localhost", true);
  ExpectRefused(Call("localhost"), "expired");
}

TEST_F(HttpsTest, AnAuthorityThatIsNotOursIsRefused) {
  Start("DNS:localhost");
  ASSERT_TRUE(certificates_->MakeAuthority("other"));
  HttpCall call = Call("localhost");
  call.ca_file = certificates_->File("other.crt");
  ExpectRefused(call, "issuer");
  call.ca_file.clear();  // The system's list.
  ExpectRefused(call, "issuer");
  call.ca_file = certificates_->File("server.ext");
  EXPECT_THAT(CallHttp(call).error().message, HasSubstr("server.ext"));
}

TEST_F(HttpsTest, AConnectionThatIsCutIsNotTakenForItsEnd) {
  Start("DNS:localhost", false, true);
  HttpCall call = Call("localhost");
  call.target = "/open";
  EXPECT_FALSE(CallHttp(call));
  Start("DNS:localhost");
  call = Call("localhost");
  call.target = "/open";
  const auto reply = CallHttp(call);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->body, "to the end");
}

TEST_F(HttpsTest, AServerWithoutTlsIsNamed) {
  Start("DNS:localhost");
  HttpCall call = Call("localhost");
  call.url.port = server_.port();
  call.limits.connect = 2s;
  EXPECT_THAT(CallHttp(call).error().message, HasSubstr("TLS"));
}

TEST_F(HttpsTest, AProxyPassesTheConnectionOnAndTheCertificateIsStillChecked) {
  Start("DNS:model.example");
  const ScriptedServer proxy([this](const ScriptedRequest& request, ScriptedReply& reply) {
    if (request.Header("proxy-authorization").empty()) {
      return reply.SendWhole(407, "text/plain", "");
    }
    reply.Send("HTTP/1.1 200 Connection established\r\n\r\n");
    reply.Tunnel(relay_->port());
  });
  HttpCall call = Call("model.example");
  call.proxies.for_https = *ParseHttpUrl("http://127.0.0.1:" + std::to_string(proxy.port()));
  const auto refused = CallHttp(call);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("407"));
  call.proxies.for_https->user = "me";
  const auto reply = CallHttp(call);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->body, "under TLS");
  EXPECT_EQ(proxy.requests().back().method, "CONNECT");
  EXPECT_EQ(proxy.requests().back().target, "model.example:" + std::to_string(relay_->port()));
  call.url.host = "other.example";
  EXPECT_THAT(CallHttp(call).error().message, HasSubstr("mismatch"));
}

}  // namespace
}  // namespace hone

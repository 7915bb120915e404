// SPDX-License-Identifier: Apache-2.0
#include "hone/base/http/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "hone/base/http/scripted_server_for_test.h"
#include "hone/testing/wait_until.h"

namespace hone {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

HttpCall CallAt(const std::string& url) {
  HttpCall call;
  call.url = *ParseHttpUrl(url);
  call.limits.total = 30s;
  call.limits.idle = 30s;
  return call;
}

Error FaultOf(const HttpCall& call) {
  const auto reply = CallHttp(call);
  return reply ? Error{Errc::kCorrupt, "it was answered"} : reply.error();
}

TEST(HttpClientTest, SendsWhatIsAskedAndReadsTheReply) {
  const ScriptedServer server([](const ScriptedRequest& request, ScriptedReply& reply) {
    reply.SendWhole(201, "text/plain", request.method + " " + request.target + " " + request.body,
                    "X-Seen: " + request.Header("x-mine") + "\r\n");
  });
  HttpCall call = CallAt(server.url() + "/api");
  call.method = "POST";
  call.target = "/things?a=1";
  call.headers = {{"X-Mine", "yes"}};
  call.body = R"({"a":1})";
  const auto reply = CallHttp(call);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->status, 201);
  EXPECT_EQ(reply->body, R"(POST /api/things?a=1 {"a":1})");
  EXPECT_EQ(reply->Header("x-seen"), "yes");
  const ScriptedRequest seen = server.requests().front();
  EXPECT_EQ(seen.Header("content-type"), "application/json");
  EXPECT_EQ(seen.Header("host"), "127.0.0.1:" + std::to_string(server.port()));
}

TEST(HttpClientTest, PiecesComeWhileTheServerStillSpeaks) {
  std::atomic<bool> has_first = false;
  const ScriptedServer server([&](const ScriptedRequest&, ScriptedReply& reply) {
    reply.SendChunkedHead("text/plain");
    reply.SendChunk("first");
    WaitUntil([&] { return has_first.load(); }, "the client has seen the piece");
    reply.SendChunk("second");
    reply.SendChunk("");
  });
  std::string text;
  const auto reply = CallHttp(CallAt(server.url()), [&](const HttpReply&, std::string_view piece) {
    text += piece;
    has_first = true;
    return Result<bool>(true);
  });
  has_first = true;
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(text, "firstsecond");
  EXPECT_EQ(reply->body, "");
}

TEST(HttpClientTest, AListenerThatHasEnoughEndsAnEndlessReply) {
  const ScriptedServer server([](const ScriptedRequest&, ScriptedReply& reply) {
    reply.SendChunkedHead("text/plain");
    while (reply.SendChunk("more and more")) {
    }
  });
  std::size_t count = 0;
  const auto reply = CallHttp(CallAt(server.url()), [&](const HttpReply&, std::string_view piece) {
    count += piece.size();
    return Result<bool>(count < 100'000);
  });
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_GE(count, 100'000U);
}

TEST(HttpClientTest, SilenceAndDripsAreEndedByTheirLimits) {
  const ScriptedServer silent([](const ScriptedRequest&, ScriptedReply& reply) { reply.Hold(); });
  HttpCall call = CallAt(silent.url());
  call.limits.idle = 50ms;
  EXPECT_THAT(FaultOf(call).message, HasSubstr("nothing came for too long"));
  call.limits.idle = 30s;
  call.limits.total = 50ms;
  EXPECT_THAT(FaultOf(call).message, HasSubstr("no whole reply in time"));
  const ScriptedServer dripping([](const ScriptedRequest&, ScriptedReply& reply) {
    reply.SendChunkedHead("text/plain");
    while (reply.SendChunk("x")) {
    }
  });
  call.url = *ParseHttpUrl(dripping.url());
  call.limits.reply.body_bytes = 1ULL << 40;
  const auto fault =
      CallHttp(call, [](const HttpReply&, std::string_view) -> Result<bool> { return true; });
  ASSERT_FALSE(fault);
  EXPECT_THAT(fault.error().message, HasSubstr("no whole reply in time"));
}

TEST(HttpClientTest, AStopEndsACallThatWaits) {
  std::stop_source stop;
  const ScriptedServer server([&](const ScriptedRequest&, ScriptedReply& reply) {
    stop.request_stop();
    reply.Hold();
  });
  HttpCall call = CallAt(server.url());
  call.stop = stop.get_token();
  const Error fault = FaultOf(call);
  EXPECT_EQ(fault.code, Errc::kUnavailable);
  EXPECT_THAT(fault.message, HasSubstr("stopped"));
  EXPECT_THAT(FaultOf(call).message, HasSubstr("stopped"));  // From the beginning.
}

TEST(HttpClientTest, NobodyThereAndNoSuchHostAreToldApart) {
  HttpCall call = CallAt("http://127.0.0.1:" + std::to_string(ClosedPort()));
  EXPECT_EQ(FaultOf(call).code, Errc::kUnavailable);
  EXPECT_THAT(FaultOf(call).message, HasSubstr("nobody listens there"));
  call = CallAt("http://nowhere.invalid");
  EXPECT_NE(FaultOf(call).code, Errc::kCorrupt);
  EXPECT_THAT(FaultOf(call).message, HasSubstr("nowhere.invalid"));
}

TEST(HttpClientTest, ServersThatBreakOffOrTalkNonsenseGiveErrors) {
  using Step = std::function<void(ScriptedReply&)>;
  const std::vector<Step> steps{
      [](ScriptedReply&) {},
      [](ScriptedReply& reply) { reply.Drop(); },
      [](ScriptedReply& reply) { reply.Send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"); },
      [](ScriptedReply& reply) { reply.Send("Welcome to the mail server\r\n"); },
      [](ScriptedReply& reply) {
        reply.Send("HTTP/1.1 200 OK\r\nX: " + std::string(1 << 20, 'x'));
      },
      [](ScriptedReply& reply) { reply.SendWhole(200, "text/plain", std::string(2 << 20, 'x')); },
  };
  for (const Step& step : steps) {
    const ScriptedServer server([&](const ScriptedRequest&, ScriptedReply& reply) { step(reply); });
    HttpCall call = CallAt(server.url());
    call.limits.reply.body_bytes = 1 << 20;
    const auto reply = CallHttp(call);
    ASSERT_FALSE(reply) << reply->body;
    EXPECT_THAT(reply.error().message, HasSubstr("http://127.0.0.1:"));
  }
}

TEST(HttpClientTest, ARedirectIsNotFollowed) {
  const ScriptedServer server([](const ScriptedRequest&, ScriptedReply& reply) {
    reply.SendWhole(307, "text/plain", "", "Location: http://127.0.0.1:1/\r\n");
  });
  const auto reply = CallHttp(CallAt(server.url()));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 307);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(HttpClientTest, ACompressedReplyIsNotTakenForText) {
  const ScriptedServer server([](const ScriptedRequest&, ScriptedReply& reply) {
    reply.SendWhole(200, "text/plain", "\x1f\x8b", "Content-Encoding: gzip\r\n");
  });
  const auto reply = CallHttp(
      CallAt(server.url()), [](const HttpReply&, std::string_view) { return Result<bool>(true); });
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message, HasSubstr("compressed"));
}

TEST(HttpClientTest, NothingCanBeSmuggledIntoAHeader) {
  HttpCall call = CallAt("http://127.0.0.1:1");
  call.headers = {{"X-Key", "secret\r\nX-Other: 1"}};
  EXPECT_EQ(FaultOf(call).code, Errc::kInvalidArgument);
  EXPECT_THAT(FaultOf(call).message, Not(HasSubstr("secret")));
  call.headers = {{"X Key", "a"}};
  EXPECT_EQ(FaultOf(call).code, Errc::kInvalidArgument);
  call.headers.clear();
  call.target = "/a b";
  EXPECT_EQ(FaultOf(call).code, Errc::kInvalidArgument);
}

TEST(HttpClientTest, AServerThatRefusesEarlyIsHeard) {
  const ScriptedServer server([](const ScriptedRequest&, ScriptedReply& reply) {
    reply.SendWhole(413, "text/plain", "too large");
  });
  HttpCall call = CallAt(server.url());
  call.method = "POST";
  call.headers = {{"X-Unread", "1"}};
  call.body = std::string(64 << 20, 'x');
  const auto reply = CallHttp(call);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->status, 413);
}

TEST(HttpClientTest, AProxyGetsTheWholeUrlAndItsPassword) {
  const ScriptedServer proxy([](const ScriptedRequest& request, ScriptedReply& reply) {
    reply.SendWhole(200, "text/plain", request.target);
  });
  HttpCall call = CallAt("http://nowhere.invalid:81/x");
  call.proxies.for_http =
      *ParseHttpUrl("http://me:geheim@127.0.0.1:" + std::to_string(proxy.port()));
  const auto reply = CallHttp(call);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->body, "http://nowhere.invalid:81/x");
  EXPECT_EQ(proxy.requests().front().Header("proxy-authorization"), "Basic bWU6Z2VoZWlt");
  EXPECT_EQ(proxy.requests().front().Header("host"), "nowhere.invalid:81");
}

}  // namespace
}  // namespace hone

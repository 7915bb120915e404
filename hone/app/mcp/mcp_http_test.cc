// SPDX-License-Identifier: Apache-2.0
#include "hone/app/mcp/mcp_http.h"

#include <gtest/gtest.h>

#include <future>
#include <map>

#include "hone/agent/mcp/mcp_server_for_test.h"
#include "hone/base/http/http_client.h"

namespace hone::app {
namespace {

using agent::CallOf;
using agent::LegacyRequest;
using agent::ModernRequest;

constexpr const char* kSubmitToken = "0123456789abcdef0123456789abcdef";
constexpr const char* kOtherToken = "fedcba9876543210fedcba9876543210";
constexpr const char* kAdminToken = "00112233445566778899aabbccddeeff";

class McpHttpTest : public testing::Test {
 protected:
  using Headers = std::map<std::string, std::string>;

  McpHttpTest() {
    McpHttpSettings settings;
    settings.http.port = 0;
    settings.access.tokens =
        server::TokenBook::Parse(std::string("submit ") + kSubmitToken + "\nsubmit " + kOtherToken +
                                     "\nadmin " + kAdminToken + "\n",
                                 "tokens")
            .value();
    server_ = StartMcpHttp(mcp_, SystemClock(), std::move(settings)).value();
  }

  HttpReply Send(const std::string& method, const std::string& body, Headers headers) {
    HttpCall call;
    call.url.host = "127.0.0.1";
    call.url.port = server_->port();
    call.method = method;
    call.target = "/mcp";
    headers.emplace("authorization", std::string("Bearer ") + kSubmitToken);
    headers.emplace("accept", "application/json, text/event-stream");
    for (const auto& [name, value] : headers) call.headers.emplace_back(name, value);
    call.body = body;
    auto reply = CallHttp(call);
    if (reply) return *reply;
    ADD_FAILURE() << reply.error().message;
    return {};
  }
  HttpReply Post(const Json& message, Headers headers = {}) {
    return Send("POST", Dump(message), std::move(headers));
  }
  static Headers ModernHeaders(const std::string& method, const std::string& name = "") {
    Headers headers{{"mcp-protocol-version", "2026-07-28"}, {"mcp-method", method}};
    if (!name.empty()) headers["mcp-name"] = name;
    return headers;
  }
  static Json BodyOf(const HttpReply& reply) {
    return ParseJson(reply.body, "body").value_or(Json(reply.body));
  }

  static agent::McpSettings Settings() {
    agent::McpSettings settings;
    settings.version = "1";
    settings.tools = agent::ToolsForTest();
    settings.max_message = 1 << 20;
    return settings;
  }

  static std::string ScopeOfS1() { return "session s1 of " + server::SubmitterOf(kSubmitToken); }

  agent::McpServer mcp_{Settings(), SystemClock()};
  std::unique_ptr<McpHttpServer> server_;
};

TEST_F(McpHttpTest, BothErasAreAnswered) {
  const auto begun = Post(LegacyRequest(1, "initialize", {{"protocolVersion", "2025-11-25"}}));
  EXPECT_EQ(begun.status, 200);
  EXPECT_EQ(BodyOf(begun)["result"]["protocolVersion"], "2025-11-25");
  const auto called = Post(LegacyRequest(2, "tools/call", CallOf("echo", {{"text", "hi"}})),
                           {{"mcp-protocol-version", "2025-11-25"}, {"mcp-session-id", "s1"}});
  EXPECT_EQ(BodyOf(called)["result"]["structuredContent"]["said"], "hi");
  const auto modern = Post(ModernRequest(3, "tools/call", CallOf("echo", {{"text", "ho"}})),
                           ModernHeaders("tools/call", "echo"));
  EXPECT_EQ(BodyOf(modern)["result"]["resultType"], "complete");
  const auto coded = Post(ModernRequest(4, "tools/call", CallOf("echo")),
                          ModernHeaders("tools/call", "=?base64?ZWNobw==?="));
  EXPECT_EQ(coded.status, 200) << coded.body;
}

TEST_F(McpHttpTest, FaultsHaveTheStatusOfTheProtocol) {
  EXPECT_EQ(Post(ModernRequest(1, "tools/list"), ModernHeaders("tools/call")).status, 400);
  EXPECT_EQ(Post(ModernRequest(1, "tools/list")).status, 400) << "headers are missing";
  EXPECT_EQ(Post(ModernRequest(1, "no/such"), ModernHeaders("no/such")).status, 404);
  EXPECT_EQ(Post(LegacyRequest(1, "tools/list"), ModernHeaders("tools/list")).status, 400);
  const auto unknown = Post(LegacyRequest(1, "tools/list"), {{"mcp-protocol-version", "1999"}});
  EXPECT_EQ(unknown.status, 400);
  EXPECT_EQ(BodyOf(unknown)["error"]["code"], agent::kMcpUnsupportedVersion);
  EXPECT_EQ(Send("POST", "{", {}).status, 400);
  EXPECT_EQ(Send("GET", "", {}).status, 405);
  EXPECT_EQ(Send("POST", "{}", {{"accept", "image/png"}}).status, 406);
  EXPECT_EQ(Send("POST", std::string(2 << 20, ' '), {}).status, 413);
}

TEST_F(McpHttpTest, NotificationsAreAccepted) {
  const auto reply = Send("POST", R"({"jsonrpc":"2.0","method":"notifications/initialized"})", {});
  EXPECT_EQ(reply.status, 202);
  EXPECT_EQ(reply.body, "");
}

TEST_F(McpHttpTest, StrangersAndPagesOfOthersAreRefused) {
  const Json list = ModernRequest(1, "tools/list");
  Headers headers = ModernHeaders("tools/list");
  headers["authorization"] = "Bearer wrong";
  EXPECT_EQ(Post(list, headers).status, 401);
  headers = ModernHeaders("tools/list");
  headers["origin"] = "http://evil.example";
  EXPECT_EQ(Post(list, headers).status, 403);
  McpHttpSettings open;
  open.http.address = "0.0.0.0";
  EXPECT_FALSE(StartMcpHttp(mcp_, SystemClock(), open)) << "no tokens beyond this machine";
}

TEST_F(McpHttpTest, ProgressMakesTheAnswerAStream) {
  Json params = CallOf("slow", {{"wait_s", 1}});
  params["_meta"] = {{"progressToken", 7}};
  const auto stream =
      Post(ModernRequest(1, "tools/call", params), ModernHeaders("tools/call", "slow"));
  EXPECT_EQ(stream.status, 200);
  EXPECT_NE(stream.body.find("event: message\ndata: {"), std::string::npos) << stream.body;
  EXPECT_NE(stream.body.find("notifications/progress"), std::string::npos);
  EXPECT_NE(stream.body.find("\"state\":\"running\""), std::string::npos);
  Headers plain = ModernHeaders("tools/call", "slow");
  plain["accept"] = "application/json";
  const auto json = Post(ModernRequest(2, "tools/call", params), plain);
  EXPECT_EQ(BodyOf(json)["result"]["structuredContent"]["state"], "running") << json.body;
}

TEST_F(McpHttpTest, AnEndedSessionCancelsWhatItWaitsFor) {
  EXPECT_EQ(Send("DELETE", "", {}).status, 400);
  const Headers session{{"mcp-protocol-version", "2025-11-25"}, {"mcp-session-id", "s1"}};
  auto waiting = std::async(std::launch::async, [&] {
    return Post(LegacyRequest(1, "tools/call", CallOf("slow", {{"wait_s", 600}})), session);
  });
  WaitUntil([&] { return !mcp_.Finish(ScopeOfS1(), std::chrono::milliseconds(0)); },
            "the request has come");
  EXPECT_EQ(Send("DELETE", "", session).status, 200);
  EXPECT_EQ(waiting.get().body, "") << "it ends without an answer";
}

TEST_F(McpHttpTest, ARequestOfTheSameSessionCanBeCancelledAndOfAnotherNot) {
  Headers session{{"mcp-protocol-version", "2025-11-25"}, {"mcp-session-id", "s1"}};
  auto waiting = std::async(std::launch::async, [this, session] {
    return Post(LegacyRequest(1, "tools/call", CallOf("slow", {{"wait_s", 600}})), session);
  });
  WaitUntil([&] { return !mcp_.Finish(ScopeOfS1(), std::chrono::milliseconds(0)); },
            "the request has come");
  const std::string cancel =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})";
  session["mcp-session-id"] = "s2";
  EXPECT_EQ(Send("POST", cancel, session).status, 202);
  EXPECT_FALSE(mcp_.Finish(ScopeOfS1(), std::chrono::milliseconds(0)));
  session["mcp-session-id"] = "s1";
  EXPECT_EQ(Send("POST", cancel, session).status, 202);
  EXPECT_EQ(waiting.get().body, "");
}

TEST_F(McpHttpTest, AHandleWorksForItsTokenAndForAnAdmin) {
  const auto with = [](const char* token, Headers headers) {
    headers["authorization"] = std::string("Bearer ") + token;
    return headers;
  };
  const auto begun = BodyOf(
      Post(ModernRequest(1, "tools/call", CallOf("fast")), ModernHeaders("tools/call", "fast")));
  const std::string handle = begun["result"]["structuredContent"]["handle"];
  const auto result_for = [&](const char* token) {
    return BodyOf(Post(ModernRequest(2, "tools/call", CallOf("get_result", {{"handle", handle}})),
                       with(token, ModernHeaders("tools/call", "get_result"))))["result"];
  };
  EXPECT_EQ(result_for(kSubmitToken)["structuredContent"]["state"], "done");
  EXPECT_EQ(result_for(kAdminToken)["structuredContent"]["state"], "done");
  const Json refused = result_for(kOtherToken);
  EXPECT_EQ(refused["isError"], true) << refused;
  EXPECT_EQ(refused.dump().find("found at once"), std::string::npos) << refused;
  const auto listed_for = [&](const char* token) {
    return BodyOf(Post(ModernRequest(3, "resources/list"),
                       with(token, ModernHeaders("resources/list"))))["result"]["resources"]
        .size();
  };
  EXPECT_EQ(listed_for(kSubmitToken), 1U);
  EXPECT_EQ(listed_for(kOtherToken), 0U);
  EXPECT_EQ(listed_for(kAdminToken), 1U);
}

TEST_F(McpHttpTest, ASessionOfAnotherTokenIsNotCancelled) {
  Headers session{{"mcp-protocol-version", "2025-11-25"}, {"mcp-session-id", "s1"}};
  auto waiting = std::async(std::launch::async, [this, session] {
    return Post(LegacyRequest(1, "tools/call", CallOf("slow", {{"wait_s", 600}})), session);
  });
  WaitUntil([&] { return !mcp_.Finish(ScopeOfS1(), std::chrono::milliseconds(0)); },
            "the request has come");
  Headers others = session;
  others["authorization"] = std::string("Bearer ") + kOtherToken;
  EXPECT_EQ(Send("DELETE", "", others).status, 200);
  EXPECT_FALSE(mcp_.Finish(ScopeOfS1(), std::chrono::milliseconds(0))) << "it still waits";
  EXPECT_EQ(Send("DELETE", "", session).status, 200);
  EXPECT_EQ(waiting.get().body, "");
}

}  // namespace
}  // namespace hone::app

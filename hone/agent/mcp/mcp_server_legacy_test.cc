// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hone/agent/mcp/mcp_server_for_test.h"

namespace hone::agent {
namespace {

class McpLegacyTest : public testing::Test {
 protected:
  Json Begin(const std::string& version) {
    return test_
        .Send(LegacyRequest(0, "initialize",
                            {{"protocolVersion", version},
                             {"capabilities", Json::object()},
                             {"clientInfo", {{"name", "t"}, {"version", "0"}}}}))
        ->Await()["result"];
  }
  Json Ask(const std::string& method, const Json& params = Json::object()) {
    return test_.Send(LegacyRequest(++id_, method, params))->Await();
  }
  Json Cancellation(const Json& id) {
    return {
        {"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", id}}}};
  }

  McpServerForTest test_;
  int id_ = 100;
};

TEST_F(McpLegacyTest, TheHandshakeAgreesOnAKnownVersionAndOffersTheNewestForOthers) {
  for (const std::string_view version : kMcpLegacyVersions) {
    EXPECT_EQ(Begin(std::string(version))["protocolVersion"], version);
  }
  const Json result = Begin("2031-01-01");
  EXPECT_EQ(result["protocolVersion"], "2025-11-25");
  EXPECT_EQ(result["serverInfo"]["version"], "1.2.3");
  EXPECT_EQ(result["instructions"], "Use echo.");
  EXPECT_TRUE(result["capabilities"].contains("tools"));
  EXPECT_FALSE(result.contains("resultType"));
}

TEST_F(McpLegacyTest, NothingButPingIsAnsweredBeforeTheHandshake) {
  EXPECT_EQ(Ask("ping")["result"], Json::object());
  EXPECT_EQ(Ask("tools/list")["error"]["code"], kRpcInvalidParams);
  Begin("2025-11-25");
  EXPECT_TRUE(Ask("tools/list").contains("result"));
}

TEST_F(McpLegacyTest, NotificationsAndResponsesAreNeverAnswered) {
  Begin("2025-11-25");
  for (const char* const text :
       {R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
        R"({"jsonrpc":"2.0","method":"no/such/thing"})",
        R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}})",
        R"({"jsonrpc":"2.0","id":9,"result":{}})"}) {
    const auto reply = test_.Send(std::string(text));
    EXPECT_FALSE(test_.was_accepted) << text;
    EXPECT_TRUE(reply->answers().empty()) << text;
  }
}

TEST_F(McpLegacyTest, IdsComeBackAsTheyWere) {
  Begin("2025-11-25");
  for (const Json& id : {Json(7), Json("a \"b\""), Json(-1), Json("")}) {
    EXPECT_EQ(test_.Send(LegacyRequest(id, "ping"))->Await()["id"], id);
  }
}

TEST_F(McpLegacyTest, BrokenMessagesAreRefusedWithTheirCode) {
  const auto code = [&](const std::string& text) {
    return test_.Send(text)->Await()["error"]["code"].get<int>();
  };
  EXPECT_EQ(code("{"), kRpcParseError);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":1,"id":2,"method":"ping"})"), kRpcParseError);
  EXPECT_EQ(code(std::string(200, '[') + std::string(200, ']')), kRpcParseError);
  EXPECT_EQ(code(R"({"jsonrpc":"1.0","id":1,"method":"ping"})"), kRpcInvalidRequest);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":null,"method":"ping"})"), kRpcInvalidRequest);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})"), kRpcInvalidRequest);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":1,"method":3})"), kRpcInvalidRequest);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[1]})"), kRpcInvalidParams);
  EXPECT_EQ(code("3"), kRpcInvalidRequest);
  EXPECT_EQ(code(std::string(2 << 20, ' ')), kRpcInvalidRequest);
}

TEST_F(McpLegacyTest, BatchesAreForTheVersionsThatHaveThem) {
  const std::string batch =
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},)"
      R"({"jsonrpc":"2.0","id":2,"method":"no/such"}])";
  Begin("2025-06-18");
  EXPECT_EQ(test_.Send(batch)->Await()["error"]["code"], kRpcInvalidRequest);
  Begin("2025-03-26");
  const Json answers = test_.Send(batch)->Await();
  ASSERT_TRUE(answers.is_array());
  ASSERT_EQ(answers.size(), 2);
  EXPECT_EQ(answers[0]["id"], 1);
  EXPECT_EQ(answers[1]["error"]["code"], kRpcMethodNotFound);
  EXPECT_EQ(test_.Send(std::string("[]"))->Await()["error"]["code"], kRpcInvalidRequest);
  test_.Send(std::string(R"([{"jsonrpc":"2.0","method":"x"}])"));
  EXPECT_FALSE(test_.was_accepted);
}

TEST_F(McpLegacyTest, ToolsAreListedPageByPage) {
  McpServerForTest paged(2);
  paged.peer.legacy_version = "2025-11-25";
  std::vector<std::string> names;
  Json params = Json::object();
  for (int page = 0; page < 10; ++page) {
    const Json result = paged.Send(LegacyRequest(page, "tools/list", params))->Await()["result"];
    for (const Json& tool : result["tools"]) names.push_back(tool["name"]);
    if (!result.contains("nextCursor")) break;
    params["cursor"] = result["nextCursor"];
  }
  const std::vector<std::string> all{"echo",       "fail",       "slow",     "fast",
                                     "get_result", "get_record", "stop_work"};
  EXPECT_EQ(names, all);
  for (const Json& cursor : {Json("99"), Json("x"), Json(1), Json("")}) {
    const Json answer = paged.Send(LegacyRequest(50, "tools/list", {{"cursor", cursor}}))->Await();
    EXPECT_EQ(answer["error"]["code"], kRpcInvalidParams) << cursor;
  }
}

TEST_F(McpLegacyTest, AToolAnswersWithTextAndFacts) {
  Begin("2025-11-25");
  const Json result = Ask("tools/call", CallOf("echo", {{"text", "hi"}}))["result"];
  EXPECT_EQ(result["content"][0]["text"], "hi");
  EXPECT_EQ(result["structuredContent"]["said"], "hi");
  EXPECT_FALSE(result.contains("isError"));
}

TEST_F(McpLegacyTest, AToolThatFailsOrIsMisusedIsAnErrorTheModelCanRead) {
  Begin("2025-11-25");
  const Json failed = Ask("tools/call", CallOf("fail"))["result"];
  EXPECT_EQ(failed["isError"], true);
  EXPECT_EQ(failed["content"][0]["text"], "the disk is full");
  const Json misused = Ask("tools/call", CallOf("echo", {{"txt", "hi"}}))["result"];
  EXPECT_EQ(misused["isError"], true);
  EXPECT_NE(misused["content"][0]["text"].get<std::string>().find("did you mean text"),
            std::string::npos);
  EXPECT_EQ(Ask("tools/call", CallOf("ecko"))["error"]["code"], kRpcInvalidParams);
  EXPECT_EQ(Ask("tools/call", {{"name", 3}})["error"]["code"], kRpcInvalidParams);
}

TEST_F(McpLegacyTest, WhatATextHidesIsShownBeforeAModelReadsIt) {
  Begin("2025-11-25");
  const Json result =
      Ask("tools/call", CallOf("echo", {{"text", "a\x1b[2J\xe2\x80\xae z"}}))["result"];
  EXPECT_EQ(result["content"][0]["text"], "a\\x1b[2J\\u{202e} z");
  EXPECT_EQ(result["structuredContent"]["said"], "a\\x1b[2J\\u{202e} z");
}

TEST_F(McpLegacyTest, LongWorkIsFetchedByItsHandle) {
  Begin("2025-11-25");
  Json call = CallOf("slow", {{"wait_s", 0}});
  const Json begun = Ask("tools/call", call)["result"]["structuredContent"];
  ASSERT_TRUE(begun["state"] == "running" || begun["state"] == "waiting") << begun;
  const Json handle = begun["handle"];
  EXPECT_EQ(Ask("tools/call", CallOf("get_record", {{"handle", handle}}))["result"]["isError"],
            true);
  Ask("tools/call", CallOf("stop_work", {{"handle", handle}}));
  const Json done =
      Ask("tools/call", CallOf("get_result", {{"handle", handle}, {"wait_s", 600}}))["result"];
  EXPECT_EQ(done["structuredContent"]["state"], "done");
  EXPECT_EQ(done["structuredContent"]["result"]["gain"], 7);
  EXPECT_EQ(done["content"][0]["text"], "found");
  EXPECT_EQ(done["content"][1]["type"], "resource_link");
  const Json record =
      Ask("resources/read", {{"uri", done["content"][1]["uri"]}})["result"]["contents"][0];
  EXPECT_EQ(record["text"], "the whole story");
  EXPECT_NE(
      Ask("tools/call", CallOf("get_record", {{"handle", handle}}))["result"]["content"][0]["text"]
          .get<std::string>()
          .find("| the whole story"),
      std::string::npos);
  EXPECT_EQ(Ask("resources/list")["result"]["resources"].size(), 1);
}

TEST_F(McpLegacyTest, LongWorkThatIsQuickAnswersAtOnce) {
  Begin("2025-03-26");
  const Json done = Ask("tools/call", CallOf("fast"))["result"];
  EXPECT_EQ(done["structuredContent"]["result"]["gain"], 1);
  EXPECT_EQ(done["content"].size(), 1) << "this version has no links to resources";
}

TEST_F(McpLegacyTest, AWaitEndsWhenItsTimeIsOver) {
  Begin("2025-11-25");
  const auto reply = test_.Send(LegacyRequest(1, "tools/call", CallOf("slow", {{"wait_s", 20}})));
  WaitUntil([&] { return test_.server().Finish("nobody", std::chrono::milliseconds(0)); }, "idle");
  EXPECT_TRUE(reply->answers().empty());
  WaitUntil(
      [&] {
        test_.clock().Advance(std::chrono::seconds(21));
        return !reply->answers().empty();
      },
      "the wait is over");
  EXPECT_EQ(reply->Await()["result"]["structuredContent"]["state"], "running");
}

TEST_F(McpLegacyTest, ProgressIsToldToWhoAskedForIt) {
  Begin("2025-11-25");
  Json params = CallOf("slow");
  params["_meta"] = {{"progressToken", "p1"}};
  const auto reply = test_.Send(LegacyRequest(1, "tools/call", params));
  WaitUntil(
      [&] {
        test_.clock().Advance(std::chrono::milliseconds(300));
        return !reply->notes().empty();
      },
      "it tells how far it is");
  const Json note = reply->notes().front();
  EXPECT_EQ(note["method"], "notifications/progress");
  EXPECT_EQ(note["params"]["progressToken"], "p1");
  EXPECT_EQ(note["params"]["message"], "half");
  EXPECT_FALSE(note.contains("id"));
}

TEST_F(McpLegacyTest, ACancelledRequestIsNotAnsweredAndItsWorkEnds) {
  Begin("2025-11-25");
  const auto reply = test_.Send(LegacyRequest("c", "tools/call", CallOf("slow")));
  test_.Send(Cancellation("c"));
  EXPECT_TRUE(test_.server().Finish("test", kTestTimeout));
  EXPECT_TRUE(reply->answers().empty());
  EXPECT_TRUE(reply->is_dropped());
  test_.Send(Cancellation("c"));  // Again, and one that never was: no harm.
  test_.Send(Cancellation(Json(nullptr)));
  EXPECT_EQ(Ask("ping")["result"], Json::object());
}

TEST_F(McpLegacyTest, AnIdIsUsedOnceAtATimeAndTooManyRequestsAreRefused) {
  Begin("2025-11-25");
  test_.Send(LegacyRequest("same", "tools/call", CallOf("slow")));
  EXPECT_EQ(
      test_.Send(LegacyRequest("same", "tools/call", CallOf("echo")))->Await()["error"]["code"],
      kRpcInvalidRequest);
  for (int k = 0; k < 7; ++k) test_.Send(LegacyRequest(k, "tools/call", CallOf("slow")));
  EXPECT_EQ(test_.Send(LegacyRequest(99, "tools/call", CallOf("echo")))->Await()["error"]["code"],
            kRpcInvalidRequest);
  EXPECT_EQ(Ask("ping")["result"], Json::object());
}

TEST_F(McpLegacyTest, HandlesAndResourcesThatAreNotThereAreSaidSo) {
  Begin("2025-11-25");
  const Json result = Ask("tools/call", CallOf("get_result", {{"handle", "w-1"}}))["result"];
  EXPECT_EQ(result["isError"], true);
  for (const char* const uri : {"hone://results/w-1", "file:///etc/passwd", ""}) {
    EXPECT_EQ(Ask("resources/read", {{"uri", uri}})["error"]["code"], kMcpResourceNotFound);
  }
  EXPECT_EQ(Ask("resources/read")["error"]["code"], kMcpResourceNotFound);
  EXPECT_EQ(Ask("resources/templates/list")["result"]["resourceTemplates"].size(), 1);
}

TEST_F(McpLegacyTest, MethodsOfTheOtherEraAreNotThere) {
  Begin("2025-11-25");
  EXPECT_EQ(Ask("server/discover")["error"]["code"], kRpcInvalidParams);
  EXPECT_EQ(Ask("tasks/get", {{"taskId", "w-1"}})["error"]["code"], kRpcMethodNotFound);
  EXPECT_EQ(Ask("subscriptions/listen")["error"]["code"], kRpcMethodNotFound);
}

}  // namespace
}  // namespace hone::agent

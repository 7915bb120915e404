// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hone/agent/mcp/mcp_server_for_test.h"

namespace hone::agent {
namespace {

class McpModernTest : public testing::Test {
 protected:
  std::shared_ptr<KeptReply> Send(const std::string& method, const Json& params = Json::object(),
                                  bool has_tasks = false) {
    return test_.Send(ModernRequest(++id_, method, params, has_tasks));
  }
  Json Ask(const std::string& method, const Json& params = Json::object(), bool has_tasks = false) {
    return Send(method, params, has_tasks)->Await();
  }

  McpServerForTest test_;
  int id_ = 0;
};

TEST_F(McpModernTest, DiscoverTellsVersionsCapabilitiesAndHowLongThatHolds) {
  const Json result = Ask("server/discover")["result"];
  EXPECT_EQ(result["resultType"], "complete");
  EXPECT_EQ(result["supportedVersions"][0], "2026-07-28");
  EXPECT_TRUE(result["capabilities"]["extensions"].contains(kMcpTasksExtension));
  EXPECT_EQ(result["_meta"][kMcpServerInfoKey]["version"], "1.2.3");
  EXPECT_GT(result["ttlMs"], 0);
  EXPECT_EQ(result["cacheScope"], "public");
}

TEST_F(McpModernTest, ARequestNeedsNoHandshakeAndEveryResultSaysItsType) {
  EXPECT_EQ(Ask("tools/list")["result"]["resultType"], "complete");
  const Json result = Ask("tools/call", CallOf("echo", {{"text", "hi"}}))["result"];
  EXPECT_EQ(result["resultType"], "complete");
  EXPECT_EQ(result["structuredContent"]["said"], "hi");
  EXPECT_TRUE(test_.peer.legacy_version.empty());
}

TEST_F(McpModernTest, AnUnknownVersionIsRefusedWithThoseThatThereAre) {
  Json request = ModernRequest(1, "tools/list");
  request["params"]["_meta"][kMcpVersionKey] = "2031-01-01";
  const auto reply = test_.Send(request);
  const Json error = reply->Await()["error"];
  EXPECT_EQ(error["code"], -32022);
  EXPECT_EQ(error["data"]["requested"], "2031-01-01");
  EXPECT_EQ(error["data"]["supported"][0], "2026-07-28");
  EXPECT_EQ(reply->status(), 400);
}

TEST_F(McpModernTest, WhatMetaMustSayIsAskedFor) {
  Json request = ModernRequest(1, "tools/list");
  request["params"]["_meta"].erase(kMcpCapabilitiesKey);
  auto reply = test_.Send(request);
  EXPECT_EQ(reply->Await()["error"]["code"], kRpcInvalidParams);
  EXPECT_EQ(reply->status(), 400);
  reply = test_.Send(LegacyRequest(2, "server/discover"));
  EXPECT_EQ(reply->Await()["error"]["code"], kRpcInvalidParams);
}

TEST_F(McpModernTest, RemovedAndUnknownMethodsAreNotFound) {
  for (const char* const method : {"ping", "logging/setLevel", "no/such", "tasks/list"}) {
    const auto reply = Send(method);
    EXPECT_EQ(reply->Await()["error"]["code"], kRpcMethodNotFound) << method;
    EXPECT_EQ(reply->status(), 404) << method;
  }
}

TEST_F(McpModernTest, BatchesAreRefused) {
  const std::string batch = "[" + Dump(ModernRequest(1, "tools/list")) + "]";
  EXPECT_EQ(test_.Send(batch)->Await()["error"]["code"], kRpcInvalidRequest);
}

TEST_F(McpModernTest, HeadersMustSayWhatTheBodySays) {
  const auto code = [&](McpHeaders headers, const Json& request) {
    test_.peer.headers = std::move(headers);
    const auto reply = test_.Send(request);
    const Json answer = reply->Await();
    if (!answer.contains("error")) return 0;
    EXPECT_EQ(reply->status(), 400);
    return answer["error"]["code"].get<int>();
  };
  const Json call = ModernRequest(1, "tools/call", CallOf("echo"));
  EXPECT_EQ(code({"2026-07-28", "tools/call", "echo"}, call), 0);
  EXPECT_EQ(code({"2026-07-28", "tools/call", "fail"}, call), kMcpHeaderMismatch);
  EXPECT_EQ(code({"2026-07-28", "tools/call", ""}, call), kMcpHeaderMismatch);
  EXPECT_EQ(code({"2026-07-28", "tools/list", "echo"}, call), kMcpHeaderMismatch);
  EXPECT_EQ(code({"2026-07-28", "", "echo"}, call), kMcpHeaderMismatch);
  EXPECT_EQ(code({"2025-11-25", "tools/call", "echo"}, call), kMcpHeaderMismatch);
  EXPECT_EQ(code({"", "tools/call", "echo"}, call), kMcpHeaderMismatch);
  EXPECT_EQ(code({"2026-07-28", "tools/list", ""}, ModernRequest(2, "tools/list")), 0);
}

TEST_F(McpModernTest, AClientThatKnowsTasksGetsATaskAndPollsIt) {
  const Json task = Ask("tools/call", CallOf("slow"), true)["result"];
  EXPECT_EQ(task["resultType"], "task");
  EXPECT_EQ(task["status"], "working");
  EXPECT_TRUE(task["ttlMs"].is_number_integer());
  const Json id{{"taskId", task["taskId"]}};
  const Json polled = Ask("tasks/get", id, true)["result"];
  EXPECT_EQ(polled["resultType"], "complete");
  EXPECT_EQ(polled["status"], "working");
  EXPECT_EQ(Ask("tasks/update", {{"taskId", task["taskId"]}, {"inputResponses", Json::object()}},
                true)["result"]["resultType"],
            "complete");
  EXPECT_EQ(Ask("tasks/cancel", id, true)["result"]["resultType"], "complete");
  WaitUntil([&] { return Ask("tasks/get", id, true)["result"]["status"] == "cancelled"; },
            "the task is cancelled");
}

TEST_F(McpModernTest, AFinishedTaskHasTheResultOfItsCall) {
  const Json id{{"taskId", Ask("tools/call", CallOf("fast"), true)["result"]["taskId"]}};
  Json task;
  WaitUntil(
      [&] {
        task = Ask("tasks/get", id, true)["result"];
        return task["status"] == "completed";
      },
      "the task is completed");
  EXPECT_EQ(task["result"]["structuredContent"]["result"]["gain"], 1);
  EXPECT_FALSE(task["result"].contains("isError"));
}

TEST_F(McpModernTest, TasksAreOnlyForThoseWhoKnowThem) {
  EXPECT_EQ(Ask("tools/call", CallOf("fast"))["result"]["resultType"], "complete");
  const auto reply = Send("tasks/get", {{"taskId", "w-1"}});
  EXPECT_EQ(reply->Await()["error"]["code"], kMcpMissingCapability);
  EXPECT_EQ(reply->status(), 400);
  EXPECT_EQ(Ask("tasks/get", {{"taskId", "w-1"}}, true)["error"]["code"], kRpcInvalidParams);
}

TEST_F(McpModernTest, ASubscriptionIsAcknowledgedTellsOfTasksAndEndsWithAnAnswer) {
  const Json task = Ask("tools/call", CallOf("slow"), true)["result"]["taskId"];
  const auto reply =
      Send("subscriptions/listen",
           {{"notifications", {{"toolsListChanged", true}, {"taskIds", {task, "w-none"}}}}}, true);
  ASSERT_FALSE(reply->notes().empty());
  const Json first = reply->notes().front();
  EXPECT_EQ(first["method"], "notifications/subscriptions/acknowledged");
  EXPECT_EQ(first["params"]["_meta"][kMcpSubscriptionKey], id_);
  EXPECT_EQ(first["params"]["notifications"], Json({{"taskIds", {task}}}));
  const int subscription = id_;
  Ask("tasks/cancel", {{"taskId", task}}, true);
  WaitUntil(
      [&] {
        const auto notes = reply->notes();
        return notes.back()["method"] == "notifications/tasks" &&
               notes.back()["params"]["status"] == "cancelled";
      },
      "the subscriber is told");
  EXPECT_TRUE(reply->answers().empty());
  EXPECT_TRUE(test_.server().Finish("test", kTestTimeout));
  EXPECT_EQ(reply->Await()["id"], subscription);
  EXPECT_EQ(reply->Await()["result"]["_meta"][kMcpSubscriptionKey], subscription);
}

TEST_F(McpModernTest, BothErasAreServedAtOnce) {
  test_.Send(LegacyRequest(1, "initialize", {{"protocolVersion", "2025-06-18"}}))->Await();
  EXPECT_EQ(Ask("tools/list")["result"]["resultType"], "complete");
  EXPECT_FALSE(
      test_.Send(LegacyRequest(2, "tools/list"))->Await()["result"].contains("resultType"));
}

TEST_F(McpModernTest, ResourcesThatAreNotThereAreInvalidParameters) {
  EXPECT_EQ(Ask("resources/read", {{"uri", "hone://results/w-1"}})["error"]["code"],
            kRpcInvalidParams);
  const Json list = Ask("resources/list")["result"];
  EXPECT_EQ(list["cacheScope"], "private");
  EXPECT_EQ(list["ttlMs"], 0);
}

}  // namespace
}  // namespace hone::agent

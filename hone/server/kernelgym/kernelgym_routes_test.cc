// SPDX-License-Identifier: Apache-2.0
// KernelGYM's API over loopback, in the corners that its trainer comes to.
#include "hone/server/kernelgym/kernelgym_routes.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <set>
#include <string>

#include "hone/server/server_for_test.h"
#include "hone/testing/wait_until.h"

namespace hone::server {
namespace {

using testing::HasSubstr;

Json BodyWith(const std::string& id, const std::string& field, const Json& value) {
  Json body = EvaluationBody(id);
  body[field] = value;
  return body;
}

TEST(KernelGymRoutesTest, WhatCanBeSeenToBeWrongIsAVerdictNotARefusal) {
  RunningApi api;
  const std::vector<Json> bodies = {BodyWith("no-class", "kernel_code", "class Other: pass"),
                                    BodyWith("no-uuid", "use_reference_cache", true),
                                    BodyWith("no-gpu", "resources", {{"gpus", 0}})};
  for (const Json& body : bodies) {
    const std::string id = body["task_id"];
    const Reply reply = api.Ask("POST", "/evaluate", Dump(body));
    ASSERT_EQ(reply.status, 200) << reply.body;
    EXPECT_EQ(reply.AsJson()["status"], "failed");
    EXPECT_EQ(reply.AsJson()["error_code"], "VALIDATION_ERROR");
    // A trainer that ignores the body finds it as well.
    const Json status = api.Ask("GET", "/status/" + id).AsJson();
    EXPECT_EQ(status["status"], "failed");
    EXPECT_FALSE(status["error_message"].get<std::string>().empty());
    EXPECT_EQ(api.Ask("GET", "/results/" + id).AsJson()["error_code"], "VALIDATION_ERROR");
    EXPECT_EQ(api.Ask("POST", "/evaluate", Dump(body)).status, 200);
  }
  EXPECT_EQ(api.queue().Count()->settled, 3);
}

TEST(KernelGymRoutesTest, ARejectedRequestNeedsNoWorker) {
  RunningApi::Choice choice;
  choice.workers = 0;
  RunningApi api(std::move(choice));
  const Reply reply =
      api.Ask("POST", "/evaluate", Dump(BodyWith("a", "kernel_code", "class Other: pass")));
  EXPECT_EQ(reply.AsJson()["error_code"], "VALIDATION_ERROR") << reply.body;
}

TEST(KernelGymRoutesTest, ACorrectedRequestIsJudgedWithForceRefresh) {
  RunningApi api;
  api.Ask("POST", "/evaluate", Dump(BodyWith("a", "kernel_code", "class Other: pass")));
  Json corrected = EvaluationBody("a");
  EXPECT_EQ(api.Ask("POST", "/evaluate", Dump(corrected)).status, 409);
  corrected["force_refresh"] = true;
  EXPECT_EQ(api.Ask("POST", "/evaluate", Dump(corrected)).AsJson()["status"], "completed");
}

TEST(KernelGymRoutesTest, ValidateAnswersWhatIsWrong) {
  RunningApi api;
  const Reply wrong =
      api.Ask("POST", "/debug/validate", Dump(BodyWith("a", "use_reference_cache", true)));
  EXPECT_EQ(wrong.status, 200);
  EXPECT_EQ(wrong.AsJson()["valid"], false);
  EXPECT_EQ(wrong.AsJson()["errors"].size(), 1);
  EXPECT_EQ(api.Ask("POST", "/debug/validate", Dump(EvaluationBody("a"))).AsJson()["valid"], true);
  EXPECT_EQ(api.queue().Count()->settled, 0);
}

TEST(KernelGymRoutesTest, OneRefusedTaskOfABatchRefusesOnlyItself) {
  RunningApi api;
  ASSERT_EQ(api.Ask("POST", "/evaluate", Dump(EvaluationBody("taken"))).status, 200);
  Json tasks =
      Json::array({EvaluationBody("a"), BodyWith("taken", "kernel_code", "class ModelNew: return"),
                   BodyWith("b", "kernel_code", "class Other: pass"), EvaluationBody("c")});
  const Reply reply =
      api.Ask("POST", "/evaluate/batch", Dump({{"batch_id", "b"}, {"tasks", tasks}}));
  ASSERT_EQ(reply.status, 200) << reply.body;
  const Json json = reply.AsJson();
  EXPECT_EQ(json["completed_tasks"], 2);
  EXPECT_EQ(json["failed_tasks"], 2);
  EXPECT_EQ(json["results"][0]["status"], "completed");
  EXPECT_EQ(json["results"][1]["error_code"], "VALIDATION_ERROR");
  EXPECT_EQ(json["results"][1]["task_id"], "taken");
  EXPECT_EQ(json["results"][2]["error_code"], "VALIDATION_ERROR");
  EXPECT_EQ(json["results"][3]["status"], "completed");
}

TEST(KernelGymRoutesTest, AnotherPriorityIsTheSameRequest) {
  RunningApi api;
  EXPECT_EQ(api.Ask("POST", "/evaluate", Dump(EvaluationBody("a"))).status, 200);
  EXPECT_EQ(api.Ask("POST", "/evaluate", Dump(BodyWith("a", "priority", "high"))).status, 200);
  EXPECT_EQ(api.queue().Count()->settled, 1);
}

// The deadline of the first is counted from its timeout, that of the second from --most-queued too.
TEST(KernelGymRoutesTest, ARetryIsTheSameRequestWhetherAWorkerCameOrWent) {
  RunningApi api;
  api.script().run = Endless;
  auto first = std::async([&] { return api.Ask("POST", "/evaluate", Dump(EvaluationBody("a"))); });
  WaitUntil([&] { return api.Ask("GET", "/status/a").AsJson()["status"] == "processing"; },
            "it is judged");
  api.StopWorkers();
  ASSERT_TRUE(api.queue().Workers()->empty());
  WaitUntil([&] { return api.Ask("GET", "/status/a").AsJson()["status"] == "pending"; },
            "it waits for another worker");
  auto again = std::async([&] { return api.Ask("POST", "/evaluate", Dump(EvaluationBody("a"))); });
  EXPECT_EQ(api.Ask("DELETE", "/tasks/a").status, 200);
  EXPECT_EQ(first.get().status, 200);
  EXPECT_EQ(again.get().status, 200);
}

// Else a judge listens on after a restart, and a trainer that connects to it is never answered.
TEST(KernelGymRoutesTest, NoSocketIsInheritedByProgramsThatAreStarted) {
  RunningApi api;
  TestClient client(api.port());
  ASSERT_TRUE(client.Send(RequestText("GET", "/health")));
  ASSERT_EQ(client.Receive().status, 200);
  int sockets = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const auto target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (!target.starts_with("socket:")) continue;
    const int number = std::stoi(entry.path().filename().string());
    EXPECT_NE(::fcntl(number, F_GETFD) & FD_CLOEXEC, 0) << number;
    ++sockets;
  }
  EXPECT_GE(sockets, 3);  // It listens, and has two ends of a connection.
}

TEST(KernelGymRoutesTest, TheApiIsAPageToo) {
  RunningApi api;
  const Reply page = api.Ask("GET", "/docs");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.Header("content-type"), HasSubstr("text/html"));
  EXPECT_THAT(page.body, HasSubstr("/evaluate/batch"));
  EXPECT_EQ(api.Ask("GET", "/redoc").Header("location"), "/docs");
}

TEST(KernelGymRoutesTest, NamesOfOperationsDiffer) {
  RunningApi api;
  std::set<std::string> names;
  std::size_t count = 0;
  const Json document = api.Ask("GET", "/openapi.json").AsJson();
  for (const Json& operations : document["paths"]) {
    for (const Json& operation : operations) {
      names.insert(operation["operationId"].get<std::string>());
      ++count;
    }
  }
  EXPECT_EQ(names.size(), count);
  EXPECT_GT(count, 30U);
}

}  // namespace
}  // namespace hone::server

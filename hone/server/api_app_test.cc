// SPDX-License-Identifier: Apache-2.0
// The whole server over loopback, with a queue in memory and a domain that does what a test says.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <set>

#include "hone/base/file.h"
#include "hone/server/page/openapi.h"
#include "hone/server/server_for_test.h"
#include "hone/server/service/machine_use.h"
#include "hone/testing/wait_until.h"

namespace hone::server {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr char kTokens[] =
    "submit aaaaaaaaaaaaaaaaaaaa\nwork bbbbbbbbbbbbbbbbbbbb\nadmin cccccccccccccccccccc\n";

std::string Bearer(char letter) {
  return fmt::format("Authorization: Bearer {}\r\n", std::string(20, letter));
}

RunningApi::Choice WithTokens() {
  RunningApi::Choice choice;
  choice.api.access.tokens = *TokenBook::Parse(kTokens, "tokens");
  return choice;
}

RunningApi::Choice WithoutWorkers() {
  RunningApi::Choice choice;
  choice.workers = 0;
  return choice;
}

Json V1Body(const std::string& id) {
  return {{"id", id}, {"domain", "compute"}, {"candidate", {{"source", "x"}}}};
}

TEST(ApiTest, EvaluateWaitsForTheVerdict) {
  RunningApi api;
  const Reply reply = api.Ask("POST", "/evaluate", Dump(EvaluationBody("a")));
  ASSERT_EQ(reply.status, 200) << reply.body;
  const Json json = reply.AsJson();
  EXPECT_EQ(json["task_id"], "a");
  EXPECT_EQ(json["status"], "completed");
  EXPECT_EQ(json["correctness"], true);
  EXPECT_EQ(api.Ask("GET", "/results/a").AsJson()["status"], "completed");
  EXPECT_EQ(api.Ask("GET", "/status/a").AsJson()["status"], "completed");
  EXPECT_EQ(api.Ask("GET", "/workflow/results/a").AsJson()["result"]["task_id"], "a");
}

TEST(ApiTest, TheSameRequestIsTheSameTaskAndAnotherBodyIsAConflict) {
  RunningApi api;
  const std::string body = Dump(EvaluationBody("a"));
  EXPECT_EQ(api.Ask("POST", "/evaluate", body).status, 200);
  EXPECT_EQ(api.Ask("POST", "/evaluate", body).status, 200);
  EXPECT_EQ(api.queue().Count()->settled, 1);
  Json other = EvaluationBody("a");
  other["kernel_code"] = "class ModelNew: return";
  EXPECT_EQ(api.Ask("POST", "/evaluate", Dump(other)).status, 409);
}

TEST(ApiTest, ForceRefreshRunsAgain) {
  RunningApi api;
  std::atomic<int> runs = 0;
  const auto run = api.script().run;
  api.script().run = [&, run](const RunOrder& order) {
    ++runs;
    return run(order);
  };
  Json body = EvaluationBody("a");
  EXPECT_EQ(api.Ask("POST", "/evaluate", Dump(body)).status, 200);
  EXPECT_EQ(api.Ask("POST", "/evaluate", Dump(body)).status, 200);
  EXPECT_EQ(runs, 1);
  body["force_refresh"] = true;
  EXPECT_EQ(api.Ask("POST", "/evaluate", Dump(body)).status, 200);
  EXPECT_EQ(runs, 2);
}

TEST(ApiTest, ABatchRunsSideBySide) {
  RunningApi::Choice choice;
  choice.workers = 4;
  RunningApi api(std::move(choice));
  const auto run = api.script().run;
  std::atomic<int> begun = 0;
  api.script().run = [&begun, run](const RunOrder& order) {
    ++begun;
    WaitUntil([&] { return begun >= 4; }, "four run at the same time");
    return run(order);
  };
  Json tasks = Json::array();
  for (int k = 0; k < 8; ++k) tasks.push_back(EvaluationBody(fmt::format("b{}", k)));
  const Reply reply =
      api.Ask("POST", "/evaluate/batch", Dump({{"batch_id", "b"}, {"tasks", tasks}}));
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.AsJson()["completed_tasks"], 8);
  EXPECT_EQ(reply.AsJson()["results"][7]["task_id"], "b7");
}

TEST(ApiTest, StatusAnswersFromTheMomentOfSubmissionAndDeleteCancels) {
  RunningApi api;
  api.script().run = Endless;
  auto waiting =
      std::async([&] { return api.Ask("POST", "/evaluate", Dump(EvaluationBody("a"))); });
  WaitUntil([&] { return api.Ask("GET", "/status/a").status == 200; }, "the task is known");
  EXPECT_EQ(api.Ask("GET", "/results/a").status, 404);
  EXPECT_EQ(api.Ask("DELETE", "/tasks/a").status, 200);
  const Json json = waiting.get().AsJson();
  EXPECT_EQ(json["status"], "failed");
  EXPECT_EQ(json["error_code"], "SYSTEM_ERROR");
  EXPECT_EQ(api.Ask("DELETE", "/tasks/a").status, 404);
  EXPECT_EQ(api.Ask("DELETE", "/tasks/unknown").status, 404);
}

RunningApi::Choice WithService(const ServiceSettings& service) {
  RunningApi::Choice choice;
  choice.api.service = service;
  return choice;
}

TEST(ApiTest, WithoutAWorkerForItAKernelWaitsAndSaysWhy) {
  RunningApi api;
  Json body = EvaluationBody("a");
  body["backend"] = "triton";
  auto waiting = std::async([&] { return api.Ask("POST", "/evaluate", Dump(body)); });
  WaitUntil([&] { return api.Ask("GET", "/status/a").status == 200; }, "the task is known");
  const Json status = api.Ask("GET", "/status/a").AsJson();
  EXPECT_EQ(status["status"], "pending");
  EXPECT_THAT(status["error_message"].get<std::string>(), HasSubstr("gpu"));
  const auto view = api.queue().Look("a");
  EXPECT_LT(*view->task.deadline - view->pushed, view->task.run_timeout + std::chrono::seconds{5});
  EXPECT_EQ(api.Ask("DELETE", "/tasks/a").status, 200);
  EXPECT_EQ(waiting.get().AsJson()["error_code"], "SYSTEM_ERROR");
}

TEST(ApiTest, ABackendCanBeJudgedAsAnother) {
  RunningApi api(WithService({.backends = {{"triton", "cpp"}}}));
  Json body = EvaluationBody("a");
  body["backend"] = "triton";
  EXPECT_EQ(api.Ask("POST", "/evaluate", Dump(body)).AsJson()["status"], "completed");
}

TEST(ApiTest, HealthNamesTheExpectedBackendsWithoutAWorker) {
  RunningApi api(WithService({.expected_backends = {"cpp", "triton"}}));
  const Json json = api.Ask("GET", "/health").AsJson();
  EXPECT_EQ(json["status"], "unhealthy");
  EXPECT_THAT(json["reason"].get<std::string>(), HasSubstr("the backend triton"));
}

TEST(ApiTest, WithoutAWorkerForItAKernelIsRefusedAtOnceWhereThatIsWanted) {
  RunningApi api(WithService({.refuses_unserved = true}));
  Json body = EvaluationBody("a");
  body["backend"] = "triton";
  const Reply reply = api.Ask("POST", "/evaluate", Dump(body));
  EXPECT_EQ(reply.status, 503);
  EXPECT_THAT(reply.body, HasSubstr("gpu"));
  EXPECT_FALSE(reply.Header("retry-after").empty());
}

TEST(ApiTest, HealthTellsTheTruth) {
  RunningApi api;
  ASSERT_EQ(api.Ask("POST", "/evaluate", Dump(EvaluationBody("a"))).status, 200);
  const Json json = api.Ask("GET", "/health").AsJson();
  EXPECT_EQ(json["status"], "healthy");
  EXPECT_EQ(json["queue_status"]["completed"], 1);
  EXPECT_EQ(json["total_processed"], 1);
  api.StopWorkers();
  EXPECT_EQ(api.Ask("GET", "/health").AsJson()["status"], "unhealthy");
}

TEST(ApiTest, MetricsComeAsJsonOrForPrometheus) {
  RunningApi api;
  ASSERT_EQ(api.Ask("POST", "/evaluate", Dump(EvaluationBody("a"))).status, 200);
  const Json json = api.Ask("GET", "/metrics").AsJson();
  EXPECT_EQ(json["queue_metrics"]["completed_tasks"], 1);
  EXPECT_EQ(json["performance_metrics"]["success_rate"], 1.0);
  const Reply text = api.Ask("GET", "/metrics", "", "Accept: text/plain\r\n");
  EXPECT_THAT(text.Header("content-type"), HasSubstr("text/plain"));
  EXPECT_THAT(text.body, HasSubstr("hone_tasks_settled_total{outcome=\"accepted\"} 1\n"));
  EXPECT_EQ(api.Ask("GET", "/metrics?format=prometheus").body.substr(0, 6), "# HELP");
}

TEST(ApiTest, WorkersOfKernelGymAreToldThatAllIsWellAndAreNotShown) {
  RunningApi api;
  EXPECT_EQ(api.Ask("POST", "/worker/register?worker_id=w").status, 400);
  const Reply reply = api.Ask("POST", "/worker/register?worker_id=w&device=cuda:0&hostname=h");
  EXPECT_EQ(reply.AsJson()["success"], true);
  EXPECT_EQ(reply.AsJson()["node_id"], "h");
  for (const char* target : {"/worker/heartbeat?worker_id=w", "/worker/unregister?worker_id=w",
                             "/worker/evict_from_lb?worker_id=w"}) {
    const Reply fine = api.Ask("POST", target);
    EXPECT_EQ(fine.status, 200) << target;
    EXPECT_EQ(fine.AsJson()["success"], true) << target;
    EXPECT_TRUE(fine.AsJson()["message"].is_string()) << target;
  }
  EXPECT_EQ(api.Ask("POST", "/worker/heartbeat").status, 400);
  const Json node = api.Ask("POST", "/node/allocate?hostname=h&node_name=n").AsJson();
  EXPECT_EQ(node, (Json{{"node_id", "n"}, {"hostname", "h"}}));
  EXPECT_EQ(api.Ask("POST", "/node/allocate?hostname=h").AsJson()["node_id"], "h");
  EXPECT_FALSE(api.Ask("GET", "/workers/status").AsJson().contains("w"));
}

TEST(ApiTest, EveryPathThatIsDescribedIsServedAndTheOtherWayRound) {
  RunningApi api;
  const Json document = api.Ask("GET", "/openapi.json").AsJson();
  std::set<std::string> described;
  for (const auto& [path, operations] : document["paths"].items()) {
    for (const auto& [method, operation] : operations.items()) {
      described.insert(method + " " + path);
      std::string target = path;
      while (target.find('{') != target.npos) {
        target.replace(target.find('{'), target.find('}') - target.find('{') + 1, "none");
      }
      std::string upper = method;
      for (char& c : upper) c = static_cast<char>(std::toupper(c));
      TestClient client(api.port());
      client.Send(RequestText(upper, target, upper == "POST" ? "{}" : ""));
      const std::string first = client.ReceiveSome();
      EXPECT_THAT(first, testing::Not(HasSubstr("Method Not Allowed"))) << path;
      EXPECT_THAT(first, testing::Not(HasSubstr("{\"detail\":\"Not Found\"}"))) << path;
    }
  }
  EXPECT_EQ(described.size(), 43);
  EXPECT_TRUE(described.contains("post /evaluate"));
  EXPECT_TRUE(described.contains("get /v1/events"));
}

TEST(ApiTest, TheExamplesOfTheDescriptionAreAccepted) {
  RunningApi api;
  const Json& schemas = OpenApiSchemas();
  EXPECT_EQ(api.Ask("POST", "/evaluate", Dump(schemas["EvaluationRequest"]["example"])).status,
            200);
  EXPECT_EQ(
      api.Ask("POST", "/evaluate/batch", Dump(schemas["BatchEvaluationRequest"]["example"])).status,
      200);
  EXPECT_EQ(api.Ask("POST", "/workflow/submit", Dump(schemas["WorkflowRequest"]["example"])).status,
            200);
  Json task = schemas["Task"]["example"];
  task["domain"] = "compute";  // This server has no toy.
  task["options"] = Json::object();
  EXPECT_THAT(api.Ask("POST", "/v1/tasks", Dump(task)).status, testing::AnyOf(200, 202));
}

TEST(V1Test, SubmitsWaitsAndTells) {
  RunningApi api;
  const Reply now = api.Ask("POST", "/v1/tasks?wait_s=30", Dump(V1Body("a")));
  ASSERT_EQ(now.status, 200) << now.body;
  EXPECT_EQ(now.AsJson()["outcome"], "accepted");
  EXPECT_EQ(now.AsJson()["evaluation"]["task"], "a");
  EXPECT_EQ(api.Ask("POST", "/v1/tasks", Dump(V1Body("a"))).status, 200);
  EXPECT_EQ(api.Ask("GET", "/v1/tasks/a").AsJson()["state"], "settled");
  EXPECT_EQ(api.Ask("GET", "/v1/tasks/b").status, 404);
  EXPECT_EQ(api.Ask("GET", "/v1/queue").AsJson()["settled"], 1);
  EXPECT_EQ(api.Ask("GET", "/v1/workers").AsJson()["workers"][0]["name"], "test-1");
}

TEST(V1Test, ListsSettledTasksNewestFirstInPages) {
  RunningApi api;
  for (int k = 0; k < 5; ++k) {
    ASSERT_EQ(api.Ask("POST", "/v1/tasks?wait_s=30", Dump(V1Body(std::to_string(k)))).status, 200);
  }
  const Json first = api.Ask("GET", "/v1/tasks?limit=3").AsJson();
  ASSERT_EQ(first["tasks"].size(), 3U);
  EXPECT_EQ(first["tasks"][0]["id"], "4");
  EXPECT_EQ(first["tasks"][0]["state"], "settled");
  EXPECT_EQ(first["tasks"][0]["speedup"], 3);
  const Json second =
      api.Ask("GET", fmt::format("/v1/tasks?limit=3&before={}", first["next"].get<int>())).AsJson();
  ASSERT_EQ(second["tasks"].size(), 2U);
  EXPECT_EQ(second["tasks"][1]["id"], "0");
  EXPECT_TRUE(second["next"].is_null());
  EXPECT_EQ(api.Ask("GET", "/v1/tasks?outcome=wrong").AsJson()["tasks"].size(), 0U);
  EXPECT_EQ(api.Ask("GET", "/v1/tasks?outcome=accepted").AsJson()["tasks"].size(), 5U);
  EXPECT_EQ(api.Ask("GET", "/v1/tasks?limit=none").status, 400);
}

TEST(V1Test, ListsWhatWaitsAndSaysHowLong) {
  RunningApi::Choice choice;
  choice.workers = 0;
  RunningApi api(std::move(choice));
  ASSERT_EQ(api.Ask("POST", "/v1/tasks", Dump(V1Body("a"))).status, 202);
  const Json tasks = api.Ask("GET", "/v1/tasks").AsJson()["tasks"];
  ASSERT_EQ(tasks.size(), 1U);
  EXPECT_EQ(tasks[0]["state"], "waiting");
  EXPECT_TRUE(tasks[0]["outcome"].is_null());
  const Json queue = api.Ask("GET", "/v1/queue").AsJson();
  EXPECT_EQ(queue["waiting_by_priority"][0]["priority"], "0");
  EXPECT_GE(queue["waiting_by_priority"][0]["oldest_s"], 0);
}

std::vector<std::string> WhatHappened(const Json& task) {
  std::vector<std::string> steps;
  for (const Json& step : task["timeline"]) steps.push_back(step["what"]);
  return steps;
}

TEST(V1Test, PhasesAreToldInTheOrderInWhichTheyHappened) {
  RunningApi api;
  api.script().run = [](const RunOrder&) -> Result<RunResult> {
    RunResult result = FakeScript::ScoreOf(1);
    result.evidence.push_back({"phases", R"({"check":2.5,"load":7.0,"order":["load","check"]})"});
    return result;
  };
  ASSERT_EQ(api.Ask("POST", "/v1/tasks?wait_s=30", Dump(V1Body("a"))).status, 200);
  const Json task = api.Ask("GET", "/v1/tasks/a").AsJson();
  EXPECT_EQ(Dump(task["evaluation"]["phases"]),
            R"([{"ms":7.0,"name":"load"},{"ms":2.5,"name":"check"}])");
  EXPECT_THAT(WhatHappened(task),
              testing::ElementsAre("submitted", "taken", "building", "load", "check", "settled"));
}

TEST(V1Test, ATaskTellsWhatWasAskedAndWhenWhatHappened) {
  RunningApi api;
  ASSERT_EQ(api.Ask("POST", "/v1/tasks?wait_s=30", Dump(V1Body("a"))).status, 200);
  const Json task = api.Ask("GET", "/v1/tasks/a").AsJson();
  EXPECT_EQ(task["candidate"]["source"], V1Body("a")["candidate"]["source"]);
  EXPECT_THAT(WhatHappened(task),
              testing::ElementsAre("submitted", "taken", "building", "running", "settled"));
  EXPECT_EQ(task["evaluation"]["phases"], Json::array());
}

TEST(V1Test, TheHistoryCountsWhatWasSubmittedAndSettled) {
  RunningApi api;
  ASSERT_EQ(api.Ask("POST", "/v1/tasks?wait_s=30", Dump(V1Body("a"))).status, 200);
  std::int64_t settled = 0;
  for (int look = 0; look < 100 && settled == 0; ++look) {  // It is counted beside the answer.
    const Json history = api.Ask("GET", "/v1/service/history").AsJson();
    for (const Json& bucket : history["buckets"]) settled += bucket["settled"].value("accepted", 0);
  }
  EXPECT_EQ(settled, 1);
}

TEST(V1Test, AnIdIsMadeUpIfNoneIsGiven) {
  RunningApi api;
  Json body = V1Body("");
  body.erase("id");
  const Json one = api.Ask("POST", "/v1/tasks", Dump(body)).AsJson();
  const Json two = api.Ask("POST", "/v1/tasks", Dump(body)).AsJson();
  EXPECT_NE(one["id"], two["id"]);
}

TEST(V1Test, WhatIsNotKnownIsRefusedByItsPath) {
  RunningApi api;
  Json body = V1Body("a");
  body["colour"] = "red";
  EXPECT_THAT(api.Ask("POST", "/v1/tasks", Dump(body)).body, HasSubstr("colour"));
  body = V1Body("a");
  body["options"] = {{"nonsense", "1"}};
  const Reply reply = api.Ask("POST", "/v1/tasks", Dump(body));
  EXPECT_EQ(reply.status, 400);
  EXPECT_THAT(reply.body, HasSubstr("/options/nonsense"));
  body = V1Body("a");
  body["domain"] = "alchemy";
  EXPECT_EQ(api.Ask("POST", "/v1/tasks", Dump(body)).status, 400);
}

TEST(V1Test, ALongPollEndsWhenTheTimeIsUpOrTheTaskIsSettled) {
  RunningApi api;
  std::promise<void> go;
  auto gate = go.get_future().share();
  const auto run = api.script().run;
  api.script().run = [gate, run](const RunOrder& order) {
    gate.wait();
    return run(order);
  };
  EXPECT_EQ(api.Ask("POST", "/v1/tasks", Dump(V1Body("a"))).status, 202);
  EXPECT_EQ(api.Ask("GET", "/v1/tasks/a/wait?timeout_s=0.05").status, 202);
  auto waiting = std::async([&] { return api.Ask("GET", "/v1/tasks/a/wait?timeout_s=60"); });
  go.set_value();
  EXPECT_EQ(waiting.get().AsJson()["state"], "settled");
}

TEST(V1Test, AWaitingTaskSaysWhyNobodyTakesIt) {
  RunningApi api(WithoutWorkers());
  const Json json = api.Ask("POST", "/v1/tasks", Dump(V1Body("a"))).AsJson();
  EXPECT_EQ(json["state"], "waiting");
  EXPECT_FALSE(json["why_waiting"].get<std::string>().empty());
  EXPECT_EQ(api.Ask("DELETE", "/v1/tasks/a").AsJson()["dropped"]["why"], "cancelled");
}

TEST(V1Test, EventsComeAsTheyHappenAndGoOnAfterTheLastOneSeen) {
  RunningApi api;
  TestClient live(api.port());
  live.Send(RequestText("GET", "/v1/events"));
  EXPECT_THAT(live.ReceiveSome(), HasSubstr("text/event-stream"));
  for (const char* id : {"a", "b"}) {
    ASSERT_EQ(api.Ask("POST", "/v1/tasks?wait_s=30", Dump(V1Body(id))).status, 200);
  }
  std::string seen;
  while (seen.find("\"b\"") == seen.npos) {
    const std::string more = live.ReceiveSome();
    ASSERT_FALSE(more.empty());
    seen += more;
  }
  EXPECT_THAT(seen,
              HasSubstr("event: settled\ndata: {\"domain\":\"compute\",\"outcome\":\"accepted\""));
  const std::string first_id = seen.substr(
      seen.find("id: ") + 4, seen.find('\n', seen.find("id: ")) - seen.find("id: ") - 4);
  TestClient later(api.port());
  later.Send(RequestText("GET", "/v1/events", "", "Last-Event-ID: " + first_id + "\r\n"));
  std::string replay;
  while (replay.find("\"task\"") == replay.npos) {
    const std::string more = later.ReceiveSome();
    ASSERT_FALSE(more.empty());
    replay += more;
  }
  EXPECT_THAT(replay, HasSubstr("\"task\":\"b\""));
  EXPECT_THAT(replay, testing::Not(HasSubstr("\"task\":\"a\"")));
}

TEST(AccessTest, EachRoleMayDoItsPart) {
  RunningApi api(WithTokens());
  const std::string body = Dump(EvaluationBody("a"));
  EXPECT_EQ(api.Ask("GET", "/health").status, 200);
  const Reply refused = api.Ask("POST", "/evaluate", body);
  EXPECT_EQ(refused.status, 401);
  EXPECT_FALSE(refused.Header("www-authenticate").empty());
  EXPECT_EQ(api.Ask("POST", "/evaluate", body, Bearer('x')).status, 401);
  EXPECT_EQ(api.Ask("POST", "/evaluate", body, Bearer('b')).status, 403);
  EXPECT_EQ(api.Ask("POST", "/evaluate", body, Bearer('a')).status, 200);
  EXPECT_EQ(api.Ask("GET", "/v1/queue", "", Bearer('b')).status, 200);
  EXPECT_EQ(api.Ask("POST", "/worker/unregister?worker_id=w", "", Bearer('a')).status, 403);
  EXPECT_EQ(api.Ask("POST", "/worker/unregister?worker_id=w", "", Bearer('b')).status, 200);
  // hone:cccccccccccccccccccc, as http://hone:TOKEN@host makes a client send it.
  EXPECT_EQ(api.Ask("GET", "/v1/queue", "",
                    "Authorization: Basic aG9uZTpjY2NjY2NjY2NjY2NjY2NjY2NjYw==\r\n")
                .status,
            200);
}

TEST(AccessTest, TasksThatChangeTheMachineNeedAnAdmin) {
  RunningApi api(WithTokens());
  Json body = V1Body("a");
  body["domain"] = "dangerous";
  EXPECT_EQ(api.Ask("POST", "/v1/tasks", Dump(body), Bearer('a')).status, 403);
  const auto for_nobody = api.Ask("POST", "/v1/tasks", Dump(body), Bearer('c'));
  EXPECT_EQ(for_nobody.status, 400);
  EXPECT_THAT(for_nobody.body, HasSubstr("--for OWNER"));
  body["owner"] = "ops";
  EXPECT_EQ(api.Ask("POST", "/v1/tasks", Dump(body), Bearer('a')).status, 403);
  const auto for_ops = api.Ask("POST", "/v1/tasks", Dump(body), Bearer('c'));
  EXPECT_EQ(for_ops.status, 202);
  EXPECT_THAT(for_ops.body, HasSubstr(R"("owner":"ops")"));
  EXPECT_THAT(for_ops.body, HasSubstr("start one with `hone worker --for ops`"));
}

TEST(AccessTest, OnlyAnAdminSpeaksForAnOwner) {
  RunningApi api(WithTokens());
  Json body = V1Body("a");
  body["owner"] = "ops";
  EXPECT_EQ(api.Ask("POST", "/v1/tasks", Dump(body), Bearer('a')).status, 403);
  EXPECT_EQ(api.Ask("POST", "/v1/tasks", Dump(body), Bearer('c')).status, 202);
  body["id"] = "b";
  body["owner"] = "ada & bob";
  EXPECT_EQ(api.Ask("POST", "/v1/tasks", Dump(body), Bearer('c')).status, 400);
}

TEST(AccessTest, PagesOfOthersAreTurnedAway) {
  RunningApi api;
  const std::string body = Dump(EvaluationBody("a"));
  EXPECT_EQ(api.Ask("POST", "/evaluate", body, "Origin: http://evil.example\r\n").status, 403);
  TestClient client(api.port());
  client.Send("GET /v1/queue HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  EXPECT_EQ(client.Receive().status, 403);
  TestClient form(api.port());
  form.Send(
      "POST /evaluate HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
      "Content-Length: 2\r\n\r\n{}");
  EXPECT_EQ(form.Receive().status, 415);
}

TEST(AccessTest, NobodyListensBeyondThisMachineWithoutTokens) {
  RunningApi api;
  ApiSettings settings;
  settings.http.address = "0.0.0.0";
  settings.http.port = 0;
  const auto server = StartApiServer(api.queue(), SystemClock(), settings);
  ASSERT_FALSE(server);
  EXPECT_THAT(server.error().message, HasSubstr("token"));
  settings.http.address = "127.0.0.1";
  settings.http.port = api.port();
  const auto second = StartApiServer(api.queue(), SystemClock(), settings);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("another server listens there"));
}

TEST(DrainTest, WaitersGetTheirVerdictsAndNewcomersA503) {
  RunningApi api;
  std::promise<void> go;
  auto gate = go.get_future().share();
  const auto run = api.script().run;
  api.script().run = [gate, run](const RunOrder& order) {
    gate.wait();
    return run(order);
  };
  TestClient kept(api.port());
  kept.Send(RequestText("GET", "/health"));
  ASSERT_EQ(kept.Receive().status, 200);
  auto waiting =
      std::async([&] { return api.Ask("POST", "/evaluate", Dump(EvaluationBody("a"))); });
  WaitUntil([&] { return api.server().Count().busy > 0; }, "the request is served");
  EXPECT_FALSE(api.server().Drain(milliseconds{50}));
  EXPECT_FALSE(TestClient(api.port()).Send(RequestText("GET", "/health")) &&
               TestClient(api.port()).Receive().status == 200);
  go.set_value();
  EXPECT_EQ(waiting.get().status, 200);
  EXPECT_TRUE(api.server().Drain(milliseconds{10'000}));
}

TEST(DrainTest, ThoseWhoWaitForTooLongAreTurnedAway) {
  RunningApi api;
  api.script().run = Endless;
  auto waiting =
      std::async([&] { return api.Ask("POST", "/evaluate", Dump(EvaluationBody("a"))); });
  WaitUntil([&] { return api.server().Count().busy > 0; }, "the request is served");
  EXPECT_FALSE(api.server().Drain(milliseconds{20}));
  api.server().TurnAway();
  EXPECT_EQ(waiting.get().status, 503);
}

TEST(TaskWaitersTest, TwoThousandClientsWaitWithoutAThreadEach) {
  RunningApi api;
  std::promise<void> go;
  auto gate = go.get_future().share();
  const auto run = api.script().run;
  api.script().run = [gate, run](const RunOrder& order) {
    gate.wait();
    return run(order);
  };
  ASSERT_EQ(api.Ask("POST", "/v1/tasks", Dump(V1Body("a"))).status, 202);
  MachineMeter meter;
  const int before = meter.Read().threads;
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int k = 0; k < 2000; ++k) {
    clients.push_back(std::make_unique<TestClient>(api.port()));
    if (!clients.back()->is_open()) GTEST_SKIP() << "not enough descriptors for 2,000 clients here";
    ASSERT_TRUE(clients.back()->Send(RequestText("GET", "/v1/tasks/a/wait?timeout_s=100")));
  }
  WaitUntil([&] { return api.server().Count().busy == 2000; }, "all clients wait");
  EXPECT_EQ(meter.Read().threads, before);
  go.set_value();
  for (auto& client : clients) ASSERT_EQ(client->Receive().status, 200);
}

}  // namespace
}  // namespace hone::server

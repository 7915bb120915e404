// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>

#include "hone/server/server_for_test.h"

namespace hone::server {
namespace {

using namespace std::chrono_literals;

Json BodyOf(const std::string& id) {
  return {{"id", id}, {"domain", "compute"}, {"candidate", {{"source", "x"}}}};
}

// The service as the page puts it together from the events.
class ServiceView {
 public:
  explicit ServiceView(std::uint16_t port, const std::string& headers = "")
      : stream_(port, "/v1/service/events", headers) {}

  // Takes the next event; false at the end.
  bool Take() {
    const SentEvent event = stream_.Next();
    if (event.kind != "service") return false;
    last = *ParseJson(event.data, "event");
    if (last["is_whole"] == true) {
      tasks.clear();
      workers.clear();
    }
    if (last.contains("queue")) queue = last["queue"];
    for (const Json& task : last.value("tasks", Json::array())) tasks[task["id"]] = task;
    for (const Json& id : last.value("gone_tasks", Json::array())) tasks.erase(id);
    for (const Json& worker : last.value("workers", Json::array())) {
      workers[worker["name"]] = worker;
    }
    for (const Json& name : last.value("gone_workers", Json::array())) workers.erase(name);
    return true;
  }
  bool TakeUntil(const std::function<bool()>& is_enough) {
    while (!is_enough()) {
      if (!Take()) return false;
    }
    return true;
  }
  std::string StateOf(const std::string& id) const {
    const auto found = tasks.find(id);
    return found == tasks.end() ? "" : found->second["state"].get<std::string>();
  }

  Json last;
  Json queue;
  std::map<std::string, Json> tasks;
  std::map<std::string, Json> workers;

 private:
  TestStream stream_;
};

TEST(ServiceEventsTest, BeginWithEverythingAndGoOnWithWhatChanged) {
  RunningApi api;
  ASSERT_EQ(api.Ask("POST", "/v1/tasks?wait_s=30", Dump(BodyOf("before"))).status, 200);
  ServiceView view(api.port());
  ASSERT_TRUE(view.Take());
  EXPECT_EQ(view.last["is_whole"], true);
  EXPECT_EQ(view.queue["settled"], 1);
  EXPECT_EQ(view.StateOf("before"), "settled");
  EXPECT_TRUE(view.workers.contains("test-1"));
  EXPECT_EQ(view.last["buckets"].back()["submitted"], 1);
  ASSERT_EQ(api.Ask("POST", "/v1/tasks?wait_s=30", Dump(BodyOf("after"))).status, 200);
  ASSERT_TRUE(view.TakeUntil([&] { return view.StateOf("after") == "settled"; }));
  EXPECT_EQ(view.last["is_whole"], false);
  for (const Json& task : view.last["tasks"]) EXPECT_NE(task["id"], "before");  // Told already.
  EXPECT_EQ(view.tasks["after"], api.Ask("GET", "/v1/tasks").AsJson()["tasks"][0]);
}

TEST(ServiceEventsTest, TellOfWhatWaitsAndOfWorkersThatLeave) {
  RunningApi api;
  ServiceView view(api.port());
  ASSERT_TRUE(view.Take());
  EXPECT_EQ(view.workers.size(), 1U);
  api.StopWorkers();
  ASSERT_TRUE(view.TakeUntil([&] { return view.workers.empty(); }));
  ASSERT_EQ(api.Ask("POST", "/v1/tasks", Dump(BodyOf("idle"))).status, 202);
  ASSERT_TRUE(view.TakeUntil([&] { return view.StateOf("idle") == "waiting"; }));
  EXPECT_EQ(view.queue["waiting"], 1);
  EXPECT_EQ(view.queue["levels"][0]["waiting"], 1);
  ASSERT_EQ(api.Ask("DELETE", "/v1/tasks/idle").status, 200);
  ASSERT_TRUE(view.TakeUntil([&] { return view.StateOf("idle") == "settled"; }));
  EXPECT_EQ(view.tasks["idle"]["outcome"], "cancelled");
  ASSERT_TRUE(api.queue().Forget("idle"));
  ASSERT_TRUE(view.TakeUntil([&] { return view.StateOf("idle").empty(); }));
}

TEST(ServiceEventsTest, TheTasksThatRunAreToldHoweverManyWait) {
  RunningApi api;
  api.script().run = Endless;
  ServiceView view(api.port());
  ASSERT_TRUE(view.Take());
  Json batch = Json::array();
  for (int k = 0; k < 200; ++k) batch.push_back(BodyOf(fmt::format("t{}", k)));
  ASSERT_EQ(api.Ask("POST", "/v1/tasks/batch", Dump(Json{{"tasks", batch}})).status, 202);
  ASSERT_TRUE(view.TakeUntil([&] { return view.StateOf("t0") == "running"; }));
  EXPECT_EQ(view.tasks["t0"]["worker"], "test-1");
  EXPECT_EQ(view.StateOf("t199"), "waiting");
}

TEST(ServiceEventsTest, AClientThatNeverReadsHoldsUpNobody) {
  RunningApi api;
  std::vector<std::unique_ptr<TestClient>> stuck;
  for (int k = 0; k < 8; ++k) {
    stuck.push_back(std::make_unique<TestClient>(api.port()));
    stuck.back()->Send(RequestText("GET", "/v1/service/events"));
  }
  ServiceView view(api.port());
  ASSERT_TRUE(view.Take());
  ASSERT_EQ(api.Ask("POST", "/v1/tasks?wait_s=30", Dump(BodyOf("a"))).status, 200);
  EXPECT_TRUE(view.TakeUntil([&] { return view.StateOf("a") == "settled"; }));
}

TEST(ServiceEventsTest, NeedTheTokenThatReadingNeeds) {
  RunningApi::Choice choice;
  choice.api.access.tokens = *TokenBook::Parse("submit aaaaaaaaaaaaaaaaaaaa\n", "tokens");
  RunningApi api(std::move(choice));
  EXPECT_EQ(api.Ask("GET", "/v1/service/events").status, 401);
  ServiceView view(api.port(), "Authorization: Bearer aaaaaaaaaaaaaaaaaaaa\r\n");
  EXPECT_TRUE(view.Take());
}

}  // namespace
}  // namespace hone::server

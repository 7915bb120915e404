// SPDX-License-Identifier: Apache-2.0
// /v1/environments over loopback, with the domain toy.
#include "hone/server/environments/environment_routes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "hone/server/page/openapi.h"
#include "hone/server/server_for_test.h"
#include "hone/testing/wait_until.h"

namespace hone::server {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

constexpr const char* kAll = "/v1/environments";

std::string BearerOf(char letter) {
  return fmt::format("Authorization: Bearer {}\r\n", std::string(20, letter));
}

RunningApi::Choice ToyChoice() {
  RunningApi::Choice choice;
  choice.has_toy = true;
  choice.api.access.tokens = *TokenBook::Parse(
      fmt::format("submit {}\nsubmit {}\nwork {}\nadmin {}\n", std::string(20, 'a'),
                  std::string(20, 'd'), std::string(20, 'b'), std::string(20, 'c')),
      "tokens");
  return choice;
}

class EnvironmentRoutesTest : public testing::Test {
 protected:
  explicit EnvironmentRoutesTest(RunningApi::Choice choice = ToyChoice())
      : api_(std::move(choice)) {}

  Reply Ask(const std::string& method, const std::string& target, const Json& body = nullptr,
            char token = 'a') const {
    return api_.Ask(method, target, body.is_null() ? "" : Dump(body), BearerOf(token));
  }

  std::string Make(const Json& more = Json::object(), char token = 'a') const {
    Json body = {{"domain", "toy"}, {"seed", 7}};
    body.update(more);
    const Reply reply = Ask("POST", kAll, body, token);
    EXPECT_EQ(reply.status, 200) << reply.body;
    const Json json = reply.AsJson();
    return json.is_object() ? fmt::format("{}/{}", kAll, json.value("id", "")) : "";
  }

  std::string MakeAndReset(const Json& more = Json::object()) const {
    const std::string one = Make(more);
    EXPECT_EQ(Ask("POST", one + "/reset", {{"seed", 1}}).status, 200);
    return one;
  }

  // What a step of the environment takes; all coordinates are the same.
  static Json Action(double unit = 0.5) { return {{"action", {unit, unit, unit, unit}}}; }

  std::string RefusalOf(int status, const std::string& method, const std::string& target,
                        const Json& body = nullptr, char token = 'a') const {
    const Reply reply = Ask(method, target, body, token);
    EXPECT_EQ(reply.status, status) << reply.body;
    const Json json = reply.AsJson();
    return json.contains("error") ? json["error"]["message"].get<std::string>() : "";
  }

  RunningApi api_;
};

TEST_F(EnvironmentRoutesTest, SaysWhatCanBeDoneAndWhatIsSeen) {
  const Reply reply = Ask("POST", kAll, {{"domain", "toy"}, {"max_steps", 5}, {"seed", 7}});
  ASSERT_EQ(reply.status, 200) << reply.body;
  const Json json = reply.AsJson();
  EXPECT_EQ(json["state"], "ready");
  EXPECT_EQ(json["environment_seed"], 7);
  EXPECT_EQ(json["facts"]["max_steps"], 5);
  EXPECT_EQ(json["facts"]["is_deterministic"], true);
  EXPECT_EQ(json["facts"]["metrics"][0]["name"], "throughput");
  EXPECT_EQ(json["reward"]["objectives"][0]["metric"], "throughput");
  EXPECT_EQ(json["action_space"]["parameters"].size(), 4U);
  EXPECT_EQ(json["action_space"]["coordinates"].size(), 4U);
  EXPECT_TRUE(json["action_space"]["parameters"][0].contains("kind"));
  EXPECT_THAT(json["observation_space"]["names"], Contains("run throughput"));
  const std::string one = fmt::format("{}/{}", kAll, json["id"].get<std::string>());
  EXPECT_EQ(Ask("GET", one).AsJson(), json);
  EXPECT_EQ(Ask("GET", one + "/wait").AsJson(), json);
  const Json list = Ask("GET", kAll).AsJson()["environments"];
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0]["id"], json["id"]);
  EXPECT_EQ(list[0]["state"], "ready");
}

TEST_F(EnvironmentRoutesTest, AnEpisodeOfMeasuredRewards) {
  const std::string one = Make({{"max_steps", 2}, {"options", {{"noise", "0"}}}});
  const Json start = Ask("POST", one + "/reset", {{"seed", 1}}).AsJson();
  EXPECT_EQ(start["episode"], 1);
  EXPECT_EQ(start["seed"], 1);
  const auto names = Ask("GET", one).AsJson()["observation_space"]["names"];
  EXPECT_EQ(start["observation"].size(), names.size());
  const Json step = Ask("POST", one + "/step", Action(0.6)).AsJson();
  EXPECT_EQ(step["step"], 1);
  EXPECT_EQ(step["terminated"], false);
  EXPECT_EQ(step["truncated"], false);
  EXPECT_EQ(step["observation"].size(), names.size());
  EXPECT_NE(step["reward"], 0);
  EXPECT_EQ(step["info"]["outcome"], "accepted");
  EXPECT_EQ(step["info"]["estimate"]["count"], 1);
  EXPECT_EQ(step["info"]["estimate"]["mean"], step["reward"]);
  EXPECT_TRUE(step["info"]["estimate"]["standard_error"].is_null());
  EXPECT_EQ(step["info"]["action"].size(), 4U);
  EXPECT_EQ(Ask("GET", "/v1/tasks/" + step["info"]["task"].get<std::string>()).status, 200);
  EXPECT_EQ(Ask("GET", one).AsJson()["state"], "running");
  EXPECT_EQ(Ask("POST", one + "/step", Action(0.1)).AsJson()["truncated"], true);
  EXPECT_EQ(Ask("GET", one).AsJson()["state"], "ended");
  EXPECT_THAT(RefusalOf(409, "POST", one + "/step", Action()), HasSubstr("the episode is over"));
  EXPECT_EQ(Ask("POST", one + "/reset").AsJson()["episode"], 2);
}

TEST_F(EnvironmentRoutesTest, TheSameSeedAndActionsGiveTheSameRewards) {
  const std::string one = Make({{"pairs", 3}});
  std::vector<std::vector<Json>> episodes(2);
  for (auto& rewards : episodes) {
    ASSERT_EQ(Ask("POST", one + "/reset", {{"seed", 11}}).status, 200);
    for (const double unit : {0.1, 0.7, 0.4}) {
      const Json step = Ask("POST", one + "/step", Action(unit)).AsJson();
      rewards.push_back(step["reward"]);
      EXPECT_EQ(step["info"]["estimate"]["count"], 3);
      EXPECT_GT(step["info"]["estimate"]["standard_error"], 0);
    }
  }
  EXPECT_EQ(episodes[0], episodes[1]);
}

TEST_F(EnvironmentRoutesTest, AnActionByNameIsTheSameAsByCoordinates) {
  const std::string one = MakeAndReset({{"options", {{"noise", "0"}}}});
  const Json step = Ask("POST", one + "/step", Action(0.6)).AsJson();
  ASSERT_EQ(Ask("POST", one + "/reset", {{"seed", 1}}).status, 200);
  const Json named = Ask("POST", one + "/step", {{"action", step["info"]["action"]}}).AsJson();
  EXPECT_EQ(named["reward"], step["reward"]);
  EXPECT_EQ(named["info"]["action"], step["info"]["action"]);
}

TEST_F(EnvironmentRoutesTest, WhatACandidateDoesWrongIsARewardAndNoError) {
  const std::string one =
      MakeAndReset({{"options", {{"fault", "crash"}, {"fault_rate", "1"}}}, {"max_failures", 2}});
  const Json step = Ask("POST", one + "/step", Action(0.9)).AsJson();
  EXPECT_EQ(step["info"]["outcome"], "crashed");
  EXPECT_EQ(step["reward"], -1);
  EXPECT_TRUE(step["info"]["estimate"].is_null());
  EXPECT_EQ(step["info"]["evidence"][0]["what"], "standard error");
  EXPECT_EQ(Ask("POST", one + "/step", Action(0.9)).AsJson()["terminated"], true);
}

TEST_F(EnvironmentRoutesTest, AFailureOfTheServiceIsAnErrorAndNoReward) {
  const std::string one = MakeAndReset(
      {{"options", {{"fault", "hang"}, {"fault_rate", "1"}}}, {"run_limit_ms", 600'000}});
  const Json begun = Ask("POST", one + "/step?wait_s=0", Action(0.9)).AsJson();
  EXPECT_EQ(Ask("DELETE", "/v1/tasks/" + begun["task"].get<std::string>()).status, 200);
  for (int k = 0; k < 2; ++k) {
    const Reply reply = Ask("GET", one + "/wait");
    EXPECT_EQ(reply.status, 503) << reply.body;
    EXPECT_EQ(reply.Header("retry-after"), "5");
    EXPECT_THAT(reply.body, HasSubstr("was not evaluated"));
  }
  EXPECT_EQ(Ask("GET", one).AsJson()["step"], 0);
  const Json again = Ask("POST", one + "/step?wait_s=0", Action(0.9)).AsJson();
  EXPECT_EQ(again["state"], "stepping");
  EXPECT_EQ(Ask("DELETE", one).status, 200);
  WaitUntil([&] { return api_.queue().Count()->held == 0; }, "the worker has let go of it");
}

TEST_F(EnvironmentRoutesTest, BadActionsChangeNothing) {
  const std::string one = MakeAndReset();
  const std::string step = one + "/step";
  const Json before = Ask("GET", one).AsJson();
  const auto settled = api_.queue().Count()->settled;
  EXPECT_THAT(RefusalOf(400, "POST", step, {{"action", {0.5, 0.5, 0.5, 2}}}),
              HasSubstr("expected 0 to 1, found 2"));
  EXPECT_THAT(RefusalOf(400, "POST", step, {{"action", {0.5}}}), HasSubstr("expected 4 numbers"));
  EXPECT_THAT(RefusalOf(400, "POST", step, {{"action", {{"warp", 9}}}}), HasSubstr("warp"));
  EXPECT_THAT(RefusalOf(400, "POST", step, Json::object()), HasSubstr("action"));
  for (const char* const body : {R"({"action": [NaN, 0, 0, 0]})", R"({"action": [1e999, 0, 0, 0]})",
                                 R"({"action": )", "[]", "nonsense"}) {
    EXPECT_EQ(api_.Ask("POST", step, body, BearerOf('a')).status, 400) << body;
  }
  const std::string giant = "{\"action\": [" + std::string(2 << 20, ' ') + "]}";
  EXPECT_EQ(api_.Ask("POST", step, giant, BearerOf('a')).status, 400);
  EXPECT_EQ(Ask("GET", one).AsJson(), before);
  EXPECT_EQ(api_.queue().Count()->settled, settled);
  EXPECT_EQ(Ask("POST", step, Action()).status, 200);
}

TEST_F(EnvironmentRoutesTest, BadRequestsMakeNothing) {
  const auto refusal = [&](const Json& body) { return RefusalOf(400, "POST", kAll, body); };
  EXPECT_THAT(refusal(Json::object()), HasSubstr("domain"));
  EXPECT_THAT(refusal({{"domain", "toi"}}), HasSubstr("toy"));
  EXPECT_THAT(refusal({{"domain", "toy"}, {"options", {{"speed", "1"}}}}), HasSubstr("/speed"));
  EXPECT_THAT(refusal({{"domain", "toy"}, {"options", {{"surface", "flatt"}}}}),
              HasSubstr("surface"));
  EXPECT_THAT(refusal({{"domain", "toy"}, {"max_steps", 0}}), HasSubstr("/max_steps"));
  EXPECT_THAT(refusal({{"domain", "toy"}, {"pairs", 101}}), HasSubstr("/pairs"));
  EXPECT_THAT(refusal({{"domain", "toy"}, {"seed", -1}}), HasSubstr("/seed"));
  EXPECT_THAT(refusal({{"domain", "toy"}, {"objectives", {"beauty"}}}), HasSubstr("throughput"));
  EXPECT_THAT(refusal({{"domain", "toy"}, {"objectives", Json::array()}}),
              HasSubstr("/objectives"));
  EXPECT_THAT(refusal({{"domain", "toy"}, {"limits", {"latency_ms"}}}), HasSubstr("/limits/0"));
  EXPECT_THAT(refusal({{"domain", "toy"}, {"color", 1}}), HasSubstr("color"));
  EXPECT_THAT(refusal({{"domain", "compute"}}), HasSubstr("no parameters"));
  EXPECT_EQ(Ask("GET", kAll).AsJson()["environments"].size(), 0U);
  EXPECT_EQ(api_.queue().Count()->settled, 0);
}

TEST_F(EnvironmentRoutesTest, WhatChangesTheHostIsForAdminsAndOwnersWhoAreServed) {
  EXPECT_THAT(RefusalOf(403, "POST", kAll, {{"domain", "hosted"}, {"owner", "ops"}}),
              HasSubstr("role admin"));
  EXPECT_THAT(RefusalOf(403, "POST", kAll, {{"domain", "toy"}, {"owner", "ops"}}),
              HasSubstr("role admin"));
  EXPECT_THAT(RefusalOf(400, "POST", kAll, {{"domain", "hosted"}}, 'c'), HasSubstr("owner"));
  EXPECT_THAT(RefusalOf(403, "POST", kAll, {{"domain", "hosted"}, {"owner", "else"}}, 'c'),
              HasSubstr("--for"));
  const Reply made = Ask("POST", kAll, {{"domain", "hosted"}, {"owner", "ops"}}, 'c');
  ASSERT_EQ(made.status, 200) << made.body;
  EXPECT_EQ(made.AsJson()["owner"], "ops");
}

TEST_F(EnvironmentRoutesTest, AnotherTokenFindsNothing) {
  const std::string one = MakeAndReset();
  for (const char token : {'d', 'c'}) {
    EXPECT_EQ(Ask("GET", kAll, nullptr, token).AsJson()["environments"].size(), 0U);
    const std::string refusal = RefusalOf(404, "GET", one, nullptr, token);
    EXPECT_THAT(refusal, HasSubstr("a restart ends them"));
    EXPECT_EQ(RefusalOf(404, "GET", std::string(kAll) + "/environment-none", nullptr, token),
              refusal);
    RefusalOf(404, "GET", one + "/wait", nullptr, token);
    RefusalOf(404, "POST", one + "/reset", {{"seed", 1}}, token);
    RefusalOf(404, "POST", one + "/step", Action(), token);
    RefusalOf(404, "DELETE", one, nullptr, token);
  }
  RefusalOf(403, "GET", kAll, nullptr, 'b');  // The role work has none.
  EXPECT_EQ(api_.Ask("GET", one).status, 401);
  EXPECT_EQ(Ask("POST", one + "/step", Action()).status, 200);
}

TEST_F(EnvironmentRoutesTest, ADeletedOneIsGoneAndSaysSo) {
  const std::string one = MakeAndReset();
  EXPECT_EQ(Ask("DELETE", one).AsJson()["state"], "closed");
  EXPECT_THAT(RefusalOf(404, "POST", one + "/step", Action()), HasSubstr("its client closed it"));
  EXPECT_EQ(RefusalOf(404, "GET", one, nullptr, 'd'),
            RefusalOf(404, "GET", std::string(kAll) + "/environment-none", nullptr, 'd'));
}

TEST_F(EnvironmentRoutesTest, AStepThatIsNotWaitedForIsAskedForLater) {
  const std::string one = MakeAndReset({{"options", {{"duration_ms", "20"}}}});
  const Reply begun = Ask("POST", one + "/step?wait_s=0", Action(0.3));
  ASSERT_EQ(begun.status, 202) << begun.body;
  EXPECT_EQ(begun.AsJson()["state"], "stepping");
  EXPECT_TRUE(begun.AsJson()["task"].is_string());
  EXPECT_THAT(RefusalOf(409, "POST", one + "/step", Action()), HasSubstr("wait"));
  const Reply done = Ask("GET", one + "/wait?timeout_s=30");
  ASSERT_EQ(done.status, 200) << done.body;
  EXPECT_EQ(done.AsJson()["step"], 1);
  EXPECT_EQ(done.AsJson()["info"]["task"], begun.AsJson()["task"]);
  EXPECT_EQ(Ask("GET", one + "/wait").AsJson(), done.AsJson()) << "who lost it asks again";
  EXPECT_EQ(Ask("GET", one + "/wait?timeout_s=soon").status, 400);
}

TEST_F(EnvironmentRoutesTest, AnUnheardStepIsNotLostAndAResetLeavesItBehind) {
  const std::string one = MakeAndReset();
  const Json begun = Ask("POST", one + "/step?wait_s=0", Action()).AsJson();
  const TaskId task = begun.contains("task") && begun["task"].is_string()
                          ? begun["task"].get<std::string>()
                          : begun["info"]["task"].get<std::string>();
  WaitUntil([&] { return api_.queue().Look(task)->state == TaskState::kSettled; }, "it is over");
  EXPECT_EQ(Ask("POST", one + "/reset", {{"seed", 2}}).status, 200);
  EXPECT_EQ(Ask("GET", one).AsJson()["step"], 0);
}

TEST_F(EnvironmentRoutesTest, AStepWithANumberIsMadeOnce) {
  const std::string one = MakeAndReset();
  Json body = Action(0.3);
  body["step"] = 1;
  const Json step = Ask("POST", one + "/step", body).AsJson();
  EXPECT_EQ(Ask("POST", one + "/step", body).AsJson(), step);
  EXPECT_THAT(RefusalOf(409, "POST", one + "/step", {{"action", {0, 0, 0, 0}}, {"step", 1}}),
              HasSubstr("step 2"));
  EXPECT_EQ(Ask("GET", one).AsJson()["step"], 1);
}

TEST_F(EnvironmentRoutesTest, OfStepsAtTheSameTimeOneIsMade) {
  const std::string one = MakeAndReset({{"options", {{"duration_ms", "50"}}}});
  std::vector<std::future<Reply>> steps;
  for (int k = 0; k < 8; ++k) {
    steps.push_back(
        std::async(std::launch::async, [&] { return Ask("POST", one + "/step", Action()); }));
  }
  std::vector<int> statuses;
  for (auto& step : steps) statuses.push_back(step.get().status);
  EXPECT_THAT(statuses, Contains(200));
  EXPECT_THAT(statuses, testing::Each(testing::AnyOf(200, 409)));
  EXPECT_EQ(Ask("GET", one).AsJson()["step"], std::ranges::count(statuses, 200));
}

TEST_F(EnvironmentRoutesTest, SeveralEnvironmentsStepOnTheirOwn) {
  const std::string one = MakeAndReset();
  const std::string other = MakeAndReset();
  EXPECT_EQ(Ask("POST", one + "/step", Action(0.2)).AsJson()["step"], 1);
  EXPECT_EQ(Ask("POST", one + "/step", Action(0.2)).AsJson()["step"], 2);
  const Json first = Ask("POST", other + "/step", Action(0.2)).AsJson();
  EXPECT_EQ(first["step"], 1);
  EXPECT_EQ(Ask("GET", kAll).AsJson()["environments"].size(), 2U);
}

TEST_F(EnvironmentRoutesTest, TheExamplesOfTheDescriptionAreAccepted) {
  const Json& schemas = OpenApiSchemas();
  const Reply made = Ask("POST", kAll, schemas["EnvironmentRequest"]["example"]);
  ASSERT_EQ(made.status, 200) << made.body;
  const std::string one = MakeAndReset();
  EXPECT_EQ(Ask("POST", one + "/reset", schemas["EnvironmentReset"]["example"]).status, 200);
  EXPECT_EQ(Ask("POST", one + "/step", schemas["EnvironmentAction"]["example"]).status, 200);
}

RunningApi::Choice WithFewPlaces() {
  RunningApi::Choice choice = ToyChoice();
  choice.api.environments.emplace();
  choice.api.environments->max = 5;
  choice.api.environments->max_per_token = 3;
  return choice;
}

class FewEnvironmentsTest : public EnvironmentRoutesTest {
 protected:
  FewEnvironmentsTest() : EnvironmentRoutesTest(WithFewPlaces()) {}
};

TEST_F(FewEnvironmentsTest, WhoAsksForThousandsGetsAFew) {
  int made = 0;
  for (int k = 0; k < 500; ++k) {
    const int status = Ask("POST", std::string(kAll) + "?wait_s=0", {{"domain", "toy"}}).status;
    EXPECT_THAT(status, testing::AnyOf(200, 202, 409));
    made += status == 409 ? 0 : 1;
  }
  EXPECT_EQ(made, 3);
  EXPECT_EQ(Make(Json::object(), 'd').empty(), false);
  EXPECT_EQ(Make(Json::object(), 'd').empty(), false);
  const Reply full = Ask("POST", kAll, {{"domain", "toy"}}, 'd');
  EXPECT_EQ(full.status, 503);
  EXPECT_EQ(full.Header("retry-after"), "5");
}

RunningApi::Choice WithNobodyToEvaluate() {
  RunningApi::Choice choice = ToyChoice();
  choice.workers = 0;
  return choice;
}

class UnservedEnvironmentTest : public EnvironmentRoutesTest {
 protected:
  UnservedEnvironmentTest() : EnvironmentRoutesTest(WithNobodyToEvaluate()) {}

  std::string Begin() const {
    const Reply begun = Ask("POST", std::string(kAll) + "?wait_s=0", {{"domain", "toy"}});
    EXPECT_EQ(begun.status, 202) << begun.body;
    return fmt::format("{}/{}", kAll, begun.AsJson().value("id", ""));
  }
};

TEST_F(UnservedEnvironmentTest, WhatIsNotOpenYetSaysSo) {
  const std::string one = Begin();
  EXPECT_EQ(Ask("GET", one).status, 202);
  EXPECT_EQ(Ask("GET", one).AsJson()["state"], "opening");
  EXPECT_EQ(Ask("GET", one + "/wait?timeout_s=0").status, 202);
  EXPECT_THAT(RefusalOf(409, "POST", one + "/reset"), HasSubstr("being opened"));
  EXPECT_THAT(RefusalOf(409, "POST", one + "/step", Action()), HasSubstr("being opened"));
}

TEST_F(UnservedEnvironmentTest, AFailureOfTheServiceWhileItOpensIsAnErrorAndClosesIt) {
  const std::string one = Begin();
  const TaskId task = Ask("GET", one).AsJson()["task"];
  ASSERT_TRUE(api_.queue().Cancel(task));
  const Reply reply = Ask("GET", one + "/wait");
  EXPECT_EQ(reply.status, 503) << reply.body;
  EXPECT_THAT(RefusalOf(404, "GET", one), HasSubstr("cancelled"));
}

TEST_F(UnservedEnvironmentTest, DeletingItCancelsItsTaskAndAnswersWhoWaits) {
  const std::string one = Begin();
  const TaskId task = Ask("GET", one).AsJson()["task"];
  auto waiting = std::async(std::launch::async, [&] { return Ask("GET", one + "/wait"); });
  EXPECT_EQ(Ask("DELETE", one).status, 200);
  EXPECT_EQ(waiting.get().status, 404);
  EXPECT_EQ(api_.queue().Look(task)->state, TaskState::kSettled);
}

TEST_F(UnservedEnvironmentTest, AServerThatStopsLeavesNoTaskBehind) {
  const TaskId task = Ask("GET", Begin()).AsJson()["task"];
  api_.StopServer();
  EXPECT_EQ(api_.queue().Look(task)->state, TaskState::kSettled);
}

}  // namespace
}  // namespace hone::server

// SPDX-License-Identifier: Apache-2.0
// A learner elsewhere that steps an environment of `hone serve`.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <string>
#include <vector>

#include "hone/testing/wait_until.h"
#include "tests/e2e/service_process.h"

namespace hone {
namespace {

using server::TokenRole;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kEnvironments = "/v1/environments";

class EnvironmentsE2eTest : public ServiceProcessTest {
 protected:
  Json Ask(const std::string& method, const std::string& target, const Json& body = nullptr,
           int status = 200, TokenRole role = TokenRole::kSubmit) const {
    return Send(CallTo(method, target), role, body, status);
  }

  // Its path.
  std::string Make(const Json& more = Json::object()) const {
    Json body = {{"domain", "toy"}, {"max_steps", 4}, {"seed", 7}};
    body.update(more);
    const Json made = Ask("POST", kEnvironments, body);
    return made.is_object() ? fmt::format("{}/{}", kEnvironments, made.value("id", "")) : "";
  }

  static Json Action(double unit) { return {{"action", {unit, unit, unit, unit}}}; }

  // The rewards of the episode of this seed.
  std::vector<double> EpisodeOf(const std::string& environment, int seed) const {
    Ask("POST", environment + "/reset", {{"seed", seed}});
    std::vector<double> rewards;
    for (bool is_over = false; !is_over && rewards.size() < 100;) {
      const double unit = 0.2 * static_cast<double>(rewards.size() + 1);
      const Json step = Ask("POST", environment + "/step", Action(unit));
      rewards.push_back(step["reward"]);
      is_over = step["truncated"] || step["terminated"];
    }
    return rewards;
  }

  int StatusOf(const std::string& target) const {
    HttpCall call = CallTo("GET", target);
    call.headers = {{"Authorization", "Bearer " + TokenOf(TokenRole::kSubmit)}};
    const auto reply = CallHttp(call);
    return reply ? reply->status : 0;
  }
};

TEST_F(EnvironmentsE2eTest, AnEpisodeOfASeedHasTheSameRewardsEachTime) {
  Serve();
  const std::string one = Make();
  const auto rewards = EpisodeOf(one, 3);
  EXPECT_EQ(rewards.size(), 4U);
  EXPECT_EQ(EpisodeOf(one, 3), rewards);
  EXPECT_NE(EpisodeOf(one, 4), rewards);
  EXPECT_EQ(EpisodeOf(Make(), 3), rewards);
  EXPECT_EQ(Ask("DELETE", one)["state"], "closed");
  Ask("POST", one + "/reset", {{"seed", 3}}, 404);
}

TEST_F(EnvironmentsE2eTest, AnotherTokenIsRefused) {
  Serve();
  const std::string one = Make();
  Ask("POST", one + "/reset", {{"seed", 3}}, 404, TokenRole::kAdmin);
  Ask("DELETE", one, nullptr, 404, TokenRole::kAdmin);
  Ask("GET", kEnvironments, nullptr, 403, TokenRole::kWork);
  SendWith(std::string(48, 'f'), CallTo("GET", one), nullptr, 401);
  EXPECT_EQ(Ask("GET", one)["state"], "ready");
}

TEST_F(EnvironmentsE2eTest, WhatChangesTheHostIsRefused) {
  Serve();
  const Json workload = {{"workload", "/etc/hostname"}};
  Ask("POST", kEnvironments, {{"domain", "sysctl"}, {"options", workload}}, 403);
  const Json refused =
      Ask("POST", kEnvironments, {{"domain", "sysctl"}, {"options", workload}, {"owner", "ops"}},
          403, TokenRole::kAdmin);
  EXPECT_THAT(Dump(refused), HasSubstr("--for"));
  EXPECT_THAT(Dump(refused), Not(HasSubstr("hostname")));
}

TEST_F(EnvironmentsE2eTest, AClientThatDiesLeavesNothing) {
  Serve({"--environment-idle", "1s"});
  // Every candidate hangs, for as long as a run may; the baseline does not.
  const std::string one =
      Make({{"options", {{"fault", "hang"}, {"fault_rate", "1"}}}, {"run_limit_ms", 600'000}});
  Ask("POST", one + "/reset", {{"seed", 3}});
  const Json begun = Ask("POST", one + "/step?wait_s=0", Action(0.5), 202);
  const std::string task = begun["task"];
  // From here on nobody asks for it; its task is another thing.
  WaitUntil([&] { return Ask("GET", "/v1/tasks/" + task)["state"] == "settled"; },
            "what it waits for is given up");
  const Json gone = Ask("GET", one, nullptr, 404);
  EXPECT_THAT(Dump(gone), HasSubstr("no request came for 1 s"));
  EXPECT_EQ(Ask("GET", kEnvironments)["environments"].size(), 0U);
  const Json queue = Ask("GET", "/v1/queue");
  EXPECT_EQ(queue["waiting"], 0);
  EXPECT_EQ(queue["held"], 0);
}

TEST_F(EnvironmentsE2eTest, AfterARestartThereIsNoneAndTheAnswerSaysWhy) {
  Serve();
  const std::string one = Make();
  ASSERT_EQ(StatusOf(one), 200);
  Stop();
  Serve();
  EXPECT_THAT(Dump(Ask("GET", one, nullptr, 404)), HasSubstr("a restart ends them"));
}

}  // namespace
}  // namespace hone

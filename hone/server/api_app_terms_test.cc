// SPDX-License-Identifier: Apache-2.0
// What who asks may say about how it is judged, over HTTP.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/server/api_app.h"
#include "hone/server/server_for_test.h"

namespace hone::server {
namespace {

using testing::HasSubstr;

RunningApi::Choice ThatAllowsDeviations() {
  RunningApi::Choice choice;
  choice.api.service.allows_deviations = true;
  return choice;
}

Json TaskWith(const Json& options) {
  return {{"domain", "compute"}, {"options", options}, {"candidate", {{"source", "x"}}}};
}

Json GymBodyByName(const std::string& id) {
  return {{"task_id", id},
          {"kernel_code", "class ModelNew: pass  # long enough"},
          {"problem", "saxpy"},
          {"backend", "torch"}};
}

TEST(TermsTest, AProblemByNameIsNotMadeEasier) {
  RunningApi api;
  const Reply refused =
      api.Ask("POST", "/v1/tasks", Dump(TaskWith({{"problem", "saxpy"}, {"trials", "1"}})));
  EXPECT_EQ(refused.status, 400) << refused.body;
  EXPECT_THAT(refused.body, HasSubstr("trials=1"));
  EXPECT_THAT(refused.body, HasSubstr("--allow-deviations"));
  const Json batch{
      {"tasks",
       {TaskWith({{"problem", "saxpy"}}), TaskWith({{"problem", "saxpy"}, {"trials", "1"}})}}};
  EXPECT_EQ(api.Ask("POST", "/v1/tasks/batch", Dump(batch)).status, 400);
  EXPECT_EQ(api.queue().Count()->settled, 0) << "none of a batch of which one is refused";
}

TEST(TermsTest, MoreThanIsStandardAndAProblemOfOnesOwnAreTaken) {
  RunningApi api;
  for (const Json& options :
       {Json{{"problem", "saxpy"}}, Json{{"problem", "saxpy"}, {"trials", "9"}},
        Json{{"problem_text", "{}"}, {"trials", "1"}}}) {
    const Reply reply = api.Ask("POST", "/v1/tasks?wait_s=30", Dump(TaskWith(options)));
    EXPECT_EQ(reply.status, 200) << reply.body;
  }
}

TEST(TermsTest, TheSameHoldsInKernelGymsWords) {
  RunningApi api;
  Json body = GymBodyByName("a");
  body["num_correct_trials"] = 1;
  const Reply refused = api.Ask("POST", "/evaluate", Dump(body));
  EXPECT_EQ(refused.status, 400) << refused.body;
  EXPECT_THAT(refused.body, HasSubstr("trials=1"));
  EXPECT_EQ(api.Ask("POST", "/debug/validate", Dump(body)).AsJson()["valid"], false);
  EXPECT_EQ(api.Ask("POST", "/evaluate", Dump(GymBodyByName("a"))).status, 200);
  Json own = EvaluationBody("own");
  own["num_correct_trials"] = 1;
  EXPECT_EQ(api.Ask("POST", "/evaluate", Dump(own)).status, 200) << "its own problem is its own";
}

TEST(TermsTest, WhoStartedTheServerCanLeaveItToWhoAsks) {
  RunningApi api(ThatAllowsDeviations());
  const Json task = TaskWith({{"problem", "saxpy"}, {"trials", "1"}});
  EXPECT_EQ(api.Ask("POST", "/v1/tasks?wait_s=30", Dump(task)).status, 200);
  Json body = GymBodyByName("a");
  body["num_correct_trials"] = 1;
  EXPECT_EQ(api.Ask("POST", "/evaluate", Dump(body)).status, 200);
}

TEST(TermsTest, ATaskWithoutARunOfItsCandidateIsNoTask) {
  RunningApi api;
  Json task = TaskWith({{"problem_text", "{}"}});
  task["baseline"] = {{"source", "y"}};
  task["order"] = {"baseline"};
  const Reply refused = api.Ask("POST", "/v1/tasks", Dump(task));
  EXPECT_EQ(refused.status, 400) << refused.body;
  EXPECT_THAT(refused.body, HasSubstr("order"));
  task["order"] = {"baseline", "candidate"};
  EXPECT_EQ(api.Ask("POST", "/v1/tasks?wait_s=30", Dump(task)).status, 200);
}

TEST(TermsTest, TheVerdictSaysOnWhichTermsItWasReached) {
  RunningApi api(ThatAllowsDeviations());
  const Json terms{{"problem", "saxpy"}, {"digest", "01"}, {"deviations", {"trials=1"}}};
  const auto run = api.script().run;
  api.script().run = [&](const RunOrder& order) {
    auto result = run(order);
    result->evidence.push_back({"feedback", Dump({{"text", "fine"}, {"terms", terms}})});
    return result;
  };
  const Json told =
      api.Ask("POST", "/v1/tasks?wait_s=30", Dump(TaskWith({{"problem", "saxpy"}}))).AsJson();
  EXPECT_EQ(told["evaluation"]["feedback"]["terms"], terms) << told;
  const Json gym = api.Ask("POST", "/evaluate", Dump(GymBodyByName("a"))).AsJson();
  EXPECT_EQ(gym["metadata"]["terms"], terms) << gym;
}

}  // namespace
}  // namespace hone::server

// SPDX-License-Identifier: Apache-2.0
// What a token may do with the tasks of another one, over HTTP.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hone/base/json/records.h"
#include "hone/server/api_app.h"
#include "hone/server/server_for_test.h"
#include "hone/testing/wait_until.h"

namespace hone::server {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kSecretMark = "of_ada_alone";

std::string With(char letter) {
  return fmt::format("Authorization: Bearer {}\r\n", std::string(20, letter));
}

const std::string kAda = With('a');
const std::string kBob = With('d');
const std::string kWork = With('b');
const std::string kAdmin = With('c');

RunningApi::Choice WithTwoSubmitters() {
  RunningApi::Choice choice;
  choice.api.access.tokens = *TokenBook::Parse(
      fmt::format("submit {}\nsubmit {}\nwork {}\nadmin {}\n", std::string(20, 'a'),
                  std::string(20, 'd'), std::string(20, 'b'), std::string(20, 'c')),
      "tokens");
  return choice;
}

Json GymBody(const std::string& id) {
  Json body = EvaluationBody(id);
  body["kernel_code"] = fmt::format("class ModelNew: pass  # {}", kSecretMark);
  return body;
}

Json NativeBody(const std::string& id) {
  return {{"id", id}, {"domain", "compute"}, {"candidate", {{"source", kSecretMark}}}};
}

void ExpectRefused(const Reply& reply, int status) {
  EXPECT_EQ(reply.status, status) << reply.body;
  EXPECT_THAT(reply.body, HasSubstr("another token"));
  EXPECT_THAT(reply.body, Not(HasSubstr(kSecretMark)));
}

TEST(SubmittersTest, AnIdOfAnotherTokenIsNotTakenOver) {
  RunningApi api(WithTwoSubmitters());
  Json body = GymBody("a");
  ASSERT_EQ(api.Ask("POST", "/evaluate", Dump(body), kAda).status, 200);
  ExpectRefused(api.Ask("POST", "/evaluate", Dump(body), kBob), 409);
  body["force_refresh"] = true;
  ExpectRefused(api.Ask("POST", "/evaluate", Dump(body), kBob), 409);
  body["kernel_code"] = "class Other: pass  # rejected at once";
  ExpectRefused(api.Ask("POST", "/evaluate", Dump(body), kBob), 409);
  ExpectRefused(api.Ask("POST", "/evaluate", Dump(body), kAdmin), 409);
  Json native = NativeBody("a");
  native["fresh"] = true;
  ExpectRefused(api.Ask("POST", "/v1/tasks", Dump(native), kBob), 409);
  const Reply batch =
      api.Ask("POST", "/evaluate/batch",
              Dump({{"batch_id", "b"}, {"tasks", Json::array({GymBody("a")})}}), kBob);
  EXPECT_THAT(batch.body, HasSubstr("another token"));
  EXPECT_THAT(batch.body, Not(HasSubstr(kSecretMark)));
  EXPECT_EQ(api.queue().Count()->settled, 1);
  EXPECT_EQ(api.Ask("GET", "/results/a", "", kAda).AsJson()["status"], "completed");
  EXPECT_EQ(api.Ask("POST", "/evaluate", Dump(GymBody("a")), kAda).status, 200) << "its own";
}

TEST(SubmittersTest, AnotherTokensTaskIsNotReadAndNotCancelled) {
  RunningApi api(WithTwoSubmitters());
  api.script().run = Endless;
  ASSERT_EQ(api.Ask("POST", "/v1/tasks", Dump(NativeBody("a")), kAda).status, 202);
  WaitUntil([&] { return api.queue().Look("a")->state == TaskState::kHeld; }, "it runs");
  const std::vector<std::pair<std::string, std::string>> asked = {
      {"GET", "/v1/tasks/a"},    {"GET", "/v1/tasks/a/wait?timeout_s=60"},
      {"DELETE", "/v1/tasks/a"}, {"GET", "/status/a"},
      {"GET", "/results/a"},     {"GET", "/workflow/results/a"},
      {"DELETE", "/tasks/a"}};
  for (const auto& [method, target] : asked) {
    SCOPED_TRACE(method + " " + target);
    ExpectRefused(api.Ask(method, target, "", kBob), 403);
  }
  EXPECT_EQ(api.queue().Look("a")->state, TaskState::kHeld);
  EXPECT_EQ(api.Ask("GET", "/status/a", "", kAda).AsJson()["status"], "processing");
  EXPECT_EQ(api.Ask("DELETE", "/v1/tasks/a", "", kAda).status, 200);
  EXPECT_EQ(api.queue().Look("a")->state, TaskState::kSettled);
  for (const auto& [method, target] : asked) {
    SCOPED_TRACE(method + " " + target);
    ExpectRefused(api.Ask(method, target, "", kBob), 403);
  }
}

TEST(SubmittersTest, AnAdminReadsAndCancelsAll) {
  RunningApi api(WithTwoSubmitters());
  api.script().run = Endless;
  ASSERT_EQ(api.Ask("POST", "/v1/tasks", Dump(NativeBody("a")), kAda).status, 202);
  EXPECT_EQ(api.Ask("GET", "/v1/tasks/a", "", kAdmin).AsJson()["candidate"]["source"], kSecretMark);
  EXPECT_EQ(api.Ask("DELETE", "/tasks/a", "", kAdmin).status, 200);
  EXPECT_EQ(api.Ask("GET", "/status/a", "", kAdmin).status, 200);
}

TEST(SubmittersTest, TheLineOfATaskIsShownToItsTokenAndToAnAdmin) {
  RunningApi api(WithTwoSubmitters());
  ASSERT_EQ(api.Ask("POST", "/v1/tasks?wait_s=30", Dump(NativeBody("of-ada")), kAda).status, 200);
  const auto listed = [&](const std::string& who) {
    return api.Ask("GET", "/v1/tasks", "", who).AsJson()["tasks"].size();
  };
  EXPECT_EQ(listed(kAda), 1U);
  EXPECT_EQ(listed(kAdmin), 1U);
  EXPECT_EQ(listed(kBob), 0U);
  EXPECT_EQ(listed(kWork), 0U);
  const auto streamed = [&](const std::string& who) {
    TestStream stream(api.port(), "/v1/service/events", who);
    return stream.Next().data;
  };
  EXPECT_THAT(streamed(kAda), HasSubstr("of-ada"));
  EXPECT_THAT(streamed(kAdmin), HasSubstr("of-ada"));
  EXPECT_THAT(streamed(kBob), Not(HasSubstr("of-ada")));
  EXPECT_THAT(streamed(kBob), HasSubstr("workers"));
}

TEST(SubmittersTest, TheEventsOfATokenAreItsOwn) {
  RunningApi api(WithTwoSubmitters());
  ASSERT_EQ(api.Ask("POST", "/v1/tasks?wait_s=30", Dump(NativeBody("of-ada")), kAda).status, 200);
  ASSERT_EQ(api.Ask("POST", "/v1/tasks?wait_s=30", Dump(NativeBody("of-bob")), kBob).status, 200);
  const auto first = [&](const std::string& who) {
    TestStream stream(api.port(), "/v1/events?after=0", who);
    return stream.Next().data;
  };
  EXPECT_THAT(first(kAda), HasSubstr("of-ada"));
  EXPECT_THAT(first(kBob), HasSubstr("of-bob"));
  EXPECT_THAT(first(kAdmin), HasSubstr("of-ada"));
}

TEST(SubmittersTest, ATaskHasADigestOfItsTokenAndNobodyIsShownIt) {
  RunningApi api(WithTwoSubmitters());
  const Reply reply = api.Ask("POST", "/v1/tasks?wait_s=30", Dump(NativeBody("a")), kAda);
  const Task task = api.queue().Look("a")->task;
  EXPECT_EQ(task.submitter, SubmitterOf(std::string(20, 'a')));
  EXPECT_THAT(Dump(ToJson(task)), Not(HasSubstr(std::string(20, 'a'))));
  EXPECT_THAT(reply.body, Not(HasSubstr(task.submitter)));
  EXPECT_THAT(api.Ask("GET", "/v1/tasks/a", "", kAdmin).body, Not(HasSubstr(task.submitter)));
  Json forged = NativeBody("b");
  forged["submitter"] = SubmitterOf(std::string(20, 'd'));
  EXPECT_EQ(api.Ask("POST", "/v1/tasks", Dump(forged), kAda).status, 400);
}

}  // namespace
}  // namespace hone::server

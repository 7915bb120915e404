// SPDX-License-Identifier: Apache-2.0
// `hone serve` and `hone eval` as users start them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "hone/base/file.h"
#include "hone/base/http/http_client.h"
#include "hone/server/http/tokens.h"
#include "hone/testing/test_redis.h"
#include "tests/e2e/service_process.h"

namespace hone {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kRight =
    "extern \"C\" void kernel(const float* a, const float* b, float* out, int64_t n) {\n"
    "  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];\n}\n";
constexpr const char* kWrong =
    "extern \"C\" void kernel(const float* a, const float* b, float* out, int64_t n) {\n"
    "  for (int64_t i = 0; i < n; ++i) out[i] = a[i] - b[i];\n}\n";

Json ToyAssignment() { return {{"batch", 40}, {"decay", 0.08}, {"spin", 0.35}, {"threads", 30}}; }

using ServiceE2eTest = ServiceProcessTest;

TEST_F(ServiceE2eTest, EvalJudgesAFileWithoutAServer) {
  const std::string right = FileWith("right.cc", kRight);
  const auto accepted = Run({"eval", right, "--problem", "vector_add"});
  EXPECT_EQ(accepted.status, 0) << accepted.output << accepted.errors;
  EXPECT_THAT(accepted.output, HasSubstr("accepted"));
  EXPECT_THAT(accepted.output, HasSubstr("reference"));
}

TEST_F(ServiceE2eTest, EvalTellsWhatAModelNeedsToImprove) {
  const auto wrong = Run({"eval", FileWith("wrong.cc", kWrong), "--problem", "vector_add"});
  EXPECT_EQ(wrong.status, 1) << wrong.output << wrong.errors;
  EXPECT_THAT(wrong.output, HasSubstr("wrong"));
  EXPECT_THAT(wrong.output, HasSubstr("out["));
  const auto broken =
      Run({"eval", FileWith("broken.cc", "int kernel( {"), "--problem", "vector_add"});
  EXPECT_EQ(broken.status, 1) << broken.output << broken.errors;
  EXPECT_THAT(broken.output, HasSubstr("error:"));
}

TEST_F(ServiceE2eTest, EvalTakesAFolderWithAReferenceFile) {
  const auto folder = Folder() / "own";
  ASSERT_TRUE(MakeFolder(folder));
  for (const char* name : {"problem.json", "reference.cc"}) {
    const auto text = ReadFile(std::string(HONE_SOURCE_DIR "/data/problems/vector_add/") + name);
    ASSERT_TRUE(text && WriteFileDurably(folder / name, *text));
  }
  const auto right = Run({"eval", FileWith("right.cc", kRight), "--problem", folder.string()});
  EXPECT_EQ(right.status, 0) << right.output << right.errors;
  const auto wrong = Run({"eval", FileWith("wrong.cc", kWrong), "--problem", folder.string()});
  EXPECT_EQ(wrong.status, 1) << wrong.output << wrong.errors;
}

TEST_F(ServiceE2eTest, EvalRefusesWhatItCannotFind) {
  const auto nothing = Run({"eval", "/no/such/file.cc", "--problem", "vector_add"});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.errors, HasSubstr("/no/such/file.cc"));
  const auto unknown = Run({"eval", FileWith("right.cc", kRight), "--problem", "vector_ad"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.errors, HasSubstr("vector_add"));
}

TEST_F(ServiceE2eTest, EvalThroughAServerSaysTheSame) {
  Serve();
  const std::string right = FileWith("right.cc", kRight);
  const Json task = RunJson({"eval", right, "--problem", "vector_add", "--server", Url()});
  ASSERT_TRUE(task.is_object());
  EXPECT_EQ(task["outcome"], "accepted") << Dump(task);
  const auto wrong =
      Run({"eval", FileWith("wrong.cc", kWrong), "--problem", "vector_add", "--server", Url()});
  EXPECT_EQ(wrong.status, 1) << wrong.output << wrong.errors;
  EXPECT_THAT(wrong.output, HasSubstr("out["));
}

TEST_F(ServiceE2eTest, ATrainerThatKnowsKernelGymGetsItsVerdict) {
  Serve();
  Json body = {{"task_id", "gym-1"},
               {"backend", "cpp"},
               {"problem", "vector_add"},
               {"kernel_code", kRight},
               {"timeout", 30}};
  const Json verdict = Send(CallTo("POST", "/evaluate"), server::TokenRole::kSubmit, body, 200);
  EXPECT_EQ(verdict["status"], "completed") << Dump(verdict);
  EXPECT_EQ(verdict["compiled"], true);
  EXPECT_EQ(verdict["correctness"], true);
  EXPECT_GT(verdict["speedup"].get<double>(), 0);
  const Json status =
      Send(CallTo("GET", "/status/gym-1"), server::TokenRole::kSubmit, nullptr, 200);
  EXPECT_EQ(status["status"], "completed");
  // The same id with another body.
  body["kernel_code"] = kWrong;
  Send(CallTo("POST", "/evaluate"), server::TokenRole::kSubmit, body, 409);
}

TEST_F(ServiceE2eTest, AProblemByNameIsJudgedAsItSaysUnlessTheOperatorAllowsMore) {
  Json body = {{"task_id", "gym-1"},    {"backend", "cpp"}, {"problem", "vector_add"},
               {"kernel_code", kRight}, {"timeout", 30},    {"num_perf_trials", 5}};
  Serve();
  const Json refused = Send(CallTo("POST", "/evaluate"), server::TokenRole::kSubmit, body, 400);
  EXPECT_THAT(Dump(refused), HasSubstr("samples=5 (100 or more is standard)"));
  Stop();
  Serve({"--allow-deviations"});
  const Json verdict = Send(CallTo("POST", "/evaluate"), server::TokenRole::kSubmit, body, 200);
  EXPECT_EQ(verdict["metadata"]["terms"]["problem"], "vector_add") << Dump(verdict);
  EXPECT_EQ(verdict["metadata"]["terms"]["deviations"].size(), 1U);
  EXPECT_THAT(verdict["metadata"]["feedback"].get<std::string>(),
              HasSubstr("Not the standard verdict"));
}

TEST_F(ServiceE2eTest, AProblemThatCannotBeIsRefusedAtOnce) {
  Serve();
  const Json reply = Send(CallTo("POST", "/evaluate"), server::TokenRole::kSubmit,
                          {{"task_id", "no-outputs"},
                           {"workflow", "kernel_simple"},
                           {"backend", "cpp"},
                           {"kernel_code", kRight},
                           {"cases", Json::array({{{"inputs", {{1, 2}}}}})}},
                          400);
  EXPECT_THAT(Dump(reply), HasSubstr("outputs: missing"));
}

TEST_F(ServiceE2eTest, WhatWouldTakeTooMuchAndWhatIsAPathIsRefusedWithTheReason) {
  Serve();
  FileWith("problem.json", "{}");
  const auto refused = [&](const Json& options) {
    return Dump(Send(
        CallTo("POST", "/v1/tasks"), server::TokenRole::kSubmit,
        {{"domain", "compute"}, {"options", options}, {"candidate", {{"source", kRight}}}}, 400));
  };
  EXPECT_THAT(refused({{"problem", Folder().string()}}), HasSubstr("there is none of this name"));
  EXPECT_THAT(refused({{"problem", "relu_threads"}, {"trials", "1000"}}),
              HasSubstr("allowed: 1024 MiB"));
}

TEST_F(ServiceE2eTest, EveryDomainGoesTheSameWay) {
  Serve();
  const Json reply =
      Send(CallTo("POST", "/v1/tasks?wait_s=60"), server::TokenRole::kSubmit,
           {{"id", "toy-one"}, {"domain", "toy"}, {"candidate", {{"assignment", ToyAssignment()}}}},
           200);
  EXPECT_EQ(reply["outcome"], "accepted") << Dump(reply);
}

// What the log says of a task, in order.
std::vector<std::string> EventsOf(const std::string& log, const std::string& task) {
  std::vector<std::string> events;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('{')) continue;  // What it says to people at its start and its end.
    const auto json = ParseJson(line, "log");
    EXPECT_TRUE(json) << line;
    if (json && json->value("task", "") == task) events.push_back((*json)["event"]);
  }
  return events;
}

TEST_F(ServiceE2eTest, TheLogFollowsATaskByItsId) {
  const Json body = {
      {"id", "followed"}, {"domain", "toy"}, {"candidate", {{"assignment", ToyAssignment()}}}};
  Serve({"--log", "json", "--log-level", "debug"});
  Send(CallTo("POST", "/v1/tasks?wait_s=60"), server::TokenRole::kSubmit, body, 200);
  const ProcessResult end = Stop();
  const auto events = EventsOf(end.errors, "followed");
  // A worker may be faster than who reports that the task is in the queue.
  EXPECT_THAT(events, testing::UnorderedElementsAre("submitted", "taken", "settled"));
  EXPECT_LT(std::find(events.begin(), events.end(), "taken"),
            std::find(events.begin(), events.end(), "settled"));
  EXPECT_THAT(end.errors, HasSubstr("\"event\":\"answered\""));
}

TEST_F(ServiceE2eTest, TheLogHasALineForEveryVerdictUnlessItIsToBeQuiet) {
  const auto log_with = [&](const std::string& id, const std::vector<std::string>& flags) {
    Serve(flags);
    Send(CallTo("POST", "/v1/tasks?wait_s=60"), server::TokenRole::kSubmit,
         {{"id", id}, {"domain", "toy"}, {"candidate", {{"assignment", ToyAssignment()}}}}, 200);
    return Stop().errors;
  };
  EXPECT_THAT(log_with("one", {}), HasSubstr(" note: settled task=one outcome=accepted worker="));
  EXPECT_THAT(log_with("two", {"--quiet"}), Not(HasSubstr("two")));
  EXPECT_EQ(Run({"serve", "--log", "xml"}).status, 2);
  EXPECT_EQ(Run({"serve", "--log-level", "loud"}).status, 2);
}

TEST_F(ServiceE2eTest, WithoutATokenThereIsNothingButHealth) {
  Serve();
  EXPECT_EQ(CallHttp(CallTo("GET", "/health"))->status, 200);
  EXPECT_EQ(CallHttp(CallTo("GET", "/v1/queue"))->status, 401);
  EXPECT_EQ(CallHttp(CallTo("POST", "/evaluate"))->status, 401);
  Send(CallTo("GET", "/v1/queue"), server::TokenRole::kWork, nullptr, 200);
}

// Whether somebody else could read it, as far as modes below the folder go.
bool IsOpenTo(const std::filesystem::path& file, const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  const auto others = [](const fs::path& path) {
    return (fs::status(path).permissions() & (fs::perms::group_all | fs::perms::others_all)) !=
           fs::perms::none;
  };
  bool is_open = others(file);
  for (fs::path above = file.parent_path(); above != folder; above = above.parent_path()) {
    is_open = is_open && others(above);
  }
  return is_open;
}

TEST_F(ServiceE2eTest, WhatHoldsASourceOrATokenIsForItsOwnerOnly) {
  ::setenv("HONE_CACHE", (Folder() / "cache").c_str(), 1);
  Serve();
  ::unsetenv("HONE_CACHE");
  const std::string mark = "a_mark_that_is_nowhere_else";
  const Json body = {{"task_id", "marked"},
                     {"backend", "cpp"},
                     {"problem", "vector_add"},
                     {"timeout", 30},
                     {"kernel_code", "// " + mark + "\n" + kRight}};
  Send(CallTo("POST", "/evaluate"), server::TokenRole::kSubmit, body, 200);
  const std::string token = TokenOf(server::TokenRole::kSubmit);
  int found = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(Folder())) {
    const auto text = entry.is_regular_file() ? ReadFile(entry.path()) : Result<std::string>("");
    if (!text || (text->find(mark) == text->npos && text->find(token) == text->npos)) continue;
    EXPECT_FALSE(IsOpenTo(entry.path(), Folder())) << entry.path();
    ++found;
  }
  EXPECT_GE(found, 3);  // The queue, the tokens, the cache of builds.
}

TEST_F(ServiceE2eTest, TheStartNamesExpectedBackendsWithoutAWorker) {
  Serve();
  EXPECT_THAT(Stop().errors, HasSubstr("no worker for cuda and triton: such tasks wait"));
  Serve({"--expect", "cpp"});
  EXPECT_THAT(Stop().errors, Not(HasSubstr("no worker for")));
}

TEST_F(ServiceE2eTest, ASecondServerOnTheSameStoreSaysSoAndStops) {
  Serve();
  const auto second = Run({"serve", "--port", "0"});
  EXPECT_NE(second.status, 0);
  EXPECT_THAT(second.errors, HasSubstr("another hone serve uses this store"));
}

TEST_F(ServiceE2eTest, ItListensElsewhereOnlyWithTokens) {
  const auto open = Run({"serve", "--port", "0", "--address", "0.0.0.0", "--no-token"});
  EXPECT_EQ(open.status, 2) << open.errors;
  EXPECT_THAT(open.errors, HasSubstr("token"));
}

TEST_F(ServiceE2eTest, ASettledTaskIsThereAfterARestart) {
  Serve();
  const Json body = {
      {"id", "kept"}, {"domain", "toy"}, {"candidate", {{"assignment", ToyAssignment()}}}};
  Send(CallTo("POST", "/v1/tasks?wait_s=60"), server::TokenRole::kSubmit, body, 200);
  const Json first =
      Send(CallTo("GET", "/v1/tasks/kept"), server::TokenRole::kSubmit, nullptr, 200);
  const ProcessResult end = Stop();
  EXPECT_EQ(end.status, 0) << end.errors;
  Serve();
  const Json again =
      Send(CallTo("GET", "/v1/tasks/kept"), server::TokenRole::kSubmit, nullptr, 200);
  EXPECT_EQ(first["evaluation"], again["evaluation"]);
}

}  // namespace
}  // namespace hone

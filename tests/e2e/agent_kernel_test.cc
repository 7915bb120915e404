// SPDX-License-Identifier: Apache-2.0
// `hone agent kernel` as a person runs it: the real program, an endpoint over HTTP, the real judge.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "hone/agent/chat/scripted_endpoint_for_test.h"
#include "hone/base/file.h"
#include "hone/base/http/scripted_server_for_test.h"
#include "tests/e2e/hone_process.h"

namespace hone {
namespace {

using agent::ChatRequest;
using agent::GoodEndpoint;
using agent::TextAnswer;
using testing::AnyOf;
using testing::HasSubstr;

constexpr const char* kBroken = "```cpp\nthis is not C++\n```";
constexpr const char* kWrong =
    "```cpp\nextern \"C\" void kernel(const float* alpha, const float* x, const float* y, float* "
    "out, int64_t n) { for (int64_t i = 0; i < n; ++i) out[i] = x[i] + y[i]; }\n```";
constexpr const char* kRight =
    "```cpp\nextern \"C\" void kernel(const float* alpha, const float* x, const float* y, float* "
    "out, int64_t n) { const float a = *alpha; for (int64_t i = 0; i < n; ++i) out[i] = a * x[i] + "
    "y[i]; }\n```";

// Loads a library, which the problem's policy forbids.
constexpr const char* kForbidden =
    "```cpp\n#include <dlfcn.h>\nextern \"C\" void kernel(const float* alpha, const float* x, "
    "const float* y, float* out, int64_t n) { const bool is_there = dlopen(\"libblas.so.3\", "
    "RTLD_NOW); for (int64_t i = 0; i < n; ++i) out[i] = is_there ? 0 : *alpha * x[i] + "
    "y[i]; }\n```";

// A writer that mends what it is told of.
Result<agent::ChatAnswer> Learn(const ChatRequest& request) {
  const std::string& asked = request.messages.back().text;
  if (asked.find("Outcome: wrong") != asked.npos) return TextAnswer(kRight);
  if (asked.find("Outcome: build_failed") != asked.npos) return TextAnswer(kWrong);
  return TextAnswer(kBroken);
}

class AgentKernelTest : public HoneTest {
 protected:
  std::vector<std::string> Words(const std::string& url) const {
    return {"agent",
            "kernel",
            "saxpy",
            "--lines",
            "1",
            "--rounds",
            "3",
            "--llm",
            url,
            "--option",
            "samples=20",
            "-o",
            (Folder() / "best.cc").string(),
            "--log",
            (Folder() / "log.jsonl").string()};
  }
};

TEST_F(AgentKernelTest, AModelIsToldWhatIsWrongUntilItsKernelIsRightAndThatIsProvenAgain) {
  const ScriptedServer server(GoodEndpoint(Learn));
  const Json first = RunJson(Words(server.url()));
  ASSERT_TRUE(first.is_object());
  ASSERT_EQ(first["attempts"].size(), 3U) << Dump(first);
  EXPECT_EQ(first["attempts"][0]["outcome"], "build_failed");
  EXPECT_EQ(first["attempts"][1]["outcome"], "wrong");
  EXPECT_EQ(first["attempts"][2]["outcome"], "accepted");
  EXPECT_EQ(first["winner"]["number"], 2);
  EXPECT_EQ(first["winner"]["outcome"], "accepted");
  EXPECT_TRUE(first["winner"]["proven"]["low"].is_number());
  EXPECT_EQ(first["winner"]["lineage"].size(), 3U);
  EXPECT_THAT(*ReadFile(Folder() / "best.cc"), HasSubstr("a * x[i]"));

  // Once more from the log: nothing is asked, the winner is judged anew.
  const std::size_t asked = server.requests().size();
  const Json again = RunJson(Words(server.url()));
  EXPECT_EQ(again["attempts"], first["attempts"]);
  EXPECT_EQ(server.requests().size(), asked);
}

TEST_F(AgentKernelTest, ALogWithAllAnswersNeedsNoModelAndOneWithoutSomeIsCutShort) {
  Json first;
  {
    const ScriptedServer server(
        GoodEndpoint([](const ChatRequest&) { return TextAnswer(kBroken); }));
    first = RunJson(Words(server.url()));
  }
  ASSERT_EQ(first["attempts"].size(), 3U) << Dump(first);
  std::vector<std::string> words = Words("");
  const auto flag = std::find(words.begin(), words.end(), "--llm");
  words.erase(flag, flag + 2);
  EXPECT_EQ(RunJson(words)["attempts"], first["attempts"]);
  EXPECT_EQ(Run(words).status, 1);
  *(std::find(words.begin(), words.end(), "--rounds") + 1) = "4";
  const ProcessResult longer = Run(words);
  EXPECT_EQ(longer.status, 4) << longer.output;
  EXPECT_THAT(longer.output, HasSubstr("attempt 3 was lost: --llm: the log has no answer to this"));
}

// What no parser, no compiler and no policy lets through, each with the reason in the next
// question.
TEST_F(AgentKernelTest, WhatIsRefusedGoesBackToTheModelWithTheReason) {
  std::vector<std::string> asked;
  const ScriptedServer server(GoodEndpoint([&](const ChatRequest& request) {
    asked.push_back(request.messages.back().text);
    switch (asked.size()) {
      case 1:
        return TextAnswer("I would use vector instructions.");
      case 2:
        return TextAnswer("```cpp\nextern \"C\" void other() {}\n```");
      case 3:
        return TextAnswer(kForbidden);
      default:
        return TextAnswer(kRight);
    }
  }));
  std::vector<std::string> words = Words(server.url());
  *(std::find(words.begin(), words.end(), "--rounds") + 1) = "4";
  const Json result = RunJson(words);
  ASSERT_EQ(result["attempts"].size(), 4U) << Dump(result);
  EXPECT_EQ(result["attempts"][0]["outcome"], "rejected");
  EXPECT_EQ(result["attempts"][1]["outcome"], "build_failed");
  EXPECT_EQ(result["attempts"][2]["outcome"], "cheated");
  EXPECT_EQ(result["attempts"][3]["outcome"], "accepted");
  ASSERT_EQ(asked.size(), 4U);
  EXPECT_THAT(asked[1], HasSubstr("There was no code block in the answer."));
  EXPECT_THAT(asked[2], HasSubstr("Outcome: build_failed"));
  EXPECT_THAT(asked[3], HasSubstr("Outcome: cheated"));
  EXPECT_THAT(asked[3], HasSubstr("dlopen"));
}

TEST_F(AgentKernelTest, AnInterruptEndsTheSearchAndTheBestIsProvenAndWrittenAllTheSame) {
  std::atomic<int> asked = 0;
  const ScriptedServer server([&](const ScriptedRequest& request, ScriptedReply& reply) {
    const bool is_question = request.target == "/v1/chat/completions";
    if (is_question && ++asked > 1) return reply.Hold();
    GoodEndpoint([](const ChatRequest&) { return TextAnswer(kRight); })(request, reply);
  });
  Live live = Start(Words(server.url()), [&] { return asked > 1; });
  ::kill(live.pid, SIGINT);
  const ProcessResult result = live.result.get();
  EXPECT_THAT(result.status, AnyOf(0, 4)) << result.errors;  // 0: it is faster, and shown to be.
  EXPECT_THAT(result.output, HasSubstr("on fresh runs"));
  EXPECT_THAT(result.output, HasSubstr("lineage: 0 (accepted"));
  EXPECT_THAT(result.output, HasSubstr("It was cut short; the same command goes on."));
  EXPECT_THAT(*ReadFile(Folder() / "best.cc"), HasSubstr("a * x[i]"));
}

// Two requests fit, with what an answer may have at most; a third never does.
TEST_F(AgentKernelTest, WhatWasSpentBeforeCountsWhenItGoesOn) {
  std::atomic<int> asked = 0;
  const ScriptedServer server(GoodEndpoint([&](const ChatRequest&) {
    ++asked;
    agent::ChatAnswer answer = TextAnswer(kBroken);
    answer.usage = {.prompt_tokens = 20'000, .answer_tokens = 1'000};
    return answer;
  }));
  std::vector<std::string> words = Words(server.url());
  words.insert(words.end(), {"--llm-budget", "60k"});
  const Json first = RunJson(words);  // Cut short by the budget.
  EXPECT_EQ(first["attempts"].size(), 2U) << Dump(first);
  EXPECT_EQ(asked, 2);
  const Json again = RunJson(words);
  EXPECT_EQ(again["attempts"], first["attempts"]);
  EXPECT_EQ(asked, 2);
  words.push_back("--again");
  EXPECT_EQ(RunJson(words)["attempts"].size(), 2U);
}

TEST_F(AgentKernelTest, ABenchCountsWhatBuildsAndWhatIsRight) {
  const ScriptedServer server(GoodEndpoint(Learn));
  const Json scores = RunJson({"agent", "bench", "saxpy", "--lines", "1", "--rounds", "3",
                               "--option", "samples=20", "--llm", server.url()});
  ASSERT_TRUE(scores.is_object());
  EXPECT_EQ(scores["attempts"], 3);
  EXPECT_EQ(scores["rounds"][0]["accepted"], 0);
  EXPECT_EQ(scores["rounds"][2]["accepted"], 1);
  EXPECT_NEAR(scores["built"].get<double>(), 2.0 / 3, 1e-9);
}

TEST_F(AgentKernelTest, ABenchOfTwoProblemsIsPaidForOnce) {
  std::atomic<int> asked = 0;
  const ScriptedServer server(GoodEndpoint([&](const ChatRequest&) {
    ++asked;
    return TextAnswer(kBroken);
  }));
  // The model is not named: the endpoint has only one, whose name is known after the first answer.
  const std::vector<std::string> words = {"agent", "bench",    "saxpy", "vector_add", "--lines",
                                          "1",     "--rounds", "1",     "--llm",      server.url()};
  const Json first = RunJson(words);
  EXPECT_EQ(first["attempts"], 2) << Dump(first);
  EXPECT_EQ(asked, 2);
  EXPECT_GT(first["spent"]["tokens"].get<int>(), 0);
  const Json again = RunJson(words);
  EXPECT_EQ(again, first);
  EXPECT_EQ(asked, 2);
}

TEST_F(AgentKernelTest, AProblemThatCannotBeAskedAboutTakesNothingFromTheOthers) {
  const ScriptedServer server(
      GoodEndpoint([](const ChatRequest& request) -> Result<agent::ChatAnswer> {
        const bool is_other = request.messages.back().text.find("vector_add") != std::string::npos;
        if (is_other) return Error{Errc::kInvalidArgument, "not this one"};
        return TextAnswer(kBroken);
      }));
  std::vector<std::string> words = {"agent", "bench",    "vector_add", "saxpy", "--lines",
                                    "1",     "--rounds", "1",          "--llm", server.url()};
  const ProcessResult told = Run(words);
  EXPECT_EQ(told.status, 4) << told.errors;
  EXPECT_THAT(told.output, HasSubstr("1 attempts"));
  EXPECT_THAT(told.output, HasSubstr("vector_add is not in it: "));
  const Json json = RunJson(words);
  EXPECT_EQ(json["attempts"], 1);
  EXPECT_EQ(json["failed"][0]["problem"], "vector_add");
}

TEST_F(AgentKernelTest, WithoutAModelOrAProblemItSaysWhatIsMissing) {
  EXPECT_THAT(Run({"agent", "kernel", "saxpy"}).errors, HasSubstr("--llm"));
  EXPECT_THAT(Run({"agent", "kernel", "--llm", "http://127.0.0.1:1"}).errors, HasSubstr("PROBLEM"));
  EXPECT_THAT(Run({"agent", "kernel", "saxpi", "--llm", "http://127.0.0.1:1"}).errors,
              HasSubstr("saxpy"));
}

}  // namespace
}  // namespace hone

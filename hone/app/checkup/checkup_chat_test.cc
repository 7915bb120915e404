// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "hone/agent/chat/scripted_endpoint_for_test.h"
#include "hone/app/checkup/checkup.h"

namespace hone::app {
namespace {

using agent::ChatAnswer;
using agent::ChatRequest;
using agent::TextAnswer;
using testing::HasSubstr;

std::map<std::string, Check> ChecksOf(const HttpScript& script) {
  const ScriptedServer server(script);
  agent::ChatSettings settings;
  settings.urls = {server.url()};
  settings.key_variable = "";
  settings.max_retries = 0;
  std::map<std::string, Check> checks;
  for (const Check& check : CheckChat(settings, SystemClock())) checks[check.name] = check;
  return checks;
}

TEST(CheckupChatTest, AGoodModelIsGoodInEveryRow) {
  const auto checks = ChecksOf(agent::GoodEndpoint([](const ChatRequest& request) {
    if (request.messages.back().text.find("JSON") != std::string::npos) {
      return TextAnswer(R"({"number": 8})");
    }
    ChatAnswer answer = TextAnswer("one, two, three");
    answer.message.reasoning = "easy";
    if (!request.tools.empty()) answer.message.calls = {{"1", "look_up", "{}"}};
    return answer;
  }));
  for (const char* name :
       {"endpoint", "streaming", "usage", "reasoning", "JSON answers", "tools"}) {
    ASSERT_TRUE(checks.contains(name)) << name;
    EXPECT_EQ(checks.at(name).state, Check::State::kOk) << name << checks.at(name).detail;
  }
  EXPECT_THAT(checks.at("reasoning").detail, HasSubstr("shown"));
  EXPECT_THAT(checks.at("spent").detail, HasSubstr("of 1000000 tokens"));
}

TEST(CheckupChatTest, AModestModelIsLimitedAndEachRowSaysWhy) {
  const auto checks = ChecksOf([](const ScriptedRequest& request, ScriptedReply& reply) {
    if (request.target == "/v1/models") {
      return reply.SendWhole(200, "application/json", R"({"data":[{"id":"modest"}]})");
    }
    if (request.body.find("\"tools\"") != std::string::npos) {
      return agent::RefuseAsked(reply, 400, "tools are not supported");
    }
    reply.SendWhole(200, "application/json", R"({"choices":[{"message":{"content":"eight"}}]})");
  });
  EXPECT_EQ(checks.at("endpoint").state, Check::State::kOk);
  for (const char* name : {"streaming", "usage", "JSON answers", "tools"}) {
    EXPECT_EQ(checks.at(name).state, Check::State::kLimited) << name;
  }
  EXPECT_THAT(checks.at("tools").detail, HasSubstr("tools are not supported"));
}

TEST(CheckupChatTest, AModelThatDoesNotAnswerIsMissing) {
  const auto checks = ChecksOf([](const ScriptedRequest&, ScriptedReply& reply) {
    agent::RefuseAsked(reply, 401, "who are you?");
  });
  EXPECT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks.at("endpoint").state, Check::State::kMissing);
  EXPECT_THAT(checks.at("endpoint").detail, HasSubstr("who are you?"));
  EXPECT_EQ(CheckChat({}, SystemClock()).front().state, Check::State::kLimited);
}

}  // namespace
}  // namespace hone::app

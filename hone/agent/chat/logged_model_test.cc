// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/logged_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/agent/chat/scripted_model_for_test.h"
#include "hone/base/file.h"
#include "hone/base/temp_dir.h"

namespace hone::agent {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

ChatRequest Saying(const std::string& text) { return {.messages = {{.text = text}}}; }

class LoggedModelTest : public testing::Test {
 protected:
  LoggedModelTest() {
    auto log = AgentLog::Open(Path());
    EXPECT_TRUE(log) << log.error().message;
    if (log) log_ = std::move(*log);
  }
  std::filesystem::path Path() const { return folder_.path() / "log.jsonl"; }

  LoggedExchanges ReadAgain() {
    LoggedExchanges exchanges;
    auto log = AgentLog::Read(Path());
    EXPECT_TRUE(log) << log.error().message;
    while (log && log->next_kind() == kExchangeLine) {
      const auto line = log->Next(kExchangeLine);
      EXPECT_TRUE(exchanges.Add(**line, log->Where()));
    }
    return exchanges;
  }

  TempDir folder_ = TempDir::Make("hone-logged-model-test").value();
  AgentLog log_;
  ScriptedModel model_{[](const ChatRequest& request) -> Result<ChatAnswer> {
    if (request.messages.back().text == "fail") return Error{Errc::kUnavailable, "away"};
    ChatAnswer answer = TextAnswer("heard " + request.messages.back().text);
    answer.message.reasoning = "hmm";
    answer.usage = {.prompt_tokens = 7, .answer_tokens = 5};
    return answer;
  }};
};

TEST_F(LoggedModelTest, WhatIsRecordedIsNotAskedAgain) {
  LoggedModel first(model_, log_);
  ASSERT_TRUE(first.Ask(Saying("one")));
  ASSERT_TRUE(first.Ask(Saying("one")));
  ASSERT_THAT(model_.requests(), SizeIs(2));
  LoggedModel again(model_, log_, ReadAgain());
  const auto answer = again.Ask(Saying("one"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->message.text, "heard one");
  EXPECT_EQ(answer->message.reasoning, "hmm");
  EXPECT_EQ(answer->usage.prompt_tokens, 7);
  EXPECT_TRUE(again.Ask(Saying("one")));
  EXPECT_THAT(model_.requests(), SizeIs(2));
  EXPECT_TRUE(again.Ask(Saying("one")));  // Asked a third time: not in the record.
  EXPECT_TRUE(again.Ask(Saying("two")));
  EXPECT_THAT(model_.requests(), SizeIs(4));
}

TEST_F(LoggedModelTest, TheWholeExchangeIsInTheLogBeforeItsAnswerIsUsed) {
  LoggedModel logged(model_, log_);
  ASSERT_TRUE(logged.Ask(Saying("one")));
  const std::string text = ReadFile(Path()).value();
  EXPECT_THAT(text, HasSubstr("\"text\":\"one\""));
  EXPECT_THAT(text, HasSubstr("\"text\":\"heard one\""));
  EXPECT_THAT(text, HasSubstr("\"reasoning\":\"hmm\""));
  EXPECT_THAT(text, HasSubstr("\"prompt_tokens\":7"));
}

TEST_F(LoggedModelTest, AFailureIsAskedAgain) {
  LoggedModel logged(model_, log_);
  EXPECT_FALSE(logged.Ask(Saying("fail")));
  EXPECT_THAT(ReadAgain().exchanges, SizeIs(0));
}

TEST_F(LoggedModelTest, ItHasTheNameOfWhoeverAnsweredUntilItAsksItself) {
  LoggedExchanges recorded;
  ASSERT_TRUE(LoggedModel(model_, log_).Ask(Saying("one")));
  recorded = ReadAgain();
  EXPECT_EQ(recorded.model, "scripted");
  recorded.model = "another";
  LoggedModel logged(model_, log_, std::move(recorded));
  EXPECT_TRUE(logged.Ask(Saying("one")));
  EXPECT_EQ(logged.name(), "another");
  EXPECT_TRUE(logged.Ask(Saying("two")));
  EXPECT_EQ(logged.name(), "scripted");
}

TEST_F(LoggedModelTest, ALineThatIsNoExchangeIsRefused) {
  LoggedExchanges exchanges;
  EXPECT_FALSE(exchanges.Add({{"by", "x"}}, "log.jsonl:1"));
  EXPECT_FALSE(exchanges.Add({{"by", "x"}, {"request", Json::object()}}, "log.jsonl:1"));
}

}  // namespace
}  // namespace hone::agent

// SPDX-License-Identifier: Apache-2.0
#include "hone/app/campaign/chat_tally.h"

#include <gtest/gtest.h>

#include "hone/agent/chat/exchange_log.h"
#include "hone/base/temp_dir.h"

namespace hone::app {
namespace {

class ChatTallyTest : public testing::Test {
 protected:
  void Exchange(const Result<agent::ChatAnswer>& outcome) {
    auto log = agent::ExchangeLog::Open(store_, "toy-1", SystemClock()).value();
    const auto position = log.Begin(Json::object(), {});
    ASSERT_TRUE(position) << position.error().message;
    ASSERT_TRUE(log.Finish(*position, outcome, {}));
  }

  static agent::ChatAnswer Answer(const std::string& text) {
    agent::ChatAnswer answer;
    answer.message.text = text;
    answer.usage = {.prompt_tokens = 100, .answer_tokens = 10};
    return answer;
  }

  std::string Told() { return ChatText(TallyChat(store_, "toy-1", SystemClock()).value()); }

  const Result<TempDir> folder_ = TempDir::Make();
  const std::filesystem::path store_ = folder_->path() / "hone.db";
};

TEST_F(ChatTallyTest, AnswersAreCountedWithTheirCandidates) {
  Exchange(Answer(R"({"candidates": [{"from": -1, "set": []}, {"from": 2, "set": []}]})"));
  Exchange(Answer("ponse timesmall se queue"));
  EXPECT_EQ(Told(), "asked 2 times: 2 answers with 2 candidates, 220 tokens");
}

TEST_F(ChatTallyTest, WhyAQuestionHasNoAnswerIsTold) {
  Exchange(Error{Errc::kUnavailable, "nobody listens at 127.0.0.1:1"});
  EXPECT_EQ(Told(),
            "asked 1 time: 0 answers with 0 candidates, 0 tokens; the last without one: nobody "
            "listens at 127.0.0.1:1");
}

TEST_F(ChatTallyTest, OtherCampaignsDoNotCount) {
  Exchange(Answer("{}"));
  EXPECT_EQ(TallyChat(store_, "toy-2", SystemClock()).value().asked, 0);
}

}  // namespace
}  // namespace hone::app

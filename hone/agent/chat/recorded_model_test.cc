// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/recorded_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

#include "hone/agent/chat/scripted_endpoint_for_test.h"
#include "hone/base/temp_dir.h"

namespace hone::agent {
namespace {

using testing::HasSubstr;

ChatRequest Asked(const std::string& text) {
  return {.messages = {{.role = ChatRole::kSystem, .text = "s"}, {.text = text}}};
}

class RecordedModelTest : public testing::Test {
 protected:
  // The server counts what it was asked.
  ScriptedServer server_{GoodEndpoint([this](const ChatRequest& request) {
    ChatAnswer answer = TextAnswer(request.messages.back().text + " " + std::to_string(++asked_));
    answer.usage = {.prompt_tokens = 10, .answer_tokens = 10};
    return answer;
  })};

  std::unique_ptr<ChatModel> Open() {
    ChatSettings settings;
    settings.urls = {server_.url()};
    settings.key_variable = "";
    settings.budget_tokens = 20'000;
    auto model = OpenCampaignModel(settings, SystemClock(), store_, "toy-1");
    return model ? std::move(*model) : nullptr;
  }

  std::atomic<int> asked_ = 0;
  Result<TempDir> folder_ = TempDir::Make("recorded");
  std::filesystem::path store_ = folder_->path() / "hone.db";
};

TEST_F(RecordedModelTest, AReplayNeedsNoEndpointAndSaysTheSame) {
  const auto model = Open();
  std::vector<std::string> said;
  for (const char* text : {"a", "b", "a"}) said.push_back(model->Ask(Asked(text))->message.text);
  EXPECT_EQ(said, (std::vector<std::string>{"a 1", "b 2", "a 3"}));
  auto recorded = RecordedModel::Open(store_, "toy-1", SystemClock());
  ASSERT_TRUE(recorded) << recorded.error().message;
  std::vector<std::string> again;
  for (const char* text : {"a", "b", "a"}) {
    again.push_back((*recorded)->Ask(Asked(text))->message.text);
  }
  EXPECT_EQ(again, said);
  EXPECT_TRUE((*recorded)->is_used_up());
  EXPECT_EQ(asked_, 3);
  const auto more = (*recorded)->Ask(Asked("a"));
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, Errc::kNotFound);
  EXPECT_THAT(more.error().message, HasSubstr("all of the 3 recorded exchanges"));
}

TEST_F(RecordedModelTest, WhereARequestDiffersIsSaid) {
  const auto model = Open();
  ASSERT_TRUE(model->Ask(Asked("tune it")));
  ASSERT_TRUE(model->Ask(Asked("again")));
  const auto recorded = RecordedModel::Open(store_, "toy-1", SystemClock());
  ASSERT_TRUE((*recorded)->Ask(Asked("tune it")));
  const auto other = (*recorded)->Ask(Asked("agein"));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Errc::kCorrupt);
  EXPECT_THAT(other.error().message, HasSubstr("toy-1: exchange 1 "));
  EXPECT_THAT(other.error().message,
              HasSubstr(R"(/messages/1/text: "again" was recorded, "agein" is asked now)"));
  ChatRequest longer = Asked("again");
  longer.messages.push_back({.text = "please"});
  EXPECT_THAT((*recorded)->Ask(longer).error().message, HasSubstr("/messages"));
  ChatRequest warmer = Asked("again");
  warmer.temperature = 0.7;
  EXPECT_THAT((*recorded)->Ask(warmer).error().message, HasSubstr("/temperature: nothing was"));
}

// As the reading of a campaign's sentence is, in whose replay nothing asks for it.
TEST_F(RecordedModelTest, ARequestIsComparedWithOneThatHasTheSameRules) {
  const auto model = Open();
  ChatRequest reading = Asked("faster");
  reading.messages.front().text = "read the sentence";
  ASSERT_TRUE(model->Ask(reading));
  ASSERT_TRUE(model->Ask(Asked("tune it")));
  const auto recorded = RecordedModel::Open(store_, "toy-1", SystemClock());
  const auto other = (*recorded)->Ask(Asked("tune them"));
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("toy-1: exchange 1 "));
  ASSERT_TRUE((*recorded)->Ask(Asked("tune it")));
  EXPECT_EQ((*recorded)->Ask(Asked("tune it")).error().code, Errc::kNotFound);
}

TEST_F(RecordedModelTest, AResumedCampaignPaysOnlyForWhatIsNew) {
  {
    const auto model = Open();
    ASSERT_TRUE(model->Ask(Asked("a")));
    ASSERT_TRUE(model->Ask(Asked("b")));
  }
  const auto model = Open();
  EXPECT_EQ(model->Ask(Asked("a"))->message.text, "a 1");
  EXPECT_EQ(model->Ask(Asked("b"))->message.text, "b 2");
  EXPECT_EQ(model->Ask(Asked("c"))->message.text, "c 3");
  EXPECT_EQ(asked_, 3);
}

TEST_F(RecordedModelTest, TheBudgetIsTheCampaignsNotTheProcesss) {
  int answered = 0;
  for (int life = 0; life < 100; ++life) {
    const auto model = Open();
    ChatRequest request = Asked("life " + std::to_string(life));
    const auto answer = model->Ask(request);
    if (!answer) {
      EXPECT_EQ(answer.error().code, Errc::kUnsupported);
      EXPECT_THAT(answer.error().message, HasSubstr("of 20000 tokens are spent"));
      break;
    }
    ++answered;
    // A killed process leaves one that nobody knows the end of.
    auto log = ExchangeLog::Open(store_, "toy-1", SystemClock());
    const std::int64_t spent = log->TakeOver()->tokens;
    ASSERT_TRUE(log->Begin(ToJson(request), {}));
    ASSERT_TRUE(log->NoteAtMost({.tokens = spent + 4300, .money = {}}));
  }
  EXPECT_EQ(answered, 4);
}

// A try that broke off is charged in full, and so is the one that the kill meets.
TEST_F(RecordedModelTest, EveryTryOfAQuestionIsInTheStoreBeforeItIsMade) {
  const auto budget = std::make_shared<ChatBudget>(ChatSpendingLimits{.tokens = 10'000});
  const ChatUsage max_usage{.prompt_tokens = 100, .answer_tokens = 100};
  const auto spent_if_killed_now = [this] {
    return ExchangeLog::Open(store_, "toy-1", SystemClock())->TakeOver()->tokens;
  };
  std::vector<std::int64_t> seen;
  RecordingModel model(std::make_unique<ScriptedModel>([&](const ChatRequest&) {
                         { const auto broken_off = budget->Reserve(max_usage, {}); }
                         auto second = budget->Reserve(max_usage, {});
                         seen.push_back(spent_if_killed_now());
                         second->Settle({.prompt_tokens = 10, .answer_tokens = 20});
                         return TextAnswer("at last");
                       }),
                       budget, ExchangeLog::Open(store_, "toy-1", SystemClock()).value(),
                       std::make_unique<RecordedModel>(std::vector<StoredExchange>(), "toy-1"));
  ASSERT_TRUE(model.Ask(Asked("a")));
  EXPECT_EQ(seen, (std::vector<std::int64_t>{400}));
  EXPECT_EQ(spent_if_killed_now(), 230);
}

TEST_F(RecordedModelTest, AnAnswerIsInTheStoreBeforeItIsUsed) {
  // The child is killed the moment it has an answer: what it could have used must be there.
  const pid_t child = ::fork();
  if (child == 0) {
    ChatSettings settings;
    settings.urls = {server_.url()};
    settings.key_variable = "";
    auto log = ExchangeLog::Open(store_, "toy-1", SystemClock());
    auto budget = std::make_shared<ChatBudget>(ChatSpendingLimits{});
    RecordingModel model(
        std::make_unique<ScriptedModel>([](const ChatRequest&) { return TextAnswer("used"); }),
        budget, std::move(*log),
        std::make_unique<RecordedModel>(std::vector<StoredExchange>(), "toy-1"));
    static_cast<void>(model.Ask(Asked("a")));
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto recorded = RecordedModel::Open(store_, "toy-1", SystemClock());
  ASSERT_TRUE(recorded) << recorded.error().message;
  EXPECT_EQ((*recorded)->Ask(Asked("a"))->message.text, "used");
}

TEST_F(RecordedModelTest, WhatWasStoppedIsAskedAgain) {
  {
    std::stop_source stop;
    RecordingModel model(std::make_unique<ScriptedModel>([&](const ChatRequest&) {
                           stop.request_stop();
                           return Error{Errc::kUnavailable, "stopped"};
                         }),
                         std::make_shared<ChatBudget>(ChatSpendingLimits{}),
                         ExchangeLog::Open(store_, "toy-1", SystemClock()).value(),
                         std::make_unique<RecordedModel>(std::vector<StoredExchange>(), "toy-1"),
                         stop.get_token());
    EXPECT_FALSE(model.Ask(Asked("a")));
  }
  EXPECT_EQ(Open()->Ask(Asked("a"))->message.text, "a 1");
}

TEST_F(RecordedModelTest, FailuresAreRepeatedToo) {
  {
    auto budget = std::make_shared<ChatBudget>(ChatSpendingLimits{});
    RecordingModel model(std::make_unique<ScriptedModel>([](const ChatRequest&) {
                           return Error{Errc::kNotFound, "the host x is not known"};
                         }),
                         budget, ExchangeLog::Open(store_, "toy-1", SystemClock()).value(),
                         std::make_unique<RecordedModel>(std::vector<StoredExchange>(), "toy-1"));
    EXPECT_FALSE(model.Ask(Asked("a")));
  }
  const auto model = Open();
  EXPECT_THAT(model->Ask(Asked("a")).error().message, HasSubstr("the host x"));
  EXPECT_EQ(asked_, 0);
}

}  // namespace
}  // namespace hone::agent

// SPDX-License-Identifier: Apache-2.0
#include "hone/app/plan/campaign_chat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

#include "hone/agent/chat/recorded_model.h"
#include "hone/agent/chat/scripted_endpoint_for_test.h"
#include "hone/app/campaign/local_campaign.h"
#include "hone/app/campaign/replay.h"
#include "hone/app/plan/tune_target.h"
#include "hone/app/stored/stored_run.h"
#include "hone/base/http/scripted_server_for_test.h"
#include "hone/base/temp_dir.h"
#include "hone/eval/sqlite/evaluation_store.h"

namespace hone::app {
namespace {

using testing::HasSubstr;

constexpr const char* kProposes =
    R"({"candidates": [{"from": -1, "set": [{"name": "threads", "value": "36"}], "why": "more"}]})";

class CampaignChatTest : public testing::Test {
 protected:
  CampaignChatTest() { ::setenv("HONE_STATE", folder_->path().c_str(), 1); }

  TuneRequest Request(const std::string& url) const {
    TuneRequest request;
    request.target = "toy";
    request.options = {{"surface", "smooth"}, {"noise", "0.01"}};
    request.engine = "llm";
    request.trials = 8;
    if (!url.empty()) request.chat.urls = {url};
    return request;
  }

  // A campaign from plan to verdict; its id.
  std::string RunAsking(const std::string& url) const {
    const auto plan = MakePlan(Request(url), builtins_);
    EXPECT_TRUE(plan) << plan.error().message;
    auto store = tune::CampaignStore::Open(store_, SystemClock());
    EXPECT_TRUE(store) << store.error().message;
    const auto id = CreateCampaign(*store, *plan, store_, SystemClock());
    EXPECT_TRUE(id) << id.error().message;
    LocalSettings settings;
    settings.store = store_;
    const auto verdict = RunLocally(*id, *store, builtins_, SystemClock(), settings);
    EXPECT_TRUE(verdict) << verdict.error().message;
    return *id;
  }

  const Builtins builtins_ = MakeBuiltins();
  const Result<TempDir> folder_ = TempDir::Make();
  const std::filesystem::path store_ = folder_->path() / "hone.db";
};

TEST_F(CampaignChatTest, WithoutAModelTheEngineSaysWhatToAdd) {
  const auto plan = MakePlan(Request(""), builtins_);
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().message, HasSubstr("--llm URL"));
}

TEST_F(CampaignChatTest, WhomToAskIsKeptWithTheCampaignButNoKey) {
  TuneRequest request = Request("http://127.0.0.1:1");
  request.chat.model = "small";
  request.chat.budget_tokens = 5000;
  ::setenv("HONE_LLM_KEY", "s3cret-s3cret", 1);
  const auto plan = MakePlan(request, builtins_);
  ::unsetenv("HONE_LLM_KEY");
  ASSERT_TRUE(plan) << plan.error().message;
  for (const auto& [name, value] : plan->spec.search.options) {
    EXPECT_THAT(value, testing::Not(HasSubstr("s3cret"))) << name;
  }
  const auto kept = KeptChat(plan->spec.search.options);
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(kept->urls, request.chat.urls);
  EXPECT_EQ(kept->model, "small");
  EXPECT_EQ(kept->budget_tokens, 5000);
  EXPECT_THAT(plan->spec.search.options.at("brief"), HasSubstr("higher throughput"));
  EXPECT_THAT(plan->spec.search.options.at("brief"), HasSubstr("clock source"));
  EXPECT_THAT(plan->spec.search.options.at("brief"), testing::Not(HasSubstr("boot id")));
}

TEST_F(CampaignChatTest, ACampaignIsReplayedFromWhatTheModelAnswered) {
  std::atomic<int> questions = 0;
  std::string id;
  {
    const ScriptedServer server(
        agent::GoodEndpoint([&questions](const agent::ChatRequest&) -> Result<agent::ChatAnswer> {
          ++questions;
          return agent::TextAnswer(kProposes);
        }));
    id = RunAsking(server.url());
  }
  EXPECT_GE(questions, 1);
  const auto history = LoadRun(store_, SystemClock(), id);
  ASSERT_TRUE(history) << history.error().message;
  auto evaluations = EvaluationStore::Open(store_);
  ASSERT_TRUE(evaluations) << evaluations.error().message;
  const auto replay = Replay(
      *history, *evaluations,
      WithRecordedChat(builtins_.proposers, {.store = store_, .campaign = id}, SystemClock()));
  ASSERT_TRUE(replay) << replay.error().message;
  EXPECT_EQ(replay->divergence, "");
  EXPECT_EQ(replay->reproduced, replay->stored);
  const int before = questions;
  const auto without = Replay(*history, *evaluations, WithoutChat(builtins_.proposers));
  ASSERT_TRUE(without) << without.error().message;
  EXPECT_NE(without->divergence, "") << "The model's candidate was never measured.";
  EXPECT_EQ(questions, before);
}

TEST_F(CampaignChatTest, WhatAnEarlierCampaignMeasuredIsInTheQuestionAndTheReplayKeepsIt) {
  std::string asked;
  const ScriptedServer server(
      agent::GoodEndpoint([&asked](const agent::ChatRequest& request) -> Result<agent::ChatAnswer> {
        asked = request.messages.back().text;
        return agent::TextAnswer(kProposes);
      }));
  std::string id;
  for (int run = 0; run < 2; ++run) {
    id = RunAsking(server.url());
    ASSERT_FALSE(id.empty());
    EXPECT_EQ(asked.find("Measured in earlier campaigns") != asked.npos, run == 1);
  }
  EXPECT_THAT(asked, HasSubstr("campaign toy-1, "));
  EXPECT_THAT(asked, HasSubstr("throughput "));
  ASSERT_TRUE(tune::CampaignStore::Open(store_, SystemClock())->Forget("toy-1"));
  const auto history = LoadRun(store_, SystemClock(), id);
  ASSERT_TRUE(history) << history.error().message;
  auto evaluations = EvaluationStore::Open(store_);
  ASSERT_TRUE(evaluations) << evaluations.error().message;
  const auto replay = Replay(
      *history, *evaluations,
      WithRecordedChat(builtins_.proposers, {.store = store_, .campaign = id}, SystemClock()));
  ASSERT_TRUE(replay) << replay.error().message;
  EXPECT_EQ(replay->divergence, "");
}

TEST_F(CampaignChatTest, WhatASentenceWasReadWithIsTheCampaignsFirstExchangeAndOnItsBill) {
  std::atomic<int> questions = 0;
  const ScriptedServer server(
      agent::GoodEndpoint([&questions](const agent::ChatRequest&) -> Result<agent::ChatAnswer> {
        ++questions;
        agent::ChatAnswer answer =
            agent::TextAnswer(R"({"preset": "tcp", "aim": "", "add": [], "reading": "bulk data"})");
        answer.usage = {.prompt_tokens = 200, .answer_tokens = 100};
        return answer;
      }));
  agent::ChatSettings chat;
  chat.urls = {server.url()};
  chat.budget = agent::OpenChatBudget(chat).value();
  SentenceReader reader(std::move(agent::OpenChatModel(chat, SystemClock()).value()), chat.budget);
  ASSERT_TRUE(ReadTarget("faster downloads", builtins_, &reader));
  ASSERT_TRUE(reader.reading());

  auto plan = MakePlan(Request(server.url()), builtins_);
  ASSERT_TRUE(plan) << plan.error().message;
  plan->reading = reader.reading();
  auto store = tune::CampaignStore::Open(store_, SystemClock());
  ASSERT_TRUE(store) << store.error().message;
  const auto id = CreateCampaign(*store, *plan, store_, SystemClock());
  ASSERT_TRUE(id) << id.error().message;
  auto log = agent::ExchangeLog::Open(store_, *id, SystemClock());
  ASSERT_TRUE(log) << log.error().message;
  const auto exchanges = log->Read();
  ASSERT_TRUE(exchanges) << exchanges.error().message;
  ASSERT_EQ(exchanges->size(), 1U);
  EXPECT_THAT(Dump(exchanges->front().request), HasSubstr("faster downloads"));
  ASSERT_TRUE(exchanges->front().outcome);
  EXPECT_THAT(exchanges->front().outcome->answer->message.text, HasSubstr("bulk data"));
  EXPECT_EQ(log->TakeOver()->tokens, 300);

  // What is left of the campaign's budget is not enough for its engine then.
  chat.budget = nullptr;
  chat.budget_tokens = 300;
  const auto engine = agent::OpenCampaignModel(chat, SystemClock(), store_, *id);
  ASSERT_TRUE(engine) << engine.error().message;
  const auto more = (*engine)->Ask({.messages = {{.text = "more"}}, .max_tokens = 1});
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, Errc::kUnsupported);
  EXPECT_EQ(questions, 1);
}

TEST_F(CampaignChatTest, APlanOfASentenceHasWhatItWasReadWith) {
  const ScriptedServer server(
      agent::GoodEndpoint([](const agent::ChatRequest&) -> Result<agent::ChatAnswer> {
        return agent::TextAnswer(
            R"({"preset": "redis", "aim": "", "add": [], "reading": "a cache"})");
      }));
  TuneRequest request;
  request.target = "tail latency of redis";
  request.is_rehearsal = true;
  request.chat.urls = {server.url()};
  const auto plan = MakePlan(request, builtins_);
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_TRUE(plan->reading);
  EXPECT_TRUE(plan->reading->outcome);
  EXPECT_GT(plan->reading->spent.tokens, 0);
  const auto without = MakePlan(Request(server.url()), builtins_);
  ASSERT_TRUE(without) << without.error().message;
  EXPECT_FALSE(without->reading);
}

}  // namespace
}  // namespace hone::app

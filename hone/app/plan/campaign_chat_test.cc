// SPDX-License-Identifier: Apache-2.0
#include "hone/app/plan/campaign_chat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

#include "hone/agent/chat/scripted_endpoint_for_test.h"
#include "hone/app/campaign/local_campaign.h"
#include "hone/app/campaign/replay.h"
#include "hone/app/campaign/stored_run.h"
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
    const auto plan = MakePlan(Request(server.url()), builtins_);
    ASSERT_TRUE(plan) << plan.error().message;
    auto store = tune::CampaignStore::Open(store_, SystemClock());
    ASSERT_TRUE(store) << store.error().message;
    const auto created = CreateCampaign(*store, *plan);
    ASSERT_TRUE(created) << created.error().message;
    id = *created;
    LocalSettings settings;
    settings.store = store_;
    const auto verdict = RunLocally(id, *store, builtins_, SystemClock(), settings);
    ASSERT_TRUE(verdict) << verdict.error().message;
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

}  // namespace
}  // namespace hone::app

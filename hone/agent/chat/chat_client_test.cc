// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/chat_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "hone/agent/chat/scripted_endpoint_for_test.h"
#include "hone/testing/wait_until.h"

namespace hone::agent {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// Time passes by itself: whoever waits has waited.
class HastyClock final : public Clock {
 public:
  Monotonic Now() const override { return Monotonic(Duration(now_.load())); }
  WallTime Wall() const override { return WallTime{1'700'000'000s}; }
  void WaitUntil(std::condition_variable&, std::unique_lock<std::mutex>&,
                 Monotonic until) override {
    now_ = std::max<std::int64_t>(now_, until.time_since_epoch().count());
  }

 private:
  std::atomic<std::int64_t> now_ = 0;
};

ChatRequest Ask(const std::string& text = "what?") {
  return {.messages = {{.text = text}}, .max_tokens = 100};
}

class ChatClientTest : public testing::Test {
 protected:
  ChatClient MakeClient(const std::vector<const ScriptedServer*>& servers) {
    ChatClientParts parts;
    for (const ScriptedServer* server : servers) {
      parts.endpoints.push_back(std::make_unique<OpenAiEndpoint>(
          EndpointPlace{.url = *ParseEndpointUrl(server->url())}, SecretKey()));
    }
    parts.model = model_;
    parts.budget = budget_;
    parts.rate = std::make_unique<ChatRate>(std::nullopt, std::nullopt, clock_);
    parts.stop = stop_.get_token();
    return ChatClient(std::move(parts), clock_);
  }

  HastyClock clock_;
  std::stop_source stop_;
  std::string model_ = "m";
  std::shared_ptr<ChatBudget> budget_ = std::make_shared<ChatBudget>(ChatSpendingLimits{});
};

HttpScript Answering(const std::string& text) {
  return GoodEndpoint([text](const ChatRequest&) { return TextAnswer(text); });
}

// Refuses so many times, then answers.
HttpScript Stormy(int storms, int status, const std::string& headers = "") {
  auto left = std::make_shared<std::atomic<int>>(storms);
  return [=](const ScriptedRequest& request, ScriptedReply& reply) {
    if ((*left)-- > 0) return RefuseAsked(reply, status, "storm", headers);
    Answering("calm")(request, reply);
  };
}

TEST_F(ChatClientTest, StormsAreWaitedOutAndCostNothing) {
  for (const int status : {408, 409, 429, 500, 503}) {
    const ScriptedServer server(Stormy(3, status));
    ChatClient client = MakeClient({&server});
    const auto before = clock_.Now();
    const auto spent = budget_->spent().tokens;
    const auto answer = client.Ask(Ask());
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(server.requests().size(), 4U);
    const auto waited = clock_.Now() - before;  // 0.5, 1 and 2 s, each by half to whole.
    EXPECT_GE(waited, 1750ms);
    EXPECT_LE(waited, 3500ms);
    EXPECT_EQ(budget_->spent().tokens - spent, answer->usage.answer_tokens);
  }
}

TEST_F(ChatClientTest, AStormThatDoesNotEndIsAnError) {
  const ScriptedServer server(Stormy(1000, 429));
  ChatClient client = MakeClient({&server});
  const auto answer = client.Ask(Ask());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::kUnavailable);
  EXPECT_THAT(answer.error().message, HasSubstr("storm"));
  EXPECT_EQ(server.requests().size(), 5U);
}

TEST_F(ChatClientTest, TheServerSaysWhenToComeBackWithinReason) {
  const ScriptedServer server(Stormy(1, 429, "Retry-After: 30\r\n"));
  ChatClient client = MakeClient({&server});
  const auto before = clock_.Now();
  ASSERT_TRUE(client.Ask(Ask()));
  EXPECT_EQ(clock_.Now() - before, 30s);
  const ScriptedServer forever(Stormy(1, 429, "Retry-After: 86400\r\n"));
  ChatClient other = MakeClient({&forever});
  const auto refused = other.Ask(Ask());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("no endpoint can be asked again in time"));
  EXPECT_EQ(forever.requests().size(), 1U);
}

TEST_F(ChatClientTest, EndpointsTakeTurnsAndOneThatFailsIsPassedOver) {
  const ScriptedServer first(Answering("first"));
  const ScriptedServer broken(Stormy(1000, 500));
  const ScriptedServer third(Answering("third"));
  ChatClient client = MakeClient({&first, &broken, &third});
  for (int k = 0; k < 12; ++k) {
    const auto answer = client.Ask(Ask());
    ASSERT_TRUE(answer) << answer.error().message;
  }
  EXPECT_EQ(first.requests().size() + third.requests().size(), 12U);
  EXPECT_GE(first.requests().size(), 5U);
  EXPECT_GE(third.requests().size(), 5U);
  EXPECT_LT(broken.requests().size(), 12U);
  EXPECT_EQ(clock_.Now().time_since_epoch(), 0s);  // Nobody waited.
}

TEST_F(ChatClientTest, AnEndpointThatRefusesTheKeyIsLeftToOthers) {
  const ScriptedServer strange(Stormy(1000, 401));
  const ScriptedServer good(Answering("good"));
  ChatClient client = MakeClient({&strange, &good});
  ASSERT_TRUE(client.Ask(Ask()));
  ChatClient alone = MakeClient({&strange});
  const auto refused = alone.Ask(Ask());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kInvalidArgument);
  EXPECT_EQ(strange.requests().size(), 2U);
}

TEST_F(ChatClientTest, ARefusedRequestIsNotTriedElsewhere) {
  const ScriptedServer one(Stormy(1000, 400));
  const ScriptedServer other(Stormy(1000, 400));
  ChatClient client = MakeClient({&one, &other});
  EXPECT_EQ(client.Ask(Ask()).error().code, Errc::kInvalidArgument);
  EXPECT_EQ(one.requests().size() + other.requests().size(), 1U);
}

TEST_F(ChatClientTest, TriesThatBrokeOffCountAsSpentInFull) {
  auto is_first = std::make_shared<std::atomic<bool>>(true);
  const ScriptedServer server([=](const ScriptedRequest& request, ScriptedReply& reply) {
    if (!is_first->exchange(false)) return Answering("whole")(request, reply);
    reply.SendChunkedHead("text/event-stream");
    reply.SendChunk("data: {\"choices\":[{\"delta\":{\"content\":\"bro\"}}]}\n\n");
    reply.Drop();
  });
  ChatClient client = MakeClient({&server});
  std::vector<std::string> heard;
  const auto answer = client.Ask(Ask(), [&](std::string_view piece) { heard.emplace_back(piece); });
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(budget_->spent().tokens, MaxPromptTokens(Ask()) + 100 + answer->usage.answer_tokens);
  // Where the connection broke before the piece was read, there is nothing to take back.
  const std::string all = testing::PrintToString(heard);
  EXPECT_TRUE(heard.front() != "bro" || heard.at(1).empty()) << all;
  EXPECT_EQ(heard.back(), "le") << all;
}

TEST_F(ChatClientTest, ABudgetIsNeverExceededByAnyNumberOfAskers) {
  budget_ = std::make_shared<ChatBudget>(ChatSpendingLimits{.tokens = 5000});
  const ScriptedServer server(GoodEndpoint([](const ChatRequest& request) {
    ChatAnswer answer = TextAnswer("x");
    answer.usage = {.prompt_tokens = 60, .answer_tokens = request.max_tokens};
    return answer;
  }));
  ChatClient client = MakeClient({&server});
  std::atomic<int> refused = 0;
  {
    std::vector<std::jthread> askers;
    for (int k = 0; k < 8; ++k) {
      askers.emplace_back([&] {
        for (int round = 0; round < 8; ++round) {
          const auto answer = client.Ask(Ask());
          if (!answer && answer.error().code == Errc::kUnsupported) ++refused;
        }
      });
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_LE(budget_->spent().tokens, 5000);
  EXPECT_EQ(server.requests().size() * 160, static_cast<std::size_t>(budget_->spent().tokens));
  EXPECT_GT(budget_->spent().tokens, 4000);
}

TEST_F(ChatClientTest, AServerThatTellsNoUsageIsChargedTheMost) {
  const ScriptedServer server([](const ScriptedRequest&, ScriptedReply& reply) {
    reply.SendWhole(200, "application/json", R"({"choices":[{"message":{"content":"x"}}]})");
  });
  ChatClient client = MakeClient({&server});
  ASSERT_TRUE(client.Ask(Ask()));
  EXPECT_EQ(budget_->spent().tokens, MaxPromptTokens(Ask()) + 100);
}

TEST_F(ChatClientTest, TheOnlyModelOfAnEndpointNeedsNoName) {
  model_.clear();
  const ScriptedServer server(Answering("x"));
  ChatClient client = MakeClient({&server});
  ASSERT_TRUE(client.Ask(Ask()));
  EXPECT_THAT(client.name(), HasSubstr("scripted at http://127.0.0.1:"));
  EXPECT_EQ(ParseJson(server.requests().back().body, "body")->at("model"), "scripted");
  const ScriptedServer many([](const ScriptedRequest&, ScriptedReply& reply) {
    reply.SendWhole(200, "application/json", R"({"data":[{"id":"one"},{"id":"two"}]})");
  });
  ChatClient unsure = MakeClient({&many});
  const auto refused = unsure.Ask(Ask());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("several models: one, two"));
}

TEST_F(ChatClientTest, AStopEndsAnAskThatWaits) {
  const ScriptedServer server([this](const ScriptedRequest&, ScriptedReply& reply) {
    stop_.request_stop();
    reply.Hold();
  });
  ChatClient client = MakeClient({&server});
  const auto answer = client.Ask(Ask());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::kUnavailable);
  EXPECT_THAT(answer.error().message, HasSubstr("stopped"));
}

TEST_F(ChatClientTest, TheJitterIsTheSameForTheSameSeed) {
  const auto wait = [this] {
    const ScriptedServer server(Stormy(3, 503));
    ChatClient client = MakeClient({&server});
    const auto before = clock_.Now();
    EXPECT_TRUE(client.Ask(Ask()));
    return clock_.Now() - before;
  };
  EXPECT_EQ(wait(), wait());
}

}  // namespace
}  // namespace hone::agent

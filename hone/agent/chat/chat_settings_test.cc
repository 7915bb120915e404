// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/chat_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "hone/agent/chat/scripted_endpoint_for_test.h"
#include "hone/base/temp_dir.h"

namespace hone::agent {
namespace {

using testing::HasSubstr;

class ChatSettingsTest : public testing::Test {
 protected:
  std::filesystem::path Write(const std::string& name, const std::string& text) const {
    const auto file = folder_->path() / name;
    std::ofstream(file) << text;
    ::chmod(file.c_str(), 0600);
    return file;
  }

  std::string Complaint() const {
    const auto model = OpenChatModel(settings_, SystemClock());
    return model ? "" : model.error().message;
  }

  Result<TempDir> folder_ = TempDir::Make("settings");
  ChatSettings settings_{.urls = {"https://model.example"}, .key_variable = ""};
};

TEST_F(ChatSettingsTest, BudgetsAreTokensMoneyOrNone) {
  for (const auto& [text, tokens] : std::vector<std::pair<std::string, std::int64_t>>{
           {"50000", 50'000}, {"200k", 200'000}, {"1.5M", 1'500'000}, {"0.5k", 500}}) {
    ASSERT_TRUE(SetChatBudget(settings_, "--llm-budget", text)) << text;
    EXPECT_EQ(settings_.budget_tokens, tokens);
  }
  ASSERT_TRUE(SetChatBudget(settings_, "--llm-budget", "2.50eur"));
  EXPECT_EQ(settings_.budget_money, Money::Of(2.5));
  EXPECT_EQ(settings_.budget_currency, "EUR");
  EXPECT_EQ(settings_.budget_tokens, 500);  // Both hold.
  ASSERT_TRUE(SetChatBudget(settings_, "--llm-budget", "none"));
  EXPECT_EQ(settings_.budget_tokens, std::nullopt);
  EXPECT_EQ(settings_.budget_money, std::nullopt);
  for (const char* text : {"", "k", "-5", "2.5", "1.5x", "1e400", "nan", "5 euros", "0", "k5"}) {
    EXPECT_FALSE(SetChatBudget(settings_, "--llm-budget", text)) << text;
  }
}

TEST_F(ChatSettingsTest, RatesAreRequestsOrTokensAMinute) {
  ASSERT_TRUE(SetChatRate(settings_, "--llm-rate", "60rpm"));
  ASSERT_TRUE(SetChatRate(settings_, "--llm-rate", "100ktpm"));
  EXPECT_EQ(settings_.requests_per_minute, 60);
  EXPECT_EQ(settings_.tokens_per_minute, 100'000);
  ASSERT_TRUE(SetChatRate(settings_, "--llm-rate", "30"));
  EXPECT_EQ(settings_.requests_per_minute, 30);
  for (const char* text : {"", "fast", "0rpm", "1.5rpm", "5rps"}) {
    EXPECT_FALSE(SetChatRate(settings_, "--llm-rate", text)) << text;
  }
}

TEST_F(ChatSettingsTest, NoEndpointIsSaidWithWhatToDo) {
  settings_.urls.clear();
  EXPECT_THAT(Complaint(), HasSubstr("--llm URL"));
  settings_.urls = {"model.example"};
  EXPECT_THAT(Complaint(), HasSubstr("--llm: "));
}

TEST_F(ChatSettingsTest, AKeyIsNotSentInTheClearToAnotherMachine) {
  settings_.key_file = Write("key", "sk-geheim-123");
  EXPECT_EQ(Complaint(), "");
  settings_.urls = {"http://model.example"};
  EXPECT_THAT(Complaint(), HasSubstr("use https"));
  settings_.urls = {"http://127.0.0.1:8000", "http://localhost:8000"};
  EXPECT_EQ(Complaint(), "");
  settings_.key_file.clear();
  settings_.urls = {"http://model.example"};
  EXPECT_EQ(Complaint(), "");  // No key, nothing to read.
}

TEST_F(ChatSettingsTest, AVariableThatWasNamedMustBeThere) {
  settings_.key_variable = "TEST_NO_SUCH_KEY";
  EXPECT_THAT(Complaint(), HasSubstr("$TEST_NO_SUCH_KEY: it is not set"));
}

TEST_F(ChatSettingsTest, ABudgetInMoneyNeedsPricesAndAModelInThem) {
  ASSERT_TRUE(SetChatBudget(settings_, "--llm-budget", "1eur"));
  EXPECT_THAT(Complaint(), HasSubstr("--llm-prices"));
  settings_.prices_file =
      Write("prices.json", R"({"currency":"EUR","models":{"m":{"prompt":1000,"answer":1000}}})");
  EXPECT_THAT(Complaint(), HasSubstr("--llm-model"));
  settings_.model = "n";
  EXPECT_THAT(Complaint(), HasSubstr("it has: m"));
  settings_.model = "m";
  EXPECT_EQ(Complaint(), "");
  settings_.budget_currency = "USD";
  EXPECT_THAT(Complaint(), HasSubstr("it is in USD"));
}

TEST_F(ChatSettingsTest, MoneyIsSpentAndThenNoMore) {
  const ScriptedServer server(GoodEndpoint([](const ChatRequest&) {
    ChatAnswer answer = TextAnswer("x");
    answer.usage = {.prompt_tokens = 300, .answer_tokens = 100};
    return answer;
  }));
  settings_.urls = {server.url()};
  settings_.model = "m";
  settings_.prices_file =
      Write("prices.json", R"({"currency":"EUR","models":{"m":{"prompt":1000,"answer":1000}}})");
  ASSERT_TRUE(SetChatBudget(settings_, "--llm-budget", "1.5eur"));  // 1500 tokens.
  settings_.budget = OpenChatBudget(settings_).value();
  const auto model = OpenChatModel(settings_, SystemClock());
  ASSERT_TRUE(model) << model.error().message;
  const ChatRequest request{.messages = {{.text = "hi"}}, .max_tokens = 100};
  ASSERT_TRUE((*model)->Ask(request));
  ASSERT_TRUE((*model)->Ask(request));
  EXPECT_EQ(settings_.budget->Describe(), "800 of 1000000 tokens, 0.8 of 1.5 EUR");
  const auto refused = (*model)->Ask(request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kUnsupported);
  EXPECT_EQ(server.requests().size(), 2U);
}

}  // namespace
}  // namespace hone::agent

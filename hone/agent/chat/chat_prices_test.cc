// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/chat_prices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::agent {
namespace {

using testing::HasSubstr;

TEST(ChatPricesTest, PricesAreOfAMillionTokens) {
  const auto prices = ParseChatPrices(
      R"({"currency":"EUR","models":{"small":{"prompt":0.1,"answer":0.4}}})", "prices.json");
  ASSERT_TRUE(prices) << prices.error().message;
  EXPECT_EQ(prices->currency, "EUR");
  EXPECT_EQ(prices->Of("small")->prompt, Money{100'000});
  EXPECT_EQ(prices->Of("small")->Of({.prompt_tokens = 1'000'000, .answer_tokens = 2'000'000}),
            Money::Of(0.9));
  EXPECT_THAT(prices->Of("large").error().message, HasSubstr("it has: small"));
}

TEST(ChatPricesTest, MistakesAreNamed) {
  for (const auto& [text, complaint] : std::vector<std::pair<std::string, std::string>>{
           {"{", "prices.json"},
           {R"({"models":{}})", "\"currency\" is missing"},
           {R"({"currency":"euro","models":{}})", "three capital letters"},
           {R"({"currency":"EUR","models":{"a":{"prompt":-1,"answer":1}}})", "/models/a/prompt"},
           {R"({"currency":"EUR","models":{"a":{"prompt":1}}})", "answer"},
           {R"({"currency":"EUR","models":{"a":{"prompt":1,"answer":1,"cached":1}}})", "cached"}}) {
    const auto prices = ParseChatPrices(text, "prices.json");
    ASSERT_FALSE(prices) << text;
    EXPECT_THAT(prices.error().message, HasSubstr(complaint));
  }
}

}  // namespace
}  // namespace hone::agent

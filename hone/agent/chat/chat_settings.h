// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/chat/chat_budget.h"
#include "hone/agent/chat/chat_model.h"
#include "hone/agent/chat/secret_key.h"
#include "hone/base/clock.h"
#include "hone/core/result.h"

namespace hone::agent {

// The key is looked for there unless the user names another place.
inline constexpr const char* kDefaultKeyVariable = "HONE_LLM_KEY";

// Which language model to ask, and what that may cost. docs/howto/use-a-language-model.md.
struct ChatSettings {
  std::vector<std::string> urls = {};  // Of endpoints that serve the same model. Empty: no model.
  std::string model = {};              // Empty: the only one that the endpoint has.

  std::filesystem::path key_file = {};             // Goes before the variable.
  std::string key_variable = kDefaultKeyVariable;  // Not set: no key is sent.
  std::filesystem::path ca_file = {};              // Empty: the system's authorities.

  std::optional<std::int64_t> budget_tokens = 1'000'000;  // Prompts and answers; none: no limit.
  std::optional<Money> budget_money = std::nullopt;       // Needs prices and the model's name.
  std::string budget_currency = {};                       // Must be that of the prices.
  std::filesystem::path prices_file = {};

  std::optional<std::int64_t> requests_per_minute = std::nullopt;
  std::optional<std::int64_t> tokens_per_minute = std::nullopt;

  std::chrono::milliseconds timeout{600'000};       // For an answer, with all retries.
  std::chrono::milliseconds idle_timeout{180'000};  // Without a byte from the endpoint.
  int max_retries = 4;

  // For requests that name none.
  std::optional<double> temperature = std::nullopt;
  std::optional<std::uint64_t> seed = std::nullopt;

  std::uint64_t retry_seed = 1;                  // Of the jitter between retries.
  std::stop_token stop = {};                     // Ends whatever is asked or waited for.
  std::shared_ptr<ChatBudget> budget = nullptr;  // Shared with others, instead of the above.
  ChatSpending already_spent = {};               // Of that budget, before a restart.

  bool is_configured() const { return !urls.empty(); }
};

// Reads what the settings name (key, prices, authorities), but asks nobody anything yet.
// kInvalidArgument says what to change. `clock` outlives the model.
Result<std::unique_ptr<ChatModel>> OpenChatModel(const ChatSettings& settings, Clock& clock);

// The budget that OpenChatModel would make; to be put into `settings.budget` by a caller who wants
// to see what is spent, or shares it among several models.
Result<std::shared_ptr<ChatBudget>> OpenChatBudget(const ChatSettings& settings);

// What a token of the model costs; nothing where no price is known and no budget needs one.
Result<TokenPrice> PriceOfModel(const ChatSettings& settings);

// "200k", "1.5M" and "50000" are tokens, "2.50eur" is money, "none" is no limit at all.
Result<void> SetChatBudget(ChatSettings& settings, std::string_view flag, std::string_view text);

// Of a minute: "60" and "60rpm" are requests, "100ktpm" are tokens.
Result<void> SetChatRate(ChatSettings& settings, std::string_view flag, std::string_view text);

}  // namespace hone::agent

// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/chat_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

#include "hone/agent/chat/chat_client.h"
#include "hone/agent/chat/chat_prices.h"
#include "hone/agent/chat/chat_rate.h"
#include "hone/agent/chat/openai_endpoint.h"
#include "hone/base/http/http_proxies.h"
#include "hone/core/letter_case.h"

namespace hone::agent {
namespace {

constexpr double kMaxAmount = 1e12;

struct Amount {
  double number = 0;
  std::string unit;  // In small letters.
};

// "1.5M" and "2.50eur": a number and what stands behind it.
std::optional<Amount> ReadAmount(std::string_view text) {
  Amount amount;
  const auto [end, problem] =
      std::from_chars(text.data(), text.data() + text.size(), amount.number);
  if (problem != std::errc() || !(amount.number >= 0 && amount.number <= kMaxAmount)) return {};
  for (const char* letter = end; letter != text.data() + text.size(); ++letter) {
    if (*letter == ' ' && amount.unit.empty()) continue;
    amount.unit += LowerCase(*letter);
  }
  return amount;
}

// "k" and "m" in front of the unit are eaten.
std::optional<std::int64_t> CountOf(Amount& amount) {
  if (amount.unit.starts_with('k')) amount.number *= 1e3;
  if (amount.unit.starts_with('m')) amount.number *= 1e6;
  if (amount.unit.starts_with('k') || amount.unit.starts_with('m')) amount.unit.erase(0, 1);
  if (amount.number < 1 || amount.number > kMaxAmount) return std::nullopt;
  const double rounded = std::round(amount.number);
  if (std::abs(rounded - amount.number) > 1e-6) return std::nullopt;
  return static_cast<std::int64_t>(rounded);
}

bool IsCurrency(std::string_view unit) {
  return unit.size() == 3 && std::all_of(unit.begin(), unit.end(), [](char letter) {
           return letter >= 'a' && letter <= 'z';
         });
}

std::string Upper(std::string text) {
  for (char& letter : text) {
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return text;
}

Result<SecretKey> KeyOf(const ChatSettings& settings) {
  if (!settings.key_file.empty()) return SecretKey::FromFile(settings.key_file);
  auto key = SecretKey::FromVariable(settings.key_variable);
  const bool may_lack =
      settings.key_variable.empty() || settings.key_variable == kDefaultKeyVariable;
  if (!key || key->is_there() || may_lack) return key;
  return Error{Errc::kInvalidArgument,
               fmt::format("${}: it is not set, and should hold the key of the language model",
                           settings.key_variable)};
}

Result<HttpUrl> UrlOf(const std::string& text, const SecretKey& key) {
  auto url = ParseEndpointUrl(text);
  if (!url) return Error{url.error().code, "--llm: " + url.error().message};
  if (key.is_secret() && !url->is_tls && !IsLoopback(url->host)) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("--llm: {}: without https everybody on the way could read the key; "
                             "use https, or reach it through a tunnel (ssh -L)",
                             ToText(*url))};
  }
  return url;
}

Result<ChatPrices> PricesOf(const ChatSettings& settings) {
  if (!settings.prices_file.empty()) return ReadChatPrices(settings.prices_file);
  if (!settings.budget_money) return ChatPrices{};
  return Error{Errc::kInvalidArgument,
               "--llm-budget: a budget in money needs --llm-prices, a file that says what the "
               "model costs"};
}

}  // namespace

Result<void> SetChatBudget(ChatSettings& settings, std::string_view flag, std::string_view text) {
  if (text == "none") {
    settings.budget_tokens.reset();
    settings.budget_money.reset();
    return {};
  }
  auto amount = ReadAmount(text);
  if (amount && IsCurrency(amount->unit)) {
    settings.budget_money = Money::Of(amount->number);
    settings.budget_currency = Upper(amount->unit);
    return {};
  }
  const auto tokens = amount ? CountOf(*amount) : std::nullopt;
  if (!tokens || !amount->unit.empty()) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: expected tokens such as 50000, 200k or 1.5M, money such as "
                             "2.50eur, or none, found \"{:.60}\"",
                             flag, text)};
  }
  settings.budget_tokens = tokens;
  return {};
}

Result<void> SetChatRate(ChatSettings& settings, std::string_view flag, std::string_view text) {
  auto amount = ReadAmount(text);
  const auto count = amount ? CountOf(*amount) : std::nullopt;
  if (count && (amount->unit == "rpm" || amount->unit.empty())) {
    settings.requests_per_minute = count;
  } else if (count && amount->unit == "tpm") {
    settings.tokens_per_minute = count;
  } else {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: expected requests a minute such as 60rpm, or tokens a minute "
                             "such as 100ktpm, found \"{:.60}\"",
                             flag, text)};
  }
  return {};
}

Result<std::shared_ptr<ChatBudget>> OpenChatBudget(const ChatSettings& settings) {
  const auto prices = PricesOf(settings);
  if (!prices) return prices.error();
  if (settings.budget_money && settings.budget_currency != prices->currency) {
    return Error{
        Errc::kInvalidArgument,
        fmt::format("--llm-budget: it is in {}, and the prices in {} are in {}",
                    settings.budget_currency, settings.prices_file.string(), prices->currency)};
  }
  return std::make_shared<ChatBudget>(ChatSpendingLimits{.tokens = settings.budget_tokens,
                                                         .money = settings.budget_money,
                                                         .currency = prices->currency},
                                      settings.already_spent);
}

Result<TokenPrice> PriceOfModel(const ChatSettings& settings) {
  const auto prices = PricesOf(settings);
  if (!prices) return prices.error();
  const bool has_limit = settings.budget ? settings.budget->limits().money.has_value()
                                         : settings.budget_money.has_value();
  if (has_limit && settings.model.empty()) {
    return Error{Errc::kInvalidArgument,
                 "--llm-model: a budget in money needs the name of the model"};
  }
  auto price = prices->Of(settings.model);
  if (price || has_limit) return price;
  return TokenPrice{};
}

Result<std::unique_ptr<ChatModel>> OpenChatModel(const ChatSettings& settings, Clock& clock) {
  if (!settings.is_configured()) {
    return Error{Errc::kInvalidArgument,
                 "no language model is configured: name an endpoint with --llm URL or $HONE_LLM "
                 "(docs/howto/use-a-language-model.md)"};
  }
  const auto key = KeyOf(settings);
  if (!key) return key.error();
  const auto proxies = HttpProxies::FromEnvironment();
  if (!proxies) return proxies.error();
  ChatClientParts parts;
  for (const std::string& text : settings.urls) {
    auto url = UrlOf(text, *key);
    if (!url) return url.error();
    parts.endpoints.push_back(std::make_unique<OpenAiEndpoint>(
        EndpointPlace{.url = *url, .ca_file = settings.ca_file, .proxies = *proxies}, *key));
  }
  const auto budget = settings.budget ? Result<std::shared_ptr<ChatBudget>>(settings.budget)
                                      : OpenChatBudget(settings);
  if (!budget) return budget.error();
  const auto price = PriceOfModel(settings);
  if (!price) return price.error();
  parts.budget = *budget;
  parts.price = *price;
  parts.model = settings.model;
  parts.rate =
      std::make_unique<ChatRate>(settings.requests_per_minute, settings.tokens_per_minute, clock);
  parts.timeout = settings.timeout;
  parts.idle_timeout = settings.idle_timeout;
  parts.max_retries = settings.max_retries;
  parts.temperature = settings.temperature;
  parts.seed = settings.seed;
  parts.retry_seed = settings.retry_seed;
  parts.stop = settings.stop;
  return std::make_unique<ChatClient>(std::move(parts), clock);
}

}  // namespace hone::agent

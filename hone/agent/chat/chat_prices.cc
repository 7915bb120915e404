// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/chat_prices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "hone/base/file.h"
#include "hone/base/json/json.h"

namespace hone::agent {
namespace {

constexpr std::size_t kMaxPricesBytes = 1 << 20;
constexpr double kMaxPrice = 1e6;  // For a million tokens.
constexpr double kTokens = 1e6;

Money ReadPrice(JsonReader reader) {
  const double price = reader.Number();
  if (!(price >= 0 && price <= kMaxPrice)) {
    reader.Fail("expected the price of a million tokens, 0 to 1000000");
    return {};
  }
  return Money::Of(price / kTokens);
}

}  // namespace

Result<TokenPrice> ChatPrices::Of(const std::string& model) const {
  const auto found = models.find(model);
  if (found != models.end()) return found->second;
  std::string known;
  for (const auto& [name, price] : models) known += (known.empty() ? "" : ", ") + name;
  return Error{Errc::kNotFound,
               fmt::format("the prices file has no price for the model \"{:.100}\"; it has: {}",
                           model, known.empty() ? "none" : known)};
}

Result<ChatPrices> ParseChatPrices(const std::string& text, const std::string& what) {
  const auto json = ParseJson(text, what);
  if (!json) return json.error();
  JsonReader reader(*json, what);
  ChatPrices prices;
  prices.currency = reader.At("currency").String();
  const bool is_code = prices.currency.size() == 3 &&
                       std::all_of(prices.currency.begin(), prices.currency.end(),
                                   [](char letter) { return letter >= 'A' && letter <= 'Z'; });
  if (!is_code) reader.At("currency").Fail("expected three capital letters, such as EUR");
  for (auto& [name, entry] : reader.At("models").Members()) {
    prices.models[name] = {.prompt = ReadPrice(entry.At("prompt")),
                           .answer = ReadPrice(entry.At("answer"))};
    entry.RefuseOthers();
  }
  reader.RefuseOthers();
  if (auto done = reader.Finish(); !done) return done.error();
  return prices;
}

Result<ChatPrices> ReadChatPrices(const std::filesystem::path& file) {
  const auto text = ReadFile(file, kMaxPricesBytes);
  if (!text) return text.error();
  return ParseChatPrices(*text, file.string());
}

}  // namespace hone::agent

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "hone/agent/chat/chat_budget.h"
#include "hone/core/result.h"

namespace hone::agent {

// What models cost, as the user says: docs/formats/model-prices.md.
struct ChatPrices {
  std::string currency;  // "EUR"
  std::map<std::string, TokenPrice> models;

  // kNotFound names those that there are.
  Result<TokenPrice> Of(const std::string& model) const;
};

Result<ChatPrices> ReadChatPrices(const std::filesystem::path& file);
Result<ChatPrices> ParseChatPrices(const std::string& text, const std::string& what);

}  // namespace hone::agent

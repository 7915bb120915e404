// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/verbs/chat_flags.h"

#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

namespace hone::cli {
namespace {

std::string TextOrNothing(const char* text) { return text == nullptr ? "" : text; }

// The first URL on the command line takes the place of those in the environment.
Setter StoreUrl(agent::ChatSettings& settings) {
  const auto is_first = std::make_shared<bool>(true);
  return [&settings, is_first](const std::string& text) -> Result<void> {
    if (std::exchange(*is_first, false)) settings.urls.clear();
    settings.urls.push_back(text);
    return {};
  };
}

Setter StoreChatFile(std::filesystem::path& target) {
  return [&target](const std::string& text) -> Result<void> {
    target = text;
    return {};
  };
}

std::vector<Flag> PlaceFlags(agent::ChatSettings& settings) {
  return {{.names = "--llm",
           .value = "URL",
           .help = "An OpenAI-compatible endpoint (else $HONE_LLM); several take turns.",
           .set = StoreUrl(settings),
           .is_repeatable = true},
          {.names = "--llm-model",
           .value = "NAME",
           .help = "The model there (else $HONE_LLM_MODEL, else the only one it has).",
           .set = Store(settings.model)},
          {.names = "--llm-key-file",
           .value = "FILE",
           .help = "Its key, in a file that only you may read.",
           .set = StoreChatFile(settings.key_file),
           .completes = Completes::kFile},
          {.names = "--llm-key-env",
           .value = "NAME",
           .help = "Or the variable that holds the key (HONE_LLM_KEY).",
           .set = Store(settings.key_variable)},
          {.names = "--llm-ca",
           .value = "FILE",
           .help = "Who vouches for it under https (PEM), instead of the system's authorities.",
           .set = StoreChatFile(settings.ca_file),
           .completes = Completes::kFile}};
}

std::vector<Flag> SpendingFlags(agent::ChatSettings& settings) {
  return {{.names = "--llm-budget",
           .value = "AMOUNT",
           .help = "Spend at most this: 200k (tokens), 2.50eur (needs --llm-prices) or none (1M).",
           .set =
               [&settings](const std::string& text) {
                 return agent::SetChatBudget(settings, "--llm-budget", text);
               },
           .is_repeatable = true},
          {.names = "--llm-prices",
           .value = "FILE",
           .help = "What models cost; docs/formats/model-prices.md.",
           .set = StoreChatFile(settings.prices_file),
           .completes = Completes::kFile},
          {.names = "--llm-rate",
           .value = "RATE",
           .help = "Ask at most this often: 60rpm (requests a minute), 100ktpm (tokens).",
           .set =
               [&settings](const std::string& text) {
                 return agent::SetChatRate(settings, "--llm-rate", text);
               },
           .is_repeatable = true}};
}

}  // namespace

std::vector<Flag> ChatFlags(agent::ChatSettings& settings) {
  if (settings.urls.empty()) {
    std::istringstream urls(TextOrNothing(std::getenv("HONE_LLM")));
    for (std::string url; urls >> url;) settings.urls.push_back(url);
  }
  if (settings.model.empty()) settings.model = TextOrNothing(std::getenv("HONE_LLM_MODEL"));
  std::vector<Flag> flags = PlaceFlags(settings);
  for (Flag& flag : SpendingFlags(settings)) flags.push_back(std::move(flag));
  return flags;
}

}  // namespace hone::cli

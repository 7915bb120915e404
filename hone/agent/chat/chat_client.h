// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "hone/agent/chat/chat_budget.h"
#include "hone/agent/chat/chat_model.h"
#include "hone/agent/chat/chat_rate.h"
#include "hone/agent/chat/openai_endpoint.h"
#include "hone/base/clock.h"
#include "hone/core/rng.h"

namespace hone::agent {

struct ChatClientParts {
  std::vector<std::unique_ptr<OpenAiEndpoint>> endpoints;  // At least one.
  std::string model = {};                                  // Empty: the only one they have.
  std::shared_ptr<ChatBudget> budget;
  TokenPrice price = {};
  std::unique_ptr<ChatRate> rate;
  std::chrono::milliseconds timeout{600'000};
  std::chrono::milliseconds idle_timeout{180'000};
  int max_retries = 4;
  std::optional<double> temperature = std::nullopt;
  std::optional<std::uint64_t> seed = std::nullopt;
  std::uint64_t retry_seed = 1;
  std::stop_token stop = {};
};

// A model behind one or more endpoints, which take turns. One that fails rests for a while, longer
// each time (or as long as it says itself), and others take its turns; every try is reserved from
// the budget before it is made. `clock` outlives it.
class ChatClient final : public ChatModel {
 public:
  ChatClient(ChatClientParts parts, Clock& clock);

  using ChatModel::Ask;
  Result<ChatAnswer> Ask(const ChatRequest& request, const ChatListener& listener) override;
  std::string name() const override;

 private:
  struct Turn {
    Clock::Monotonic rests_until;
    int failures = 0;  // Since its last success.
  };
  struct Asking;  // What one Ask has come to.

  Result<std::string> ModelName(const Asking& asking);
  Result<std::size_t> ChooseEndpoint(const Asking& asking);
  Result<ChatAttempt> TryOnce(Asking& asking, std::size_t endpoint, const ChatListener& listener);
  void Account(const ChatAttempt& attempt, const Asking& asking,
               ChatBudget::Reservation& reservation, std::uint64_t ticket);
  void Rest(std::size_t endpoint, const ChatAttempt& attempt);
  void NoteSuccess(std::size_t endpoint);
  OpenAiEndpoint::Limits LimitsUntil(Clock::Monotonic end) const;

  ChatClientParts parts_;
  Clock& clock_;
  mutable std::mutex mutex_;
  std::vector<Turn> turns_;
  std::size_t next_ = 0;
  std::string model_;
  Rng jitter_;
};

}  // namespace hone::agent

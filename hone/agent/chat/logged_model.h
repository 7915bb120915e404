// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/chat/agent_log.h"
#include "hone/agent/chat/chat_model.h"
#include "hone/agent/chat/exchange_log.h"
#include "hone/agent/chat/recorded_model.h"
#include "hone/core/result.h"

namespace hone::agent {

// The kind of the lines that a LoggedModel writes: docs/formats/kernel-log.md.
inline constexpr std::string_view kExchangeLine = "exchange";

// What lines of a log hold, for whoever goes on with it.
struct LoggedExchanges {
  std::vector<StoredExchange> exchanges = {};
  std::string model = {};  // The name of whoever answered last.

  Result<void> Add(const Json& line, const std::string& where);
};

// Asks a model, with every exchange in a log: the whole request and the whole answer are on disk
// before the answer is used. What is recorded is not asked again. A failure is not recorded:
// whoever goes on asks anew. What is passed by reference outlives it.
class LoggedModel final : public ChatModel {
 public:
  LoggedModel(ChatModel& model, AgentLog& log, LoggedExchanges recorded = {});

  using ChatModel::Ask;
  Result<ChatAnswer> Ask(const ChatRequest& request, const ChatListener& listener) override;
  std::string name() const override;  // Of the record, as long as nobody was asked.

 private:
  ChatModel& model_;
  AgentLog& log_;
  const std::string recorded_name_;
  RecordedModel recorded_;
  std::atomic<bool> has_asked_ = false;
};

}  // namespace hone::agent

// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/logged_model.h"

#include <utility>

#include "hone/agent/chat/chat_record.h"

namespace hone::agent {

Result<void> LoggedExchanges::Add(const Json& line, const std::string& where) {
  JsonReader reader(line, where);
  StoredExchange exchange;
  exchange.position = static_cast<std::int64_t>(exchanges.size());
  exchange.request = reader.At("request").Raw();
  std::string name = reader.At("by").String();
  if (auto read = reader.Finish(); !read) return read.error();
  auto outcome = ReadChatOutcome(line, where);
  if (!outcome) return outcome.error();
  exchange.outcome = std::move(*outcome);
  model = std::move(name);
  exchanges.push_back(std::move(exchange));
  return {};
}

LoggedModel::LoggedModel(ChatModel& model, AgentLog& log, LoggedExchanges recorded)
    : model_(model),
      log_(log),
      recorded_name_(std::move(recorded.model)),
      recorded_(std::move(recorded.exchanges), "the log") {}

Result<ChatAnswer> LoggedModel::Ask(const ChatRequest& request, const ChatListener& listener) {
  if (const ChatOutcome* const outcome = recorded_.Find(request)) {
    if (outcome->answer && listener) listener(outcome->answer->message.text);
    return outcome->answer;
  }
  has_asked_ = true;
  auto answer = model_.Ask(request, listener);
  if (!answer) return answer;
  Json line = ToJson(answer);
  line["request"] = ToJson(request);
  line["by"] = model_.name();
  if (auto kept = log_.Append(kExchangeLine, std::move(line)); !kept) return kept.error();
  return answer;
}

std::string LoggedModel::name() const {
  return has_asked_ || recorded_name_.empty() ? model_.name() : recorded_name_;
}

}  // namespace hone::agent

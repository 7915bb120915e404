// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "hone/agent/chat/chat_model.h"

namespace hone::agent {

// Answers what a function says, and keeps the requests.
class ScriptedModel final : public ChatModel {
 public:
  using Script = std::function<Result<ChatAnswer>(const ChatRequest& request)>;
  explicit ScriptedModel(Script script) : script_(std::move(script)) {}

  using ChatModel::Ask;
  Result<ChatAnswer> Ask(const ChatRequest& request, const ChatListener& listener) override {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    auto answer = script_(request);
    if (answer && listener) listener(answer->message.text);
    return answer;
  }
  std::string name() const override { return "scripted"; }

  std::vector<ChatRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  Script script_;
  mutable std::mutex mutex_;
  std::vector<ChatRequest> requests_;
};

// An answer of this text. A token is four characters, as good as any other guess.
inline ChatAnswer TextAnswer(std::string text) {
  ChatAnswer answer;
  answer.usage.answer_tokens = static_cast<std::int64_t>(text.size() / 4 + 1);
  answer.message = {.role = ChatRole::kAssistant, .text = std::move(text)};
  answer.model = "scripted";
  return answer;
}

}  // namespace hone::agent

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/result.h"

namespace hone::agent {

enum class ChatRole : std::uint8_t { kSystem, kUser, kAssistant, kTool };

// That the model wants a tool to be used. All of it is the model's text: untrusted.
struct ToolCall {
  std::string id;
  std::string name;
  std::string arguments;  // JSON, if the model wrote it well.

  bool operator==(const ToolCall&) const = default;
};

struct ChatMessage {
  ChatRole role = ChatRole::kUser;
  std::string text;
  std::string reasoning = {};        // Of an assistant that shows what it thought.
  std::vector<ToolCall> calls = {};  // Of an assistant.
  std::string answered_call = {};    // Of a tool: the id of the call.

  bool operator==(const ChatMessage&) const = default;
};

// NOLINTNEXTLINE(bugprone-exception-escape): of moving a Json, which does not throw.
struct ToolDescription {
  std::string name;
  std::string description;
  Json parameters;  // A JSON Schema of an object.
};

struct ChatRequest {
  std::vector<ChatMessage> messages;
  std::vector<ToolDescription> tools = {};
  std::optional<Json> answer_schema = std::nullopt;  // The answer is JSON of this form.
  std::int64_t max_tokens = 4096;                    // Of the answer, what it thought included.
  std::optional<double> temperature = std::nullopt;  // The endpoint's own where there is none.
  std::optional<std::uint64_t> seed = std::nullopt;
  std::vector<std::string> stop = {};
};

enum class ChatEnd : std::uint8_t { kStop, kLength, kToolCalls, kFiltered };

struct ChatUsage {
  std::int64_t prompt_tokens = 0;
  std::int64_t answer_tokens = 0;     // What it thought included.
  std::int64_t reasoning_tokens = 0;  // Of those.

  bool operator==(const ChatUsage&) const = default;
};

struct ChatAnswer {
  ChatMessage message;  // Of the assistant.
  ChatEnd end = ChatEnd::kStop;
  ChatUsage usage;
  std::string model;  // As the endpoint calls it.
};

// Is told pieces of the answer's text as they come, in order, by the thread that asks. An empty
// piece takes back all before it: the answer broke off and is asked for anew.
using ChatListener = std::function<void(std::string_view piece)>;

// A language model that answers a conversation. Safe for concurrent use. What it says is untrusted.
// Implementations must pass agent/chat/chat_model_contract.h.
class ChatModel {
 public:
  virtual ~ChatModel() = default;

  // Blocks until the answer is whole. kUnavailable: no answer in spite of retries.
  // kInvalidArgument: the endpoint refuses this request. kUnsupported: a budget is spent, or it
  // cannot do this.
  virtual Result<ChatAnswer> Ask(const ChatRequest& request, const ChatListener& listener) = 0;
  Result<ChatAnswer> Ask(const ChatRequest& request) { return Ask(request, nullptr); }

  virtual std::string name() const = 0;  // For people: "qwen3-8b at http://127.0.0.1:8000".
};

}  // namespace hone::agent

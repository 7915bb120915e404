// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/chat/agent_log.h"
#include "hone/agent/chat/chat_model.h"
#include "hone/agent/chat/tool.h"
#include "hone/core/result.h"

namespace hone::agent {

// Why a walk ended.
enum class WalkEnd : std::uint8_t {
  kDone,         // Nothing is left to ask.
  kQuestions,    // As many questions as were allowed.
  kTokens,       // The tokens are spent, or the model's own budget.
  kStopped,      // By the caller.
  kModelFailed,  // It did not answer.
  kUnreadable,   // It answered many questions in a row with nothing that can be read.
  kLogEnded,     // The log was replayed to its end, and there is no model to go on with.
};
std::string_view NameOf(WalkEnd end);  // "done", "questions", …

struct TalkLimits {
  std::optional<std::int64_t> tokens = std::nullopt;  // Of prompts and answers together.
  std::int64_t answer_tokens = 4096;                  // Of one answer.
  int tool_calls = 8;                                 // For one question.
};

struct TalkCounts {
  std::int64_t exchanges = 0;
  std::int64_t tokens = 0;  // As the endpoint counts; guessed by length where it does not.
  std::int64_t tool_calls = 0;
};

// One question with its tries, as the model sees it.
// NOLINTNEXTLINE(bugprone-exception-escape): of moving a Json, which does not throw.
struct Conversation {
  Json about;  // Stands in the log beside each exchange.
  std::vector<ChatMessage> messages;
  std::size_t logged = 0;  // Messages that are in the log.
  int tool_calls = 0;      // Used in it.
};

// What a model said, with limits.
struct TalkAnswer {
  std::string text;
  bool was_cut = false;  // By the endpoint's limit or by ours.
};

// Asks a model through a log: what is recorded there is not asked again. Tools that the model wants
// are used on the way; what they return goes back to it with a limit. For one thread at a time.
class WalkTalk {
 public:
  // `model` may be null: then the log is all there is. Everything outlives this.
  WalkTalk(ChatModel* model, const std::vector<Tool>& tools, AgentLog& log, TalkLimits limits,
           std::stop_token stop);

  // The model's next answer in the conversation, which is added to it. nullopt: there is none any
  // more, end() says why. An Error is one of the log.
  Result<std::optional<TalkAnswer>> Ask(Conversation& conversation);

  WalkEnd end() const { return end_; }
  const std::string& end_reason() const { return end_reason_; }
  const TalkCounts& counts() const { return counts_; }

 private:
  Result<std::optional<ChatAnswer>> Exchange(Conversation& conversation, bool may_use_tools);
  Result<std::optional<ChatAnswer>> AskModel(const Conversation& conversation, bool may_use_tools);
  Result<void> UseTools(Conversation& conversation, const std::vector<ToolCall>& calls);
  std::string UseTool(const ToolCall& call) const;
  std::optional<ChatAnswer> End(WalkEnd end, std::string reason);

  ChatModel* model_;
  const std::vector<Tool>& tools_;
  AgentLog& log_;
  TalkLimits limits_;
  std::stop_token stop_;
  TalkCounts counts_;
  WalkEnd end_ = WalkEnd::kDone;
  std::string end_reason_;
};

}  // namespace hone::agent

// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/walk/walk_talk.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "hone/agent/chat/plain_text.h"
#include "hone/agent/walk/walk_prompt.h"
#include "hone/base/sha256.h"

namespace hone::agent {
namespace {

constexpr std::size_t kMaxAnswerBytes = 64 << 10;
constexpr std::size_t kMaxCallsInAnswer = 16;
constexpr std::size_t kMaxArgumentBytes = 8 << 10;
constexpr std::size_t kMaxToolResult = 16 << 10;
constexpr std::size_t kMaxToolName = 100;
constexpr std::int64_t kMinAnswerTokens = 64;

constexpr std::array<std::string_view, 4> kRoleNames = {"system", "user", "assistant", "tool"};
constexpr std::array<std::string_view, 4> kEndNames = {"stop", "length", "tool_calls", "filtered"};

Json CallsJson(const std::vector<ToolCall>& calls) {
  Json json = Json::array();
  for (const ToolCall& call : calls) {
    json.push_back({{"id", call.id}, {"name", call.name}, {"arguments", call.arguments}});
  }
  return json;
}

Json MessageJson(const ChatMessage& message) {
  Json json = {{"role", kRoleNames.at(static_cast<std::size_t>(message.role))},
               {"text", message.text}};
  if (!message.calls.empty()) json["calls"] = CallsJson(message.calls);
  if (!message.answered_call.empty()) json["answered_call"] = message.answered_call;
  return json;
}

std::string DigestOf(const std::vector<ChatMessage>& messages) {
  Json all = Json::array();
  for (const ChatMessage& message : messages) all.push_back(MessageJson(message));
  return Sha256Of(Dump(all));
}

// A model that says more than it should is cut here, before anything reads or keeps it.
Json AnswerJson(const ChatAnswer& answer) {
  const ChatMessage& message = answer.message;
  std::vector<ToolCall> calls;
  for (const ToolCall& call : message.calls) {
    if (calls.size() == kMaxCallsInAnswer) break;
    calls.push_back({call.id.substr(0, kMaxToolName), call.name.substr(0, kMaxToolName),
                     call.arguments.substr(0, kMaxArgumentBytes)});
  }
  return {{"text", message.text.substr(0, kMaxAnswerBytes)},
          {"bytes", message.text.size()},
          {"reasoning", message.reasoning.substr(0, kMaxAnswerBytes)},
          {"calls", CallsJson(calls)},
          {"end", kEndNames.at(static_cast<std::size_t>(answer.end))},
          {"prompt_tokens", answer.usage.prompt_tokens},
          {"answer_tokens", answer.usage.answer_tokens},
          {"model", answer.model.substr(0, 200)}};
}

Result<ChatAnswer> AnswerFrom(const Json& json, const std::string& where) {
  JsonReader reader(json, where);
  ChatAnswer answer;
  answer.message.role = ChatRole::kAssistant;
  answer.message.text = reader.At("text").String();
  const bool is_cut = reader.At("bytes").Unsigned() > kMaxAnswerBytes;
  for (JsonReader& call : reader.At("calls").Items()) {
    answer.message.calls.push_back(
        {call.At("id").String(), call.At("name").String(), call.At("arguments").String()});
  }
  answer.end = reader.At("end").String() == "length" || is_cut ? ChatEnd::kLength : ChatEnd::kStop;
  answer.usage.prompt_tokens = reader.At("prompt_tokens").Integer();
  answer.usage.answer_tokens = reader.At("answer_tokens").Integer();
  if (auto read = reader.Finish(); !read) return read.error();
  return answer;
}

// For endpoints that do not count: about as many as English text has.
std::int64_t GuessedTokens(const std::vector<ChatMessage>& messages) {
  std::size_t bytes = 0;
  for (const ChatMessage& message : messages) bytes += message.text.size() + 16;
  return static_cast<std::int64_t>(bytes / 3);
}

}  // namespace

std::string_view NameOf(WalkEnd end) {
  constexpr std::array<std::string_view, 7> kNames = {
      "done", "questions", "tokens", "stopped", "model_failed", "unreadable", "log_ended"};
  return kNames.at(static_cast<std::size_t>(end));
}

WalkTalk::WalkTalk(ChatModel* model, const std::vector<Tool>& tools, AgentLog& log,
                   TalkLimits limits, std::stop_token stop)
    : model_(model), tools_(tools), log_(log), limits_(limits), stop_(std::move(stop)) {}

std::optional<ChatAnswer> WalkTalk::End(WalkEnd end, std::string reason) {
  end_ = end;
  end_reason_ = std::move(reason);
  return std::nullopt;
}

Result<std::optional<TalkAnswer>> WalkTalk::Ask(Conversation& conversation) {
  for (;;) {
    const bool may_use_tools = !tools_.empty() && conversation.tool_calls < limits_.tool_calls;
    auto answer = Exchange(conversation, may_use_tools);
    if (!answer) return answer.error();
    if (!*answer) return std::optional<TalkAnswer>();
    ChatMessage message = std::move((*answer)->message);
    const bool wants_tools = may_use_tools && !message.calls.empty();
    if (!wants_tools) message.calls.clear();  // Nobody would answer them.
    conversation.messages.push_back(message);
    ++conversation.logged;
    if (!wants_tools) {
      return std::optional<TalkAnswer>({message.text, (*answer)->end == ChatEnd::kLength});
    }
    if (auto used = UseTools(conversation, message.calls); !used) return used.error();
  }
}

// Recorded, or asked now and recorded. Either way it is what the log holds that counts, so that a
// walk over the log sees the same bytes.
Result<std::optional<ChatAnswer>> WalkTalk::Exchange(Conversation& conversation,
                                                     bool may_use_tools) {
  const std::string digest = DigestOf(conversation.messages);
  auto recorded = log_.Next("exchange");
  if (!recorded) return recorded.error();
  std::optional<Json> record = std::move(*recorded);
  if (record && record->value("digest", "") != digest) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: something else is asked now: the tree, its configuration or this "
                             "program has changed since; give another --log",
                             log_.Where())};
  }
  if (!record) {
    const auto asked = AskModel(conversation, may_use_tools);
    if (!asked) return asked.error();
    if (!*asked) return std::optional<ChatAnswer>();
    record = conversation.about;
    (*record)["digest"] = digest;
    (*record)["answer"] = AnswerJson(**asked);
    Json messages = Json::array();
    for (std::size_t i = conversation.logged; i < conversation.messages.size(); ++i) {
      messages.push_back(MessageJson(conversation.messages[i]));
    }
    (*record)["messages"] = std::move(messages);
    if (auto kept = log_.Append("exchange", *record); !kept) return kept.error();
    record = *ParseJson(Dump(*record), "exchange");
  }
  conversation.logged = conversation.messages.size();
  auto answer = AnswerFrom(record->value("answer", Json::object()), log_.Where() + ": /answer");
  if (!answer) return answer.error();
  ++counts_.exchanges;
  const ChatUsage& usage = answer->usage;
  counts_.tokens +=
      usage.prompt_tokens > 0 ? usage.prompt_tokens : GuessedTokens(conversation.messages);
  counts_.tokens +=
      usage.answer_tokens > 0 ? usage.answer_tokens : GuessedTokens({answer->message});
  return std::optional<ChatAnswer>(std::move(*answer));
}

Result<std::optional<ChatAnswer>> WalkTalk::AskModel(const Conversation& conversation,
                                                     bool may_use_tools) {
  if (stop_.stop_requested()) return End(WalkEnd::kStopped, "stopped by the caller");
  if (model_ == nullptr) {
    return End(WalkEnd::kLogEnded, "the log ends here, and no model was given to go on with");
  }
  ChatRequest request;
  request.messages = conversation.messages;
  request.max_tokens = limits_.answer_tokens;
  if (limits_.tokens) {
    const std::int64_t left =
        *limits_.tokens - counts_.tokens - GuessedTokens(conversation.messages);
    if (left < kMinAnswerTokens) {
      return End(WalkEnd::kTokens, fmt::format("{} of {} tokens are spent, too few are left for "
                                               "another question",
                                               counts_.tokens, *limits_.tokens));
    }
    request.max_tokens = std::min(request.max_tokens, left);
  }
  if (may_use_tools) {
    for (const Tool& tool : tools_) request.tools.push_back(tool.description);
  }
  auto answer = model_->Ask(request);
  if (answer) return std::optional<ChatAnswer>(std::move(*answer));
  const Error& error = answer.error();
  if (auto kept = log_.Append("failure", {{"what", error.message}}); !kept) return kept.error();
  if (stop_.stop_requested()) return End(WalkEnd::kStopped, "stopped by the caller");
  return End(error.code == Errc::kUnsupported ? WalkEnd::kTokens : WalkEnd::kModelFailed,
             error.message);
}

Result<void> WalkTalk::UseTools(Conversation& conversation, const std::vector<ToolCall>& calls) {
  for (const ToolCall& call : calls) {
    auto recorded = log_.Next("tool");
    if (!recorded) return recorded.error();
    std::string result;
    if (*recorded) {
      result = (*recorded)->value("result", "");
    } else {
      const bool is_allowed = conversation.tool_calls < limits_.tool_calls;
      result = is_allowed ? UseTool(call) : "Not used: no more tools for this question. Answer it.";
      const Json record = {{"id", call.id}, {"name", call.name}, {"result", result}};
      if (!log_.is_read_only()) {
        if (auto kept = log_.Append("tool", record); !kept) return kept.error();
      }
      result = ParseJson(Dump(record), "tool")->value("result", "");
    }
    ++conversation.tool_calls;
    ++counts_.tool_calls;
    conversation.messages.push_back(
        {.role = ChatRole::kTool, .text = std::move(result), .answered_call = call.id});
  }
  return {};
}

std::string WalkTalk::UseTool(const ToolCall& call) const {
  const auto tool = std::find_if(tools_.begin(), tools_.end(), [&](const Tool& one) {
    return one.description.name == call.name;
  });
  if (tool == tools_.end()) return fmt::format("No such tool: {}", Quoted(call.name, 100));
  const auto arguments = ParseJson(call.arguments.empty() ? "{}" : call.arguments, "arguments");
  if (!arguments) return Quoted(arguments.error().message, 500);
  const auto result = tool->use(*arguments);
  if (!result) return Quoted("The tool failed: " + result.error().message, 1000);
  return MarkedLines(PlainText(CutText(*result, kMaxToolResult)));
}

}  // namespace hone::agent

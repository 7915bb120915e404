// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/chat_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "hone/base/sha256.h"
#include "hone/core/error_name.h"

namespace hone::agent {
namespace {

constexpr std::array<std::pair<ChatRole, std::string_view>, 4> kRoles{
    {{ChatRole::kSystem, "system"},
     {ChatRole::kUser, "user"},
     {ChatRole::kAssistant, "assistant"},
     {ChatRole::kTool, "tool"}}};

constexpr std::array<std::pair<ChatEnd, std::string_view>, 4> kEnds{
    {{ChatEnd::kStop, "stop"},
     {ChatEnd::kLength, "length"},
     {ChatEnd::kToolCalls, "tool_calls"},
     {ChatEnd::kFiltered, "filtered"}}};

constexpr std::array kCodes{Errc::kInvalidArgument, Errc::kNotFound,    Errc::kConflict,
                            Errc::kStale,           Errc::kUnavailable, Errc::kUnsupported,
                            Errc::kCorrupt};

template <typename Table, typename Value>
std::string_view WordFor(const Table& table, Value value) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [value](const auto& row) { return row.first == value; });
  return found == table.end() ? table.front().second : found->second;
}

template <typename Value, std::size_t count>
Value ReadWord(JsonReader reader,
               const std::array<std::pair<Value, std::string_view>, count>& table) {
  const std::string word = reader.String();
  for (const auto& [value, name] : table) {
    if (name == word) return value;
  }
  reader.Fail("expected another word");
  return table.front().first;
}

Json RecordOf(const ChatMessage& message) {
  Json json = {{"role", WordFor(kRoles, message.role)}, {"text", message.text}};
  if (!message.reasoning.empty()) json["reasoning"] = message.reasoning;
  if (!message.answered_call.empty()) json["answered_call"] = message.answered_call;
  for (const ToolCall& call : message.calls) {
    json["calls"].push_back({{"id", call.id}, {"name", call.name}, {"arguments", call.arguments}});
  }
  return json;
}

ChatMessage ReadMessage(JsonReader reader) {
  ChatMessage message;
  message.role = ReadWord(reader.At("role"), kRoles);
  message.text = reader.At("text").String();
  if (reader.Has("reasoning")) message.reasoning = reader.At("reasoning").String();
  if (reader.Has("answered_call")) message.answered_call = reader.At("answered_call").String();
  if (!reader.Has("calls")) return message;
  for (JsonReader& call : reader.At("calls").Items()) {
    message.calls.push_back({.id = call.At("id").String(),
                             .name = call.At("name").String(),
                             .arguments = call.At("arguments").String()});
  }
  return message;
}

ChatAnswer ReadAnswer(JsonReader reader) {
  ChatAnswer answer;
  answer.message = ReadMessage(reader.At("message"));
  answer.end = ReadWord(reader.At("end"), kEnds);
  answer.model = reader.At("model").String();
  JsonReader usage = reader.At("usage");
  answer.usage = {.prompt_tokens = usage.At("prompt_tokens").Integer(),
                  .answer_tokens = usage.At("answer_tokens").Integer(),
                  .reasoning_tokens = usage.At("reasoning_tokens").Integer()};
  return answer;
}

Error ReadError(JsonReader reader) {
  const std::string name = reader.At("code").String();
  const auto* const code =
      std::find_if(kCodes.begin(), kCodes.end(), [&](Errc one) { return NameOf(one) == name; });
  return Error{code == kCodes.end() ? Errc::kUnavailable : *code, reader.At("message").String()};
}

std::string Shown(const Json& json, const Json::json_pointer& place) {
  constexpr std::size_t kMaxShown = 80;
  if (!json.contains(place)) return "nothing";
  const std::string text = Dump(json.at(place));
  return text.size() <= kMaxShown ? text : text.substr(0, kMaxShown) + "…";
}

}  // namespace

Json ToJson(const ChatRequest& request) {
  Json json = {{"max_tokens", request.max_tokens}, {"messages", Json::array()}};
  for (const ChatMessage& message : request.messages) {
    json["messages"].push_back(RecordOf(message));
  }
  for (const ToolDescription& tool : request.tools) {
    json["tools"].push_back(
        {{"name", tool.name}, {"description", tool.description}, {"parameters", tool.parameters}});
  }
  if (request.answer_schema) json["answer_schema"] = *request.answer_schema;
  if (request.temperature) json["temperature"] = *request.temperature;
  if (request.seed) json["seed"] = *request.seed;
  if (!request.stop.empty()) json["stop"] = request.stop;
  return json;
}

Json ToJson(const Result<ChatAnswer>& outcome) {
  if (!outcome) {
    return {
        {"error", {{"code", NameOf(outcome.error().code)}, {"message", outcome.error().message}}}};
  }
  const ChatUsage& usage = outcome->usage;
  return {{"answer",
           {{"message", RecordOf(outcome->message)},
            {"end", WordFor(kEnds, outcome->end)},
            {"model", outcome->model},
            {"usage",
             {{"prompt_tokens", usage.prompt_tokens},
              {"answer_tokens", usage.answer_tokens},
              {"reasoning_tokens", usage.reasoning_tokens}}}}}};
}

Result<ChatOutcome> ReadChatOutcome(const Json& json, const std::string& what) {
  JsonReader reader(json, what);
  const bool is_error = reader.Has("error");
  ChatOutcome outcome{is_error ? Result<ChatAnswer>(ReadError(reader.At("error")))
                               : Result<ChatAnswer>(ReadAnswer(reader.At("answer")))};
  if (auto done = reader.Finish(); !done) return Error{Errc::kCorrupt, done.error().message};
  return outcome;
}

std::string DigestOfRequest(const Json& request) { return Sha256Of(Dump(request)); }

std::string FirstDifference(const Json& recorded, const Json& asked) {
  const Json changes = Json::diff(recorded, asked);
  if (changes.empty()) return "nowhere";
  const std::string path = changes.front().at("path").get<std::string>();
  // A member that was added at the end of a list is named "-".
  const Json::json_pointer place(path);
  if (path.ends_with("/-")) {
    return fmt::format("{}: more is asked now than was recorded",
                       place.parent_pointer().to_string());
  }
  return fmt::format("{}: {} was recorded, {} is asked now", path.empty() ? "/" : path,
                     Shown(recorded, place), Shown(asked, place));
}

}  // namespace hone::agent

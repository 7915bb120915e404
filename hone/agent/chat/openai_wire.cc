// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/openai_wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace hone::agent {
namespace {

constexpr std::size_t kMaxErrorText = 300;
constexpr std::int64_t kMaxTokensTold = 1'000'000'000'000;  // What says more is nonsense.
constexpr std::size_t kMaxNameBytes = 256;

std::string_view NameOf(ChatRole role) {
  switch (role) {
    case ChatRole::kSystem:
      return "system";
    case ChatRole::kUser:
      return "user";
    case ChatRole::kAssistant:
      return "assistant";
    case ChatRole::kTool:
      return "tool";
  }
  return "user";
}

Json MessageJson(const ChatMessage& message) {
  Json json = {{"role", NameOf(message.role)}, {"content", message.text}};
  if (message.role == ChatRole::kTool) json["tool_call_id"] = message.answered_call;
  if (message.calls.empty()) return json;
  if (message.text.empty()) json["content"] = nullptr;
  for (const ToolCall& call : message.calls) {
    json["tool_calls"].push_back(
        {{"id", call.id},
         {"type", "function"},
         {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
  }
  return json;
}

Json ToolJson(const ToolDescription& tool) {
  return {
      {"type", "function"},
      {"function",
       {{"name", tool.name}, {"description", tool.description}, {"parameters", tool.parameters}}}};
}

// A member that is there and not null.
const Json* Member(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::int64_t> CountIn(const Json& object, const char* name) {
  const Json* const member = Member(object, name);
  if (member == nullptr || !member->is_number()) return std::nullopt;
  const double number = member->get<double>();
  if (!(number >= 0)) return std::nullopt;
  return static_cast<std::int64_t>(std::min(number, static_cast<double>(kMaxTokensTold)));
}

// Text as a string, or as a list of parts of which those of text count.
Result<std::string> ContentText(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  if (!content.is_array()) return Error{Errc::kUnavailable, "the answer's content is not text"};
  std::string text;
  for (const Json& part : content) {
    const Json* const piece = Member(part, "text");
    if (piece != nullptr && piece->is_string()) text += piece->get<std::string>();
  }
  return text;
}

ChatEnd EndOf(const std::string& word, bool has_calls) {
  if (word == "length") return ChatEnd::kLength;
  if (word == "content_filter") return ChatEnd::kFiltered;
  return has_calls ? ChatEnd::kToolCalls : ChatEnd::kStop;
}

std::string PlainLine(std::string_view text) {
  std::string line;
  for (const char sign : text.substr(0, kMaxErrorText)) {
    const auto byte = static_cast<unsigned char>(sign);
    line += byte < ' ' || byte == 0x7f ? ' ' : sign;
  }
  if (text.size() > kMaxErrorText) line += " …";
  return Json::parse(Dump(Json(line)))
      .get<std::string>();  // Bytes that are not UTF-8 are replaced.
}

Json ResponseFormat(const Json& schema) {
  return {{"type", "json_schema"},
          {"json_schema", {{"name", "answer"}, {"strict", true}, {"schema", schema}}}};
}

void TellForm(const Json& schema, Json& messages) {
  const std::string told =
      "Answer with JSON of this form and nothing else, as a JSON schema: " + Dump(schema);
  if (!messages.empty() && messages[0]["role"] == "system") {
    messages[0]["content"] = messages[0]["content"].get<std::string>() + "\n" + told;
  } else {
    messages.insert(messages.begin(), Json{{"role", "system"}, {"content", told}});
  }
}

}  // namespace

Json RequestJson(const ChatRequest& request, const std::string& model, const WireDialect& dialect) {
  Json json = {{"model", model}, {"messages", Json::array()}, {"stream", true}};
  for (const ChatMessage& message : request.messages) {
    json["messages"].push_back(MessageJson(message));
  }
  json[dialect.says_completion_tokens ? "max_completion_tokens" : "max_tokens"] =
      request.max_tokens;
  if (dialect.asks_for_usage) json["stream_options"] = {{"include_usage", true}};
  for (const ToolDescription& tool : request.tools) json["tools"].push_back(ToolJson(tool));
  if (request.answer_schema && dialect.knows_schemas) {
    json["response_format"] = ResponseFormat(*request.answer_schema);
  } else if (request.answer_schema) {
    TellForm(*request.answer_schema, json["messages"]);
  }
  if (request.temperature) json["temperature"] = *request.temperature;
  if (request.seed) json["seed"] = *request.seed;
  if (!request.stop.empty()) json["stop"] = request.stop;
  return json;
}

std::int64_t MaxPromptTokens(const ChatRequest& request) {
  constexpr std::size_t kAroundPrompt = 512;  // A template may have a first message of its own.
  constexpr std::size_t kAroundMessage = 16;
  constexpr std::size_t kAroundTools = 1024;  // What a template says about how to call them.
  const std::size_t bytes = Dump(RequestJson(request, "", {})).size();
  const std::size_t around = kAroundPrompt + kAroundMessage * (request.messages.size() + 1) +
                             (request.tools.empty() ? 0 : kAroundTools);
  return static_cast<std::int64_t>(bytes + around);
}

std::int64_t GuessTokens(std::size_t bytes) { return static_cast<std::int64_t>(bytes / 4 + 1); }

AnswerLimits LimitsOf(const ChatRequest& request) {
  constexpr std::size_t kMinBytes = 256 << 10;
  constexpr std::size_t kMaxTextBytes = 64 << 20;
  const auto tokens =
      static_cast<std::size_t>(std::clamp<std::int64_t>(request.max_tokens, 1, 1 << 20));
  return {.text_bytes = std::min(kMinBytes + 64 * tokens, kMaxTextBytes),
          .body_bytes = std::min(4 * kMinBytes + 2048 * tokens, 4 * kMaxTextBytes)};
}

std::string AnswerBuilder::ShortName(const Json* name) const {
  if (name == nullptr || !name->is_string()) return "";
  return key_.Redact(name->get<std::string>()).substr(0, kMaxNameBytes);
}

Result<void> AnswerBuilder::Append(std::string& target, const std::string& piece) {
  text_bytes_ += piece.size();
  if (text_bytes_ > limits_.text_bytes) {
    return Error{Errc::kUnsupported,
                 fmt::format("the answer is far longer than was asked for (over {} bytes)",
                             limits_.text_bytes)};
  }
  target += piece;
  return {};
}

Result<std::string> AnswerBuilder::Take(const Json& object) {
  if (!object.is_object()) return Error{Errc::kUnavailable, "the answer is not a JSON object"};
  if (const Json* const error = ErrorOf(object)) {
    return Error{Errc::kUnavailable, "the endpoint failed: " + ErrorText(Dump(object), key_)};
  }
  if (answer_.model.empty()) answer_.model = PlainLine(ShortName(Member(object, "model")));
  if (const Json* const usage = Member(object, "usage")) TakeUsage(*usage);
  const Json* const choices = Member(object, "choices");
  if (choices == nullptr || !choices->is_array() || choices->empty()) return std::string();
  const Json& choice = choices->front();
  if (CountIn(choice, "index").value_or(0) != 0) return std::string();
  has_choice_ = true;
  const std::size_t before = answer_.message.text.size();
  const Json* message = Member(choice, "delta");
  if (message == nullptr) message = Member(choice, "message");
  if (message != nullptr) {
    if (auto taken = TakeMessage(*message); !taken) return taken.error();
  }
  if (const Json* const end = Member(choice, "finish_reason")) end_ = ShortName(end);
  return answer_.message.text.substr(before);
}

Result<void> AnswerBuilder::TakeMessage(const Json& message) {
  if (const Json* const content = Member(message, "content")) {
    const auto text = ContentText(*content);
    if (!text) return text.error();
    if (auto added = Append(answer_.message.text, *text); !added) return added;
  }
  const Json* reasoning = Member(message, "reasoning_content");
  if (reasoning == nullptr) reasoning = Member(message, "reasoning");
  if (reasoning != nullptr && reasoning->is_string()) {
    auto added = Append(answer_.message.reasoning, reasoning->get<std::string>());
    if (!added) return added;
  }
  const Json* const calls = Member(message, "tool_calls");
  return calls == nullptr ? Result<void>() : TakeCalls(*calls);
}

Result<void> AnswerBuilder::TakeCalls(const Json& calls) {
  if (!calls.is_array()) return Error{Errc::kUnavailable, "the answer's tool_calls are no list"};
  std::size_t place = 0;
  for (const Json& piece : calls) {
    const auto index = CountIn(piece, "index");
    const auto at = index ? static_cast<std::size_t>(*index) : place;
    if (auto taken = TakeCall(piece, at); !taken) return taken;
    place = at + 1;
  }
  return {};
}

Result<void> AnswerBuilder::TakeCall(const Json& piece, std::size_t place) {
  auto& calls = answer_.message.calls;
  if (place >= limits_.calls) {
    return Error{Errc::kUnsupported,
                 fmt::format("the answer calls more than {} tools", limits_.calls)};
  }
  if (place >= calls.size()) calls.resize(place + 1);
  ToolCall& call = calls[place];
  if (call.id.empty()) call.id = ShortName(Member(piece, "id"));
  const Json* const function = Member(piece, "function");
  if (function == nullptr) return {};
  if (call.name.empty()) call.name = ShortName(Member(*function, "name"));
  const Json* const arguments = Member(*function, "arguments");
  if (arguments == nullptr) return {};
  // Some servers give the object itself instead of its text.
  return Append(call.arguments,
                arguments->is_string() ? arguments->get<std::string>() : Dump(*arguments));
}

void AnswerBuilder::TakeUsage(const Json& usage) {
  const auto prompt = CountIn(usage, "prompt_tokens");
  const auto answer = CountIn(usage, "completion_tokens");
  if (!prompt || !answer) return;
  ChatUsage& told = answer_.usage;
  told.prompt_tokens = *prompt;
  // Some servers leave out what was thought, but have it in the total.
  told.answer_tokens = std::max(*answer, CountIn(usage, "total_tokens").value_or(0) - *prompt);
  const Json* const details = Member(usage, "completion_tokens_details");
  const auto thought = CountIn(details == nullptr ? usage : *details, "reasoning_tokens");
  told.reasoning_tokens = std::min(thought.value_or(0), told.answer_tokens);
  has_usage_ = true;
}

Result<ChatAnswer> AnswerBuilder::Finish(bool is_marked) {
  if (!has_choice_) return Error{Errc::kUnavailable, "the answer has no choices"};
  if (!is_marked && end_.empty()) {
    return Error{Errc::kUnavailable, "the answer ended in the middle"};
  }
  answer_.message.role = ChatRole::kAssistant;
  auto& calls = answer_.message.calls;
  std::erase_if(calls, [](const ToolCall& call) { return call.name.empty(); });
  for (std::size_t k = 0; k < calls.size(); ++k) {
    if (calls[k].id.empty()) calls[k].id = fmt::format("call-{}", k);
  }
  answer_.end = EndOf(end_, !calls.empty());
  if (!has_usage_) answer_.usage.answer_tokens = GuessTokens(text_bytes_);
  const std::string& reasoning = answer_.message.reasoning;
  if (answer_.usage.reasoning_tokens == 0 && !reasoning.empty()) {
    answer_.usage.reasoning_tokens =
        std::min(GuessTokens(reasoning.size()), answer_.usage.answer_tokens);
  }
  return std::move(answer_);
}

const Json* ErrorOf(const Json& object) { return Member(object, "error"); }

std::string ErrorText(std::string_view body, const SecretKey& key) {
  const auto json = ParseJson(body, "error");
  if (!json) return body.empty() ? "it gives no reason" : PlainLine(key.Redact(std::string(body)));
  const Json* inner = ErrorOf(*json);
  if (inner == nullptr) inner = &*json;
  for (const char* const name : {"message", "detail"}) {
    if (const Json* const text = Member(*inner, name)) inner = text;
  }
  return PlainLine(key.Redact(inner->is_string() ? inner->get<std::string>() : Dump(*inner)));
}

}  // namespace hone::agent

// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/scripted_endpoint_for_test.h"

#include <algorithm>

#include "hone/base/json/json.h"

namespace hone::agent {
namespace {

Json UsageJson(const ChatUsage& usage) {
  return {{"prompt_tokens", usage.prompt_tokens},
          {"completion_tokens", usage.answer_tokens},
          {"total_tokens", usage.prompt_tokens + usage.answer_tokens},
          {"completion_tokens_details", {{"reasoning_tokens", usage.reasoning_tokens}}}};
}

std::string EndWord(ChatEnd end) {
  switch (end) {
    case ChatEnd::kLength:
      return "length";
    case ChatEnd::kToolCalls:
      return "tool_calls";
    case ChatEnd::kFiltered:
      return "content_filter";
    case ChatEnd::kStop:
      break;
  }
  return "stop";
}

std::string EventOf(const Json& delta, const Json& end = nullptr) {
  const Json chunk = {{"id", "chatcmpl-1"},
                      {"object", "chat.completion.chunk"},
                      {"created", 1},
                      {"model", "scripted"},
                      {"choices", {{{"index", 0}, {"delta", delta}, {"finish_reason", end}}}}};
  return "data: " + Dump(chunk) + "\n\n";
}

Json CallJson(const ToolCall& call, std::size_t index, const std::string& arguments) {
  return {{"index", index},
          {"id", call.id},
          {"type", "function"},
          {"function", {{"name", call.name}, {"arguments", arguments}}}};
}

ChatMessage ReadWireMessage(const Json& json) {
  ChatMessage message;
  const std::string role = json.at("role");
  if (role == "system") message.role = ChatRole::kSystem;
  if (role == "assistant") message.role = ChatRole::kAssistant;
  if (role == "tool") message.role = ChatRole::kTool;
  if (json.at("content").is_string()) message.text = json.at("content");
  if (json.contains("tool_call_id")) message.answered_call = json.at("tool_call_id");
  for (const Json& call : json.value("tool_calls", Json::array())) {
    message.calls.push_back({.id = call.at("id"),
                             .name = call.at("function").at("name"),
                             .arguments = call.at("function").at("arguments")});
  }
  return message;
}

// Of so many bytes or a few more: JSON has no half characters.
std::vector<std::string> PiecesOf(const std::string& text, std::size_t piece_bytes) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(at + piece_bytes, text.size());
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) ++end;
    pieces.push_back(text.substr(at, end - at));
    at = end;
  }
  return pieces;
}

}  // namespace

std::string AnswerBody(const ChatAnswer& answer) {
  Json message = {{"role", "assistant"}, {"content", answer.message.text}};
  if (!answer.message.reasoning.empty()) message["reasoning_content"] = answer.message.reasoning;
  for (std::size_t k = 0; k < answer.message.calls.size(); ++k) {
    message["tool_calls"].push_back(
        CallJson(answer.message.calls[k], k, answer.message.calls[k].arguments));
  }
  return Dump(
      {{"id", "chatcmpl-1"},
       {"object", "chat.completion"},
       {"created", 1},
       {"model", answer.model},
       {"choices", {{{"index", 0}, {"message", message}, {"finish_reason", EndWord(answer.end)}}}},
       {"usage", UsageJson(answer.usage)}});
}

std::vector<std::string> AnswerEvents(const ChatAnswer& answer, std::size_t piece_bytes) {
  std::vector<std::string> events{EventOf({{"role", "assistant"}, {"content", ""}})};
  const ChatMessage& message = answer.message;
  for (const std::string& piece : PiecesOf(message.reasoning, piece_bytes)) {
    events.push_back(EventOf({{"reasoning_content", piece}}));
  }
  for (const std::string& piece : PiecesOf(message.text, piece_bytes)) {
    events.push_back(EventOf({{"content", piece}}));
  }
  for (std::size_t k = 0; k < message.calls.size(); ++k) {
    const ToolCall& call = message.calls[k];
    events.push_back(EventOf({{"content", nullptr}, {"tool_calls", {CallJson(call, k, "")}}}));
    for (const std::string& part : PiecesOf(call.arguments, piece_bytes)) {
      const Json piece = {{"index", k}, {"function", {{"arguments", part}}}};
      events.push_back(EventOf({{"tool_calls", {piece}}}));
    }
  }
  events.push_back(EventOf(Json::object(), EndWord(answer.end)));
  events.push_back(
      "data: " + Dump({{"choices", Json::array()}, {"usage", UsageJson(answer.usage)}}) + "\n\n");
  return events;
}

void StreamAnswer(ScriptedReply& reply, const ChatAnswer& answer, std::size_t piece_bytes) {
  reply.SendChunkedHead("text/event-stream; charset=utf-8");
  for (const std::string& event : AnswerEvents(answer, piece_bytes)) reply.SendChunk(event);
  reply.SendChunk("data: [DONE]\n\n");
  reply.SendChunk("");
}

void RefuseAsked(ScriptedReply& reply, int status, const std::string& message,
                 const std::string& more_headers) {
  const Json error = {{"message", message}, {"type", "error"}, {"code", nullptr}};
  reply.SendWhole(status, "application/json", Dump({{"error", error}}), more_headers);
}

ChatRequest ReadWireRequest(const std::string& body) {
  const Json json = ParseJson(body, "request").value();
  ChatRequest request;
  for (const Json& message : json.at("messages")) {
    request.messages.push_back(ReadWireMessage(message));
  }
  for (const Json& tool : json.value("tools", Json::array())) {
    const Json& function = tool.at("function");
    request.tools.push_back({.name = function.at("name"),
                             .description = function.at("description"),
                             .parameters = function.at("parameters")});
  }
  request.max_tokens =
      json.at(json.contains("max_tokens") ? "max_tokens" : "max_completion_tokens");
  return request;
}

HttpScript GoodEndpoint(ScriptedModel::Script script) {
  return [script = std::move(script)](const ScriptedRequest& request, ScriptedReply& reply) {
    if (request.target == "/v1/models") {
      return reply.SendWhole(200, "application/json",
                             R"({"object":"list","data":[{"id":"scripted","object":"model"}]})");
    }
    if (request.target != "/v1/chat/completions") return RefuseAsked(reply, 404, "not here");
    const auto answer = script(ReadWireRequest(request.body));
    if (answer) return StreamAnswer(reply, *answer);
    const bool is_refusal = answer.error().code == Errc::kInvalidArgument;
    RefuseAsked(reply, is_refusal ? 400 : 500, answer.error().message);
  };
}

}  // namespace hone::agent

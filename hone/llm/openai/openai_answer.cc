// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/openai/openai_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace hone::llm {
namespace {

std::string Event(const Json& data) { return fmt::format("data: {}\n\n", Dump(data)); }

Json BytesJson(std::string_view bytes) {
  Json list = Json::array();
  for (const char byte : bytes) list.push_back(static_cast<unsigned char>(byte));
  return list;
}

}  // namespace

OpenAiChoice::OpenAiChoice(const TextModel& model, const OpenAiRequest& request)
    : stop_ids_(request.generation.stop_ids),
      stream_(model.tokenizer()),
      stop_(request.stop),
      tools_(request.has_tools) {}

OpenAiChoice::Piece OpenAiChoice::Add(const GenerationEvent& event) {
  Piece piece;
  if (is_finished()) return piece;
  for (const SampledToken& token : event.tokens) {
    tokens_.push_back(token);
    piece.tokens.push_back(token);
    const bool is_stop = std::find(stop_ids_.begin(), stop_ids_.end(), token.id) != stop_ids_.end();
    if (!is_stop) piece.text += tools_.Add(stop_.Add(stream_.Add(token.id)));
    if (stop_.has_stopped()) break;
  }
  if (stop_.has_stopped()) {
    Finish(FinishReason::kStop, piece);
  } else if (event.finish) {
    Finish(*event.finish, piece);
  }
  text_ += piece.text;
  return piece;
}

void OpenAiChoice::Finish(FinishReason reason, Piece& piece) {
  if (!stop_.has_stopped()) {
    piece.text += tools_.Add(stop_.Add(stream_.Finish()));
    piece.text += tools_.Add(stop_.Finish());
  }
  piece.text += tools_.Finish();
  static constexpr std::array<const char*, 3> kNames = {"stop", "length", "stop"};
  finish_ = kNames[static_cast<std::size_t>(reason)];
  if (!tools_.calls().empty()) finish_ = "tool_calls";
}

OpenAiAnswer::OpenAiAnswer(const TextModel& model, OpenAiRequest request, std::string id,
                           std::int64_t created)
    : model_(model), request_(std::move(request)), id_(std::move(id)), created_(created) {
  const auto count =
      request_.prompts.size() * static_cast<std::size_t>(request_.generation.samples);
  for (std::size_t i = 0; i < count; ++i) choices_.emplace_back(model_, request_);
  unfinished_ = count;
}

std::size_t OpenAiAnswer::IndexOf(std::size_t prompt, int sample) const {
  return prompt * static_cast<std::size_t>(request_.generation.samples) +
         static_cast<std::size_t>(sample);
}

bool OpenAiAnswer::IsFinished(std::size_t prompt) const {
  for (int i = 0; i < request_.generation.samples; ++i) {
    if (!choices_[IndexOf(prompt, i)].is_finished()) return false;
  }
  return true;
}

std::string OpenAiAnswer::Add(std::size_t prompt, const GenerationEvent& event) {
  if (prompt >= request_.prompts.size() || event.sample >= request_.generation.samples) return "";
  const std::size_t index = IndexOf(prompt, event.sample);
  OpenAiChoice& choice = choices_[index];
  if (choice.is_finished()) return "";
  const OpenAiChoice::Piece piece = choice.Add(event);
  if (choice.is_finished()) --unfinished_;
  if (!request_.is_stream) return "";
  return PieceText(index, piece) + (choice.is_finished() ? LastPieces(index) : "");
}

Json OpenAiAnswer::Frame(bool is_chunk) const {
  const char* object = request_.is_chat ? (is_chunk ? "chat.completion.chunk" : "chat.completion")
                                        : "text_completion";
  return {{"id", id_}, {"object", object}, {"created", created_}, {"model", model_.name()}};
}

std::string OpenAiAnswer::Chunk(Json choice) const {
  Json frame = Frame(true);
  if (!choice.contains("finish_reason")) choice["finish_reason"] = nullptr;
  if (!choice.contains("logprobs")) choice["logprobs"] = nullptr;
  frame["choices"] = Json::array({std::move(choice)});
  return Event(frame);
}

std::string OpenAiAnswer::StreamBegin() const {
  if (!request_.is_chat) return "";
  std::string text;
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    Json choice = {{"index", i}, {"delta", {{"role", "assistant"}, {"content", ""}}}};
    if (request_.returns_ids && i == 0) choice["prompt_token_ids"] = request_.prompts[0];
    text += Chunk(std::move(choice));
  }
  return text;
}

std::string OpenAiAnswer::PieceText(std::size_t index, const OpenAiChoice::Piece& piece) const {
  const bool tells_tokens = request_.wants_logprobs || request_.returns_ids;
  if (piece.text.empty() && (!tells_tokens || piece.tokens.empty())) return "";
  Json choice = {{"index", index}};
  if (request_.is_chat) {
    choice["delta"] = {{"content", piece.text}};
  } else {
    choice["text"] = piece.text;
  }
  if (request_.wants_logprobs) {
    choice["logprobs"] = request_.is_chat ? ChatLogProbs(piece.tokens) : TextLogProbs(piece.tokens);
  }
  if (request_.returns_ids) {
    Json ids = Json::array();
    for (const SampledToken& token : piece.tokens) ids.push_back(token.id);
    choice["token_ids"] = std::move(ids);
  }
  return Chunk(std::move(choice));
}

Json OpenAiAnswer::CallsJson(std::size_t index) const {
  Json calls = Json::array();
  for (const ToolCall& call : choices_[index].calls()) {
    calls.push_back({{"id", fmt::format("call_{}_{}_{}", id_, index, calls.size())},
                     {"type", "function"},
                     {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
  }
  return calls;
}

std::string OpenAiAnswer::LastPieces(std::size_t index) const {
  std::string text;
  Json calls = CallsJson(index);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls[i]["index"] = i;
    text += Chunk({{"index", index}, {"delta", {{"tool_calls", Json::array({calls[i]})}}}});
  }
  Json last = {{"index", index}, {"finish_reason", choices_[index].finish()}};
  if (request_.is_chat) {
    last["delta"] = Json::object();
  } else {
    last["text"] = "";
  }
  return text + Chunk(std::move(last));
}

std::string OpenAiAnswer::StreamEnd() const {
  std::string text;
  if (request_.includes_usage) {
    Json frame = Frame(true);
    frame["choices"] = Json::array();
    frame["usage"] = Usage();
    text = Event(frame);
  }
  return text + "data: [DONE]\n\n";
}

Json OpenAiAnswer::ChatLogProbs(const std::vector<SampledToken>& tokens) const {
  const Tokenizer& tokenizer = model_.tokenizer();
  const auto entry = [&](TokenId id, float log) -> Json {
    return {{"token", tokenizer.Decode(std::array<TokenId, 1>{id}, false)},
            {"logprob", log},
            {"bytes", BytesJson(tokenizer.BytesOf(id))}};
  };
  Json content = Json::array();
  for (const SampledToken& token : tokens) {
    Json item = entry(token.id, token.log_probability);
    Json top = Json::array();
    for (const auto& [id, log] : token.top) top.push_back(entry(id, log));
    item["top_logprobs"] = std::move(top);
    content.push_back(std::move(item));
  }
  return {{"content", std::move(content)}, {"refusal", nullptr}};
}

Json OpenAiAnswer::TextLogProbs(const std::vector<SampledToken>& tokens) const {
  const Tokenizer& tokenizer = model_.tokenizer();
  Json texts = Json::array();
  Json logs = Json::array();
  Json tops = Json::array();
  Json offsets = Json::array();
  std::size_t offset = 0;
  for (const SampledToken& token : tokens) {
    const std::string text = tokenizer.Decode(std::array<TokenId, 1>{token.id}, false);
    texts.push_back(text);
    logs.push_back(token.log_probability);
    Json top = Json::object();
    for (const auto& [id, log] : token.top) {
      top[tokenizer.Decode(std::array<TokenId, 1>{id}, false)] = log;
    }
    tops.push_back(std::move(top));
    offsets.push_back(offset);
    offset += text.size();
  }
  return {{"tokens", texts},
          {"token_logprobs", logs},
          {"top_logprobs", tops},
          {"text_offset", offsets}};
}

Json OpenAiAnswer::WholeChoice(std::size_t index) const {
  const OpenAiChoice& choice = choices_[index];
  Json json = {{"index", index}, {"finish_reason", choice.finish()}, {"logprobs", nullptr}};
  if (request_.is_chat) {
    Json message = {{"role", "assistant"}, {"content", choice.text()}, {"refusal", nullptr}};
    if (!choice.calls().empty()) {
      message["tool_calls"] = CallsJson(index);
      if (choice.text().empty()) message["content"] = nullptr;
    }
    json["message"] = std::move(message);
  } else {
    json["text"] = choice.text();
  }
  if (request_.wants_logprobs) {
    json["logprobs"] =
        request_.is_chat ? ChatLogProbs(choice.tokens()) : TextLogProbs(choice.tokens());
  }
  if (request_.returns_ids) {
    Json ids = Json::array();
    for (const SampledToken& token : choice.tokens()) ids.push_back(token.id);
    json["token_ids"] = std::move(ids);
    if (!request_.is_chat) {
      json["prompt_token_ids"] =
          request_.prompts[index / static_cast<std::size_t>(request_.generation.samples)];
    }
  }
  return json;
}

Json OpenAiAnswer::Usage() const {
  std::size_t prompt = 0;
  std::size_t completion = 0;
  for (const auto& ids : request_.prompts) prompt += ids.size();
  for (const OpenAiChoice& choice : choices_) completion += choice.tokens().size();
  return {{"prompt_tokens", prompt},
          {"completion_tokens", completion},
          {"total_tokens", prompt + completion}};
}

Json OpenAiAnswer::Whole() const {
  Json json = Frame(false);
  Json choices = Json::array();
  for (std::size_t i = 0; i < choices_.size(); ++i) choices.push_back(WholeChoice(i));
  json["choices"] = std::move(choices);
  json["usage"] = Usage();
  if (request_.returns_ids && request_.is_chat) json["prompt_token_ids"] = request_.prompts[0];
  return json;
}

}  // namespace hone::llm

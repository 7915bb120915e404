// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/openai/text_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "hone/base/file.h"

namespace hone::llm {
namespace {

// Parts a word of markup in text that is none. It is no character, so no text has it.
constexpr std::string_view kMark = "\xF4\x8F\xBF\xBE";

// Tokens with a meaning that tokenizers do not call special.
constexpr std::array<std::string_view, 6> kTurnWords = {
    "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>"};

void EraseAll(std::string& text, std::string_view what) {
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at)) {
    text.erase(at, what.size());
  }
}

Result<OrderedJson> ReadSpecialTokens(const std::filesystem::path& folder) {
  OrderedJson special = OrderedJson::object();
  const auto file = folder / "tokenizer_config.json";
  std::error_code problem;
  if (!std::filesystem::exists(file, problem)) return special;
  const auto text = ReadRegularFile(file, 64 << 20);
  if (!text) return text.error();
  const auto json = ParseJson(*text, file.string());
  if (!json) return json.error();
  for (const char* name : {"bos_token", "eos_token", "pad_token", "unk_token"}) {
    const auto found = json->find(name);
    if (found == json->end()) continue;
    if (found->is_string()) special[name] = found->get<std::string>();
    if (found->is_object() && found->contains("content") && (*found)["content"].is_string()) {
      special[name] = (*found)["content"].get<std::string>();
    }
  }
  return special;
}

}  // namespace

TextModel::TextModel(std::string name, Tokenizer tokenizer)
    : name_(std::move(name)), tokenizer_(std::move(tokenizer)) {
  for (std::size_t id = 0; id < tokenizer_.vocab_size(); ++id) {
    const auto token = static_cast<TokenId>(id);
    if (tokenizer_.IsSpecial(token) && !tokenizer_.BytesOf(token).empty()) {
      markup_.emplace_back(tokenizer_.BytesOf(token));
    }
  }
}

Result<std::unique_ptr<TextModel>> TextModel::Open(const std::filesystem::path& folder,
                                                   std::string name) {
  auto tokenizer = Tokenizer::Read(folder / "tokenizer.json");
  if (!tokenizer) return tokenizer.error();
  auto model = std::unique_ptr<TextModel>(new TextModel(std::move(name), std::move(*tokenizer)));
  auto config = ReadModelConfig(folder);
  if (!config) return config.error();
  model->config_ = std::move(*config);
  auto generation = ReadGenerationConfig(folder);
  if (!generation) return generation.error();
  model->generation_ = std::move(*generation);
  auto special = ReadSpecialTokens(folder);
  if (!special) return special.error();
  model->special_ = std::move(*special);
  auto chat = ChatTemplate::Read(folder);
  if (!chat && chat.error().code != Errc::kNotFound) return chat.error();
  if (chat) model->chat_ = std::move(*chat);
  return model;
}

std::vector<TokenId> TextModel::stop_ids() const {
  std::vector<TokenId> ids;
  for (const std::int64_t id : config_.eos_token_ids) ids.push_back(static_cast<TokenId>(id));
  return ids;
}

void TextModel::Defuse(OrderedJson& value) const {
  if (value.is_structured()) {
    for (OrderedJson& part : value) Defuse(part);
    return;
  }
  if (!value.is_string()) return;
  auto& text = value.get_ref<std::string&>();
  EraseAll(text, kMark);
  for (const std::string& word : markup_) {
    for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
      text.insert(at + 1, kMark);
    }
  }
}

Result<std::vector<TokenId>> TextModel::EncodeChat(OrderedJson context) const {
  if (!chat_) {
    return Error{
        Errc::kUnsupported,
        fmt::format("{} has no chat template; /v1/completions continues plain text", name_)};
  }
  Defuse(context);
  for (OrderedJson& message : context["messages"]) {
    // A model's own turns may have its words, others' may not.
    if (!message.is_object() || message.value("role", "") == "assistant") continue;
    if (!message.contains("content") || !message["content"].is_string()) continue;
    auto& text = message["content"].get_ref<std::string&>();
    for (const std::string_view word : kTurnWords) {
      for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        text.insert(at + 1, kMark);
      }
    }
  }
  for (const auto& [name, value] : special_.items()) {
    if (!context.contains(name)) context[name] = value;
  }
  if (!context.contains("add_generation_prompt")) context["add_generation_prompt"] = true;
  const auto rendered = chat_->Render(context);
  if (!rendered) return rendered.error();
  std::vector<TokenId> ids;
  std::string_view rest = *rendered;
  while (true) {
    const auto mark = std::min(rest.find(kMark), rest.size());
    const auto part = tokenizer_.Encode(rest.substr(0, mark), {.special_in_text = true});
    ids.insert(ids.end(), part.begin(), part.end());
    if (mark == rest.size()) return ids;
    rest.remove_prefix(mark + kMark.size());
  }
}

std::vector<TokenId> TextModel::EncodeText(std::string_view text) const {
  return tokenizer_.Encode(text, {.with_special = true, .special_in_text = true});
}

}  // namespace hone::llm

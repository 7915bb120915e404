// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/openai/text_model.h"

#include <fmt/format.h>

#include <utility>

#include "hone/base/file.h"
#include "hone/llm/text/chat_prompt.h"

namespace hone::llm {
namespace {

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
    : name_(std::move(name)), tokenizer_(std::move(tokenizer)) {}

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

Result<std::vector<TokenId>> TextModel::EncodeChat(const OrderedJson& given) const {
  if (!chat_) {
    return Error{
        Errc::kUnsupported,
        fmt::format("{} has no chat template; /v1/completions continues plain text", name_)};
  }
  OrderedJson context = OrderedJson::object();
  for (const auto& [name, value] : given.items()) {
    if (!name.ends_with("_token")) context[name] = value;  // Those are markup: only ours count.
  }
  for (const auto& [name, value] : special_.items()) context[name] = value;
  if (!context.contains("add_generation_prompt")) context["add_generation_prompt"] = true;
  return llm::EncodeChat(tokenizer_, *chat_, context);
}

std::vector<TokenId> TextModel::EncodeText(std::string_view text) const {
  return tokenizer_.Encode(text, {.with_special = true, .special_in_text = true});
}

}  // namespace hone::llm

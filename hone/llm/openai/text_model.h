// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/json/ordered_json.h"
#include "hone/core/result.h"
#include "hone/llm/files/model_config.h"
#include "hone/llm/serve/engine_words.h"
#include "hone/llm/text/chat_template.h"
#include "hone/llm/text/tokenizer.h"

namespace hone::llm {

// What turns a model's ids into text and conversations into ids; no weights. Safe for concurrent
// use.
class TextModel {
 public:
  // From a model's folder. Without a chat template conversations are an Error, and texts work.
  static Result<std::unique_ptr<TextModel>> Open(const std::filesystem::path& folder,
                                                 std::string name);

  const std::string& name() const { return name_; }
  const Tokenizer& tokenizer() const { return tokenizer_; }
  const GenerationConfig& generation() const { return generation_; }
  std::vector<TokenId> stop_ids() const;

  // `context` has messages and perhaps tools and variables of the template. What is in it is never
  // read as markup of the template or of the model: a user who writes the token that ends a turn
  // has written its letters.
  Result<std::vector<TokenId>> EncodeChat(const OrderedJson& context) const;
  std::vector<TokenId> EncodeText(std::string_view text) const;

 private:
  TextModel(std::string name, Tokenizer tokenizer);

  std::string name_;
  Tokenizer tokenizer_;
  std::optional<ChatTemplate> chat_;
  ModelConfig config_;
  GenerationConfig generation_;
  OrderedJson special_;  // bos_token and the like, by name.
};

}  // namespace hone::llm

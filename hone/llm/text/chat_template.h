// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "hone/base/json/json.h"
#include "hone/base/json/ordered_json.h"
#include "hone/core/result.h"
#include "hone/llm/text/template_meter.h"

namespace hone::llm {

// A chat template: the part of Jinja2 that templates of Qwen and Llama use, rendered to the same
// bytes as transformers renders them. The values of a context are data: nothing in them is read as
// a template. Safe for concurrent use.
class ChatTemplate {
 public:
  // What is not supported is an Error with its line.
  static Result<ChatTemplate> Parse(std::string_view source);

  // Of a model's folder: chat_template.jinja, else the member chat_template of
  // tokenizer_config.json. kNotFound if there is neither.
  static Result<ChatTemplate> Read(const std::filesystem::path& folder);

  ChatTemplate(ChatTemplate&&) noexcept;
  ChatTemplate& operator=(ChatTemplate&&) noexcept;
  ~ChatTemplate();

  // With the members of the object as variables: messages, tools, add_generation_prompt, bos_token…
  // The order of an object's members shows where a template writes it as JSON, hence the second.
  Result<std::string> Render(const Json& context, TemplateLimits limits = {}) const;
  Result<std::string> Render(const OrderedJson& context, TemplateLimits limits = {}) const;

 private:
  struct Parts;
  explicit ChatTemplate(std::unique_ptr<const Parts> parts);

  std::unique_ptr<const Parts> parts_;
};

}  // namespace hone::llm

// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/text/chat_template.h"

#include <fmt/format.h>

#include <utility>

#include "hone/base/file.h"
#include "hone/llm/text/template_parser.h"
#include "hone/llm/text/template_run.h"

namespace hone::llm {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxTemplateFile = 4 << 20;
constexpr std::size_t kMaxTokenizerConfig = 64 << 20;

Error InTemplate(Error fault) {
  fault.message = fmt::format("chat template: {}", fault.message);
  return fault;
}

// The one named "default" of several.
std::optional<std::string> SourceIn(const Json& member) {
  if (member.is_string()) return member.get<std::string>();
  if (!member.is_array()) return std::nullopt;
  for (const Json& entry : member) {
    if (entry.is_object() && entry.value("name", Json()) == "default" &&
        entry.contains("template") && entry["template"].is_string()) {
      return entry["template"].get<std::string>();
    }
  }
  return std::nullopt;
}

template <typename Document>
Result<std::string> RenderDocument(const StatementList& statements, const Document& context,
                                   TemplateLimits limits) {
  if (!context.is_object()) {
    return Error{Errc::kInvalidArgument, "chat template: the context is to be an object"};
  }
  const auto variables = TemplateValueOf(context, limits.depth);
  if (!variables) {
    return Error{Errc::kInvalidArgument,
                 "chat template: the context is nested too deep, or has a number over 64 bits"};
  }
  return TemplateRun(*variables->dict(), limits).Render(statements);
}

}  // namespace

struct ChatTemplate::Parts {
  StatementList statements;
};

ChatTemplate::ChatTemplate(std::unique_ptr<const Parts> parts) : parts_(std::move(parts)) {}
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;
ChatTemplate::~ChatTemplate() = default;

Result<ChatTemplate> ChatTemplate::Parse(std::string_view source) {
  auto statements = ParseTemplate(source);
  if (!statements) return InTemplate(statements.error());
  return ChatTemplate(std::make_unique<const Parts>(Parts{std::move(*statements)}));
}

Result<ChatTemplate> ChatTemplate::Read(const fs::path& folder) {
  const auto own = ReadFile(folder / "chat_template.jinja", kMaxTemplateFile);
  if (own) return Parse(*own);
  if (own.error().code != Errc::kNotFound) return own.error();
  const fs::path path = folder / "tokenizer_config.json";
  const auto text = ReadFile(path, kMaxTokenizerConfig);
  if (!text) return text.error();
  const auto json = ParseJson(*text, path.native(), {.bytes = kMaxTokenizerConfig});
  if (!json) return json.error();
  const bool has_member = json->is_object() && json->contains("chat_template");
  const auto source = has_member ? SourceIn((*json)["chat_template"]) : std::nullopt;
  if (!source) {
    return Error{Errc::kNotFound,
                 fmt::format("{}: no chat template: neither chat_template.jinja nor a "
                             "chat_template in tokenizer_config.json is there",
                             folder.native())};
  }
  return Parse(*source);
}

Result<std::string> ChatTemplate::Render(const Json& context, TemplateLimits limits) const {
  return RenderDocument(parts_->statements, context, limits);
}

Result<std::string> ChatTemplate::Render(const OrderedJson& context, TemplateLimits limits) const {
  return RenderDocument(parts_->statements, context, limits);
}

}  // namespace hone::llm

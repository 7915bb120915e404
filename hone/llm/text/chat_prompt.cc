// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/text/chat_prompt.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "hone/llm/text/unicode.h"

namespace hone::llm {
namespace {

// Characters that Unicode keeps for the inside of programs.
constexpr char32_t kFirstMark = 0xfdd0;
constexpr char32_t kLastMark = 0xfdef;

// Visits every text of a document but those that the tokenizer itself gave: the template writes
// bos_token and the like as markup.
template <typename Visit>
void VisitTexts(OrderedJson& json, const Visit& visit) {
  if (json.is_string()) {
    visit(json.get_ref<std::string&>());
  } else if (json.is_structured()) {
    for (OrderedJson& item : json) VisitTexts(item, visit);
  }
}

bool IsMarkup(std::string_view key) { return key.ends_with("_token"); }

template <typename Visit>
void VisitUserTexts(OrderedJson& context, const Visit& visit) {
  for (auto& [key, member] : context.items()) {
    if (!IsMarkup(key)) VisitTexts(member, visit);
  }
}

std::string CharacterText(char32_t character) {
  std::string text;
  AppendCharacter(text, character);
  return text;
}

// A mark that is nowhere in the context.
Result<std::string> FreeMark(OrderedJson& context) {
  for (char32_t mark = kFirstMark; mark <= kLastMark; ++mark) {
    const std::string text = CharacterText(mark);
    bool is_used = false;
    VisitUserTexts(context, [&](const std::string& found) {
      is_used = is_used || found.find(text) != found.npos;
    });
    if (!is_used) return text;
  }
  return Error{Errc::kInvalidArgument, "chat: the messages have every noncharacter of U+FDD0 on"};
}

// Behind the first byte of each special token that the text has, so that none is found in it.
void Break(std::string& text, const std::vector<std::string>& tokens, const std::string& mark) {
  for (const std::string& token : tokens) {
    const std::size_t first = std::max<std::size_t>(1, CharacterBytes(token));
    if (first >= token.size()) continue;
    for (std::size_t at = 0; (at = text.find(token, at)) != text.npos;) {
      text.insert(at + first, mark);
      at += first;
    }
  }
}

}  // namespace

Result<std::vector<std::int32_t>> EncodeChat(const Tokenizer& tokenizer,
                                             const ChatTemplate& chat_template,
                                             const OrderedJson& context) {
  OrderedJson marked = context;
  if (!marked.is_object()) {
    return Error{Errc::kInvalidArgument, "chat: the context is to be an object"};
  }
  const auto mark = FreeMark(marked);
  if (!mark) return mark.error();
  const std::vector<std::string> tokens = tokenizer.SpecialTokens();
  VisitUserTexts(marked, [&](std::string& text) { Break(text, tokens, *mark); });
  const auto text = chat_template.Render(marked);
  if (!text) return text.error();
  return tokenizer.Encode(*text, EncodeOptions{.special_in_text = true, .ignored = *mark});
}

}  // namespace hone::llm

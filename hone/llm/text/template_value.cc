// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/text/template_value.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <limits>

#include "hone/llm/text/unicode.h"

namespace hone::llm {
namespace {

std::string RealText(double number) {
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".en") == text.npos) text += ".0";
  return text;
}

bool IsPrintable(char32_t character) {
  if (character == ' ') return true;
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(character));
  switch (category) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_ZS:
      return false;
    default:
      return true;
  }
}

std::string EscapedCharacter(char32_t character) {
  const auto number = static_cast<std::uint32_t>(character);
  if (number < 0x100) return fmt::format("\\x{:02x}", number);
  return number < 0x10000 ? fmt::format("\\u{:04x}", number) : fmt::format("\\U{:08x}", number);
}

// In single quotes, unless there are such inside and no double ones.
std::string TextRepr(std::string_view text) {
  const bool is_double = text.find('\'') != text.npos && text.find('"') == text.npos;
  const char quote = is_double ? '"' : '\'';
  std::string result(1, quote);
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(1, CharacterBytes(text));
    const char32_t character = CharacterAt(text);
    if (character == static_cast<char32_t>(quote) || character == '\\') {
      result += '\\';
      result += static_cast<char>(character);
    } else if (character == '\n') {
      result += "\\n";
    } else if (character == '\r') {
      result += "\\r";
    } else if (character == '\t') {
      result += "\\t";
    } else if (IsPrintable(character)) {
      result += text.substr(0, length);
    } else {
      result += EscapedCharacter(character);
    }
    text.remove_prefix(length);
  }
  return result + quote;
}

std::string ListRepr(const TemplateList& list) {
  std::string text = list.is_tuple ? "(" : "[";
  for (std::size_t k = 0; k < list.items.size(); ++k) {
    if (k > 0) text += ", ";
    text += ReprOf(list.items[k]);
  }
  if (list.is_tuple && list.items.size() == 1) text += ',';
  return text + (list.is_tuple ? ")" : "]");
}

std::string DictRepr(const TemplateDict& dict) {
  std::string text = "{";
  for (const auto& [key, value] : dict.members()) {
    if (text.size() > 1) text += ", ";
    text += TextRepr(key) + ": " + ReprOf(value);
  }
  return text + "}";
}

template <typename Document>
std::optional<TemplateValue> ValueOfDocument(const Document& json, std::size_t depth) {
  if (depth == 0) return std::nullopt;
  if (json.is_null()) return TemplateValue(TemplateValue::None{});
  if (json.is_boolean()) return TemplateValue(json.template get<bool>());
  if (json.is_number_unsigned() && json.template get<std::uint64_t>() >
                                       std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    return std::nullopt;
  }
  if (json.is_number_integer()) return TemplateValue(json.template get<std::int64_t>());
  if (json.is_number_float()) return TemplateValue(json.template get<double>());
  if (json.is_string()) {
    return TemplateValue(ValidUtf8(json.template get_ref<const std::string&>()));
  }
  if (json.is_array()) {
    TemplateList list;
    for (const auto& item : json) {
      auto value = ValueOfDocument(item, depth - 1);
      if (!value) return std::nullopt;
      list.items.push_back(std::move(*value));
    }
    return TemplateValue(std::move(list));
  }
  TemplateDict dict;
  for (const auto& [key, member] : json.items()) {
    auto value = ValueOfDocument(member, depth - 1);
    if (!value) return std::nullopt;
    dict.Set(ValidUtf8(key), std::move(*value));
  }
  return TemplateValue(std::move(dict));
}

std::string JsonQuotedText(std::string_view text, bool ascii) {
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(1, CharacterBytes(text));
    const char32_t character = CharacterAt(text);
    if (character == '"' || character == '\\') {
      result += '\\';
      result += static_cast<char>(character);
    } else if (character < 0x20) {
      constexpr std::string_view kLetters = "btn-fr";
      const bool is_named = character >= 8 && character <= 13 && character != 11;
      result += is_named ? fmt::format("\\{}", kLetters[character - 8])
                         : fmt::format("\\u{:04x}", static_cast<std::uint32_t>(character));
    } else if (ascii && character >= 0x10000) {
      const auto rest = static_cast<std::uint32_t>(character) - 0x10000;
      result += fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff));
    } else if (ascii && character >= 0x80) {
      result += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(character));
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return result + '"';
}

// Writes JSON; stops at the first value that is none.
class JsonWriter {
 public:
  explicit JsonWriter(const JsonStyle& style) : style_(style) {}

  bool Write(const TemplateValue& value) {
    if (value.is_none()) return Add("null");
    if (value.boolean()) return Add(*value.boolean() ? "true" : "false");
    if (value.integer()) return Add(std::to_string(*value.integer()));
    if (value.real()) return Add(RealText(*value.real()));
    if (value.text()) return Add(JsonQuotedText(*value.text(), style_.ascii));
    if (value.list()) return WriteList(*value.list());
    return value.dict() != nullptr && WriteDict(*value.dict());
  }

  std::string Take() { return std::move(text_); }

 private:
  bool Add(std::string_view text) {
    text_ += text;
    return true;
  }

  void NewLine() {
    if (!style_.indent) return;
    text_ += '\n';
    text_.append(static_cast<std::size_t>(*style_.indent) * level_, ' ');
  }

  void Between(bool is_first) {
    if (!is_first) text_ += style_.between;
    NewLine();
  }

  bool WriteList(const TemplateList& list) {
    if (list.items.empty()) return Add("[]");
    text_ += '[';
    ++level_;
    for (std::size_t k = 0; k < list.items.size(); ++k) {
      Between(k == 0);
      if (!Write(list.items[k])) return false;
    }
    --level_;
    NewLine();
    return Add("]");
  }

  bool WriteDict(const TemplateDict& dict) {
    if (dict.members().empty()) return Add("{}");
    std::vector<const std::pair<std::string, TemplateValue>*> order;
    for (const auto& member : dict.members()) order.push_back(&member);
    if (style_.sorts) {
      std::sort(order.begin(), order.end(),
                [](const auto* a, const auto* b) { return a->first < b->first; });
    }
    text_ += '{';
    ++level_;
    for (std::size_t k = 0; k < order.size(); ++k) {
      Between(k == 0);
      text_ += JsonQuotedText(order[k]->first, style_.ascii) + style_.colon;
      if (!Write(order[k]->second)) return false;
    }
    --level_;
    NewLine();
    return Add("}");
  }

  const JsonStyle& style_;
  std::string text_;
  std::size_t level_ = 0;
};

bool AreListsEqual(const TemplateList& a, const TemplateList& b) {
  return a.is_tuple == b.is_tuple &&
         std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), AreEqual);
}

bool AreDictsEqual(const TemplateDict& a, const TemplateDict& b) {
  if (a.members().size() != b.members().size()) return false;
  return std::all_of(a.members().begin(), a.members().end(), [&b](const auto& member) {
    const TemplateValue* other = b.Find(member.first);
    return other != nullptr && AreEqual(member.second, *other);
  });
}

}  // namespace

const TemplateValue* TemplateDict::Find(std::string_view key) const {
  const auto found = places_.find(key);
  return found == places_.end() ? nullptr : &members_[found->second].second;
}

TemplateValue::TemplateValue(TemplateList value) {
  for (const TemplateValue& item : value.items) {
    value.depth = std::max(value.depth, item.depth() + 1);
  }
  value_ = std::make_shared<const TemplateList>(std::move(value));
}

std::size_t TemplateValue::depth() const {
  if (list()) return list()->depth;
  if (dict()) return dict()->depth();
  return callable() && callable()->self ? callable()->self->depth() + 1 : 0;
}

void TemplateDict::Set(const std::string& key, TemplateValue value) {
  depth_ = std::max(depth_, value.depth() + 1);
  const auto [place, is_new] = places_.emplace(key, members_.size());
  if (is_new) {
    members_.emplace_back(key, std::move(value));
  } else {
    members_[place->second].second = std::move(value);
  }
}

std::optional<std::int64_t> TemplateValue::AsInteger() const {
  if (integer()) return *integer();
  if (boolean()) return *boolean() ? 1 : 0;
  return std::nullopt;
}

std::optional<double> TemplateValue::AsNumber() const {
  if (real()) return *real();
  const auto whole = AsInteger();
  return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

bool TemplateValue::IsTrue() const {
  if (undefined() || is_none()) return false;
  if (const auto number = AsNumber()) return *number != 0;
  if (text()) return !text()->empty();
  if (list()) return !list()->items.empty();
  if (dict()) return !dict()->members().empty();
  return true;
}

std::optional<TemplateValue> TemplateValueOf(const Json& json, std::size_t depth) {
  return ValueOfDocument(json, depth);
}

std::optional<TemplateValue> TemplateValueOf(const OrderedJson& json, std::size_t depth) {
  return ValueOfDocument(json, depth);
}

bool AreEqual(const TemplateValue& a, const TemplateValue& b) {
  if (a.undefined() || b.undefined()) return a.undefined() && b.undefined();
  if (a.is_none() || b.is_none()) return a.is_none() && b.is_none();
  if (a.AsInteger() && b.AsInteger()) return *a.AsInteger() == *b.AsInteger();
  if (a.AsNumber() && b.AsNumber()) return *a.AsNumber() == *b.AsNumber();
  if (a.text() && b.text()) return *a.text() == *b.text();
  if (a.list() && b.list()) return AreListsEqual(*a.list(), *b.list());
  if (a.dict() && b.dict()) return AreDictsEqual(*a.dict(), *b.dict());
  return false;
}

std::string StrOf(const TemplateValue& value) {
  if (value.undefined()) return "";
  return value.text() ? *value.text() : ReprOf(value);
}

std::string ReprOf(const TemplateValue& value) {
  if (value.undefined()) return "Undefined";
  if (value.is_none()) return "None";
  if (value.boolean()) return *value.boolean() ? "True" : "False";
  if (value.integer()) return std::to_string(*value.integer());
  if (value.real()) return RealText(*value.real());
  if (value.text()) return TextRepr(*value.text());
  if (value.list()) return ListRepr(*value.list());
  if (value.dict()) return DictRepr(*value.dict());
  return fmt::format("<{}>", TypeNameOf(value));
}

std::string_view TypeNameOf(const TemplateValue& value) {
  if (value.undefined()) return "undefined";
  if (value.is_none()) return "none";
  if (value.boolean()) return "a boolean";
  if (value.integer()) return "an integer";
  if (value.real()) return "a float";
  if (value.text()) return "a string";
  if (value.list()) return "a list";
  if (value.dict()) return "a mapping";
  return value.callable() ? "a function" : "a namespace";
}

std::optional<std::string> JsonTextOf(const TemplateValue& value, const JsonStyle& style) {
  JsonWriter writer(style);
  if (!writer.Write(value)) return std::nullopt;
  return writer.Take();
}

}  // namespace hone::llm

// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/text/template_lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "hone/llm/text/unicode.h"

namespace hone::llm {
namespace {

using Kind = TemplateToken::Kind;

constexpr std::size_t kMaxTemplateBytes = 4 << 20;
// The longer ones first.
constexpr std::array<std::string_view, 30> kSigns = {
    "==", "!=", "<=", ">=", "//", "**", "+", "-", "*", "/", "%", "~", "<", ">", "=",
    "(",  ")",  "[",  "]",  "{",  "}",  ",", ":", ".", "|", ";", "!", "?", "@", "$"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Line breaks are "\n" in a template, and the last one is not a part of it.
std::string Unified(std::string_view source) {
  std::string text;
  for (std::size_t at = 0; at < source.size(); ++at) {
    if (source[at] != '\r') {
      text += source[at];
      continue;
    }
    text += '\n';
    if (at + 1 < source.size() && source[at + 1] == '\n') ++at;
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

class TemplateLexer {
 public:
  explicit TemplateLexer(std::string text) : text_(std::move(text)) {}

  Result<std::vector<TemplateToken>> Run() {
    while (!fault_ && at_ < text_.size()) ReadTextAndTag();
    if (fault_) return *fault_;
    Add(Kind::kEnd, "");
    return std::move(tokens_);
  }

 private:
  std::string_view Rest() const { return std::string_view(text_).substr(at_); }

  void Fail(std::string message) {
    if (!fault_) {
      fault_ = Error{Errc::kInvalidArgument, fmt::format("line {}: {}", line_, message)};
    }
  }

  void Add(Kind kind, std::string text) { tokens_.push_back({kind, std::move(text), line_}); }

  void Advance(std::size_t bytes) {
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(at_ + bytes),
                                         '\n'));
    at_ += bytes;
  }

  static std::size_t TagIn(std::string_view text) {
    std::size_t at = text.find('{');
    while (at != text.npos) {
      const char next = at + 1 < text.size() ? text[at + 1] : ' ';
      if (next == '{' || next == '%' || next == '#') return at;
      at = text.find('{', at + 1);
    }
    return text.size();
  }

  void ReadTextAndTag() {
    const std::size_t size = TagIn(Rest());
    std::string_view text = Rest().substr(0, size);
    const std::string_view tag = Rest().substr(size);
    if (!tag.empty()) text = StrippedBefore(text, tag);
    if (!text.empty()) Add(Kind::kText, std::string(text));
    Advance(size);
    if (tag.empty()) return;
    is_line_start_ = false;
    const char kind = tag[1];
    const bool has_sign = tag.size() > 2 && (tag[2] == '-' || (tag[2] == '+' && kind != '{'));
    Advance(has_sign ? 3 : 2);
    kind == '#' ? SkipComment() : ReadTag(kind == '{');
  }

  // What is left of the text before a tag.
  std::string_view StrippedBefore(std::string_view text, std::string_view tag) const {
    const char sign = tag.size() > 2 ? tag[2] : ' ';
    if (sign == '-') return text.substr(0, text.size() - SpacesAtEnd(text));
    if (tag[1] == '{' || sign == '+') return text;
    const auto last = text.rfind('\n');
    const std::size_t line = last == text.npos ? 0 : last + 1;
    if (line == 0 && !is_line_start_) return text;
    const std::string_view before = text.substr(line);
    return SpacesAtFront(before) == before.size() ? text.substr(0, line) : text;
  }

  // After a tag: - takes white space, otherwise a block or comment takes one line break.
  void EndTag(char sign, bool takes_break) {
    if (sign == '-') {
      const std::size_t spaces = SpacesAtFront(Rest());
      is_line_start_ = spaces > 0 && Rest()[spaces - 1] == '\n';
      return Advance(spaces);
    }
    const bool has_break = takes_break && sign != '+' && Rest().starts_with('\n');
    is_line_start_ = has_break;
    if (has_break) Advance(1);
  }

  void SkipComment() {
    const auto end = Rest().find("#}");
    if (end == std::string_view::npos) return Fail("a comment {# has no end #}");
    const char sign = end > 0 ? Rest()[end - 1] : ' ';
    Advance(end + 2);
    EndTag(sign == '-' || sign == '+' ? sign : ' ', true);
  }

  void ReadTag(bool is_output) {
    Add(is_output ? Kind::kOutputBegin : Kind::kBlockBegin, "");
    const std::string_view close = is_output ? "}}" : "%}";
    std::vector<char> open;  // Brackets: }} inside of them ends a dict.
    while (!fault_) {
      Advance(SpacesAtFront(Rest()));
      const std::string_view rest = Rest();
      if (rest.empty()) return Fail(is_output ? "{{ has no end }}" : "{% has no end %}");
      const bool has_sign = rest[0] == '-' || (rest[0] == '+' && !is_output);
      if (open.empty() && rest.substr(has_sign ? 1 : 0).starts_with(close)) {
        Add(is_output ? Kind::kOutputEnd : Kind::kBlockEnd, "");
        Advance(has_sign ? 3 : 2);
        return EndTag(has_sign ? rest[0] : ' ', !is_output);
      }
      ReadWord(open);
    }
  }

  void ReadWord(std::vector<char>& open) {
    const char first = Rest()[0];
    if (first == '"' || first == '\'') return ReadString(first);
    if (IsDigit(first)) return ReadNumber();
    if (IsNameStart(first)) {
      std::size_t size = 1;
      while (size < Rest().size() && (IsNameStart(Rest()[size]) || IsDigit(Rest()[size]))) ++size;
      Add(Kind::kName, std::string(Rest().substr(0, size)));
      return Advance(size);
    }
    for (const std::string_view sign : kSigns) {
      if (!Rest().starts_with(sign)) continue;
      if (first == '(' || first == '[' || first == '{') open.push_back(first);
      if ((first == ')' || first == ']' || first == '}') && !open.empty()) open.pop_back();
      Add(Kind::kSign, std::string(sign));
      return Advance(sign.size());
    }
    Fail(fmt::format("the character {} is not expected here",
                     Rest().substr(0, std::max<std::size_t>(1, CharacterBytes(Rest())))));
  }

  void ReadNumber() {
    std::size_t size = 0;
    bool is_real = false;
    const auto digits = [&] {
      while (size < Rest().size() && (IsDigit(Rest()[size]) || Rest()[size] == '_')) ++size;
    };
    digits();
    if (size + 1 < Rest().size() && Rest()[size] == '.' && IsDigit(Rest()[size + 1])) {
      is_real = true;
      ++size;
      digits();
    }
    std::string text(Rest().substr(0, size));
    std::erase(text, '_');
    Add(is_real ? Kind::kReal : Kind::kInteger, std::move(text));
    Advance(size);
  }

  void ReadString(char quote) {
    std::string value;
    std::size_t at = 1;
    const std::string_view rest = Rest();
    while (at < rest.size() && rest[at] != quote) {
      if (rest[at] != '\\') {
        value += rest[at++];
        continue;
      }
      const std::size_t taken = ReadEscape(rest.substr(at), value);
      if (taken == 0) return Fail("an escape in a string cannot be read");
      at += taken;
    }
    if (at >= rest.size()) return Fail("a string has no end");
    Add(Kind::kString, std::move(value));
    Advance(at + 1);
  }

  // As Python reads it; 0 if it does not.
  static std::size_t ReadEscape(std::string_view text, std::string& value) {
    if (text.size() < 2) return 0;
    constexpr std::string_view kNames = "abfnrtv\\'\"";
    constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"";
    if (const auto found = kNames.find(text[1]); found != kNames.npos) {
      value += kMeanings[found];
      return 2;
    }
    if (text[1] == '\n') return 2;
    const std::size_t digits = text[1] == 'x' ? 2 : text[1] == 'u' ? 4 : text[1] == 'U' ? 8 : 0;
    if (digits == 0) {
      value += text.substr(0, 2);  // An unknown one stands for itself.
      return IsDigit(text[1]) ? 0 : 2;
    }
    char32_t character = 0;
    if (text.size() < 2 + digits) return 0;
    for (const char c : text.substr(2, digits)) {
      const char lower = static_cast<char>(c | 0x20);
      if (!IsDigit(c) && (lower < 'a' || lower > 'f')) return 0;
      character = character * 16 + static_cast<char32_t>(IsDigit(c) ? c - '0' : lower - 'a' + 10);
    }
    if (character > 0x10ffff || (character >= 0xd800 && character < 0xe000)) return 0;
    AppendCharacter(value, character);
    return 2 + digits;
  }

  std::string text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool is_line_start_ = true;
  std::vector<TemplateToken> tokens_;
  std::optional<Error> fault_;
};

}  // namespace

Result<std::vector<TemplateToken>> SplitTemplate(std::string_view source) {
  if (source.size() > kMaxTemplateBytes || !IsValidUtf8(source)) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("expected UTF-8 of at most {} bytes", kMaxTemplateBytes)};
  }
  return TemplateLexer(Unified(source)).Run();
}

}  // namespace hone::llm

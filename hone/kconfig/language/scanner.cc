// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/language/scanner.h"

namespace hone::kconfig {

Scanner::Scanner(const Dialect& dialect) : keywords_(dialect), has_dollar_(dialect.has_macros) {
  for (int c = 0; c < 256; ++c) {
    is_word_byte_[c] = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '_' || c == '-' || (dialect.has_path_words && (c == '.' || c == '/'));
  }
  for (const char c : {'"', '\'', '\\', '\n'}) {
    ends_plain_text_[static_cast<unsigned char>(c)] = true;
  }
  ends_plain_text_[static_cast<unsigned char>('$')] = has_dollar_;
}

const char* Scanner::EndOfWord(const char* at, const char* end) const {
  // Words are half of all bytes: one look at the end of the text is enough for four of them.
  for (; end - at >= 4; at += 4) {
    if (!IsWordByte(at[0])) return at;
    if (!IsWordByte(at[1])) return at + 1;
    if (!IsWordByte(at[2])) return at + 2;
    if (!IsWordByte(at[3])) return at + 3;
  }
  while (at < end && IsWordByte(*at)) ++at;
  return at;
}

const char* Scanner::EndOfQuoted(const char* at, const char* end, char quote) const {
  while (at < end && (!EndsPlainText(*at) || (*at != quote && (*at == '"' || *at == '\'')))) ++at;
  return at == end || *at != quote ? nullptr : at;
}

Scanner::Operator Scanner::OperatorAt(const char* at, const char* end) {
  const char next = at + 1 < end ? at[1] : '\0';
  switch (*at) {
    case '|':
      return next == '|' ? Operator{Token::kOr, 2} : Operator{};
    case '&':
      return next == '&' ? Operator{Token::kAnd, 2} : Operator{};
    case '=':
      return {Token::kEqual, 1};
    case '!':
      return next == '=' ? Operator{Token::kUnequal, 2} : Operator{Token::kNot, 1};
    case '<':
      return next == '=' ? Operator{Token::kLessEqual, 2} : Operator{Token::kLess, 1};
    case '>':
      return next == '=' ? Operator{Token::kGreaterEqual, 2} : Operator{Token::kGreater, 1};
    case '(':
      return {Token::kOpen, 1};
    case ')':
      return {Token::kClose, 1};
    case ':':
      return next == '=' ? Operator{Token::kColonEqual, 2} : Operator{};
    case '+':
      return next == '=' ? Operator{Token::kPlusEqual, 2} : Operator{};
    default:
      return {};
  }
}

}  // namespace hone::kconfig

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "hone/kconfig/language/dialect.h"
#include "hone/kconfig/language/keywords.h"
#include "hone/kconfig/language/token.h"

namespace hone::kconfig {

// Where a token of a dialect ends, as far as no macro is in it. Constant after construction.
class Scanner {
 public:
  explicit Scanner(const Dialect& dialect);

  bool has_dollar() const { return has_dollar_; }  // $ begins a macro.
  bool IsWordByte(char c) const { return is_word_byte_[static_cast<unsigned char>(c)]; }
  const char* EndOfWord(const char* at, const char* end) const;
  Token KindOf(std::string_view word) const { return keywords_.Find(word); }

  // The quote that closes the text at `at`; null if something in it does not stand for itself.
  const char* EndOfQuoted(const char* at, const char* end, char quote) const;

  // kEndOfLine if there is none.
  struct Operator {
    Token token = Token::kEndOfLine;
    std::uint32_t size = 0;
  };
  static Operator OperatorAt(const char* at, const char* end);

 private:
  bool EndsPlainText(char c) const { return ends_plain_text_[static_cast<unsigned char>(c)]; }

  Keywords keywords_;
  bool is_word_byte_[256] = {};
  bool ends_plain_text_[256] = {};  // What in quotes is not itself.
  bool has_dollar_;
};

inline const char* SkipBlanks(const char* at, const char* end) {
  while (at < end && (*at == ' ' || *at == '\t')) ++at;
  return at;
}

}  // namespace hone::kconfig

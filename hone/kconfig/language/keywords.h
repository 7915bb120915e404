// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "hone/kconfig/language/dialect.h"
#include "hone/kconfig/language/token.h"

namespace hone::kconfig {

// Which words are keywords in a dialect.
class Keywords {
 public:
  explicit Keywords(const Dialect& dialect);

  // The keyword that `word` is, or kWord.
  Token Find(std::string_view word) const;

 private:
  struct Entry {
    std::string_view word;
    Token token = Token::kWord;
  };
  static constexpr std::size_t kSlots = 256;
  static std::size_t SlotOf(std::string_view word);
  void Add(std::string_view word, Token token);

  Entry entries_[kSlots];
};

}  // namespace hone::kconfig

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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
  // A short word as numbers, which are compared faster than texts.
  struct Packed {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t size = 0;  // Of an empty slot: 0.

    friend bool operator==(const Packed&, const Packed&) = default;
  };
  struct Entry {
    Packed word;
    Token token = Token::kWord;
  };
  static constexpr std::size_t kSlots = 256;
  template <typename Look>
  static Packed PackAs(std::string_view word);
  static Packed Pack(std::string_view word);
  static std::size_t SlotOf(const Packed& word);
  void Add(std::string_view word, Token token);

  Entry entries_[kSlots];
};

}  // namespace hone::kconfig

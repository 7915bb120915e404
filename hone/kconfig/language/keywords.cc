// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/language/keywords.h"

#include <cstring>

#include "hone/core/check.h"

namespace hone::kconfig {
namespace {

constexpr std::size_t kShortest = 2;
constexpr std::size_t kLongest = 13;

struct Keyword {
  std::string_view word;
  Token token;
};

}  // namespace

Keywords::Keywords(const Dialect& dialect) {
  constexpr Keyword kAlways[] = {{"bool", Token::kBool},
                                 {"choice", Token::kChoice},
                                 {"comment", Token::kComment},
                                 {"config", Token::kConfig},
                                 {"def_bool", Token::kDefBool},
                                 {"def_tristate", Token::kDefTristate},
                                 {"default", Token::kDefault},
                                 {"depends", Token::kDepends},
                                 {"endchoice", Token::kEndChoice},
                                 {"endif", Token::kEndIf},
                                 {"endmenu", Token::kEndMenu},
                                 {"help", Token::kHelp},
                                 {"hex", Token::kHex},
                                 {"if", Token::kIf},
                                 {"imply", Token::kImply},
                                 {"int", Token::kInt},
                                 {"mainmenu", Token::kMainMenu},
                                 {"menu", Token::kMenu},
                                 {"menuconfig", Token::kMenuConfig},
                                 {"on", Token::kOn},
                                 {"prompt", Token::kPrompt},
                                 {"range", Token::kRange},
                                 {"select", Token::kSelect},
                                 {"source", Token::kSource},
                                 {"string", Token::kString},
                                 {"tristate", Token::kTristate},
                                 {"visible", Token::kVisible}};
  for (const Keyword& keyword : kAlways) Add(keyword.word, keyword.token);
  if (dialect.choice_rules == ChoiceRules::kSymbol) Add("optional", Token::kOptional);
  if (dialect.has_modules_word) Add("modules", Token::kModules);
  if (dialect.has_options) {
    Add("option", Token::kOption);
    Add("boolean", Token::kBool);
    Add("requires", Token::kDepends);
  }
  if (dialect.has_dashed_help) Add("---help---", Token::kHelp);
  if (dialect.has_relative_source) {
    Add("rsource", Token::kRSource);
    Add("osource", Token::kOSource);
    Add("orsource", Token::kOrSource);
  }
  if (dialect.has_source_globs && dialect.has_relative_source) {
    Add("gsource", Token::kOSource);
    Add("grsource", Token::kOrSource);
  }
  if (dialect.has_typed_defaults) {
    Add("def_int", Token::kDefInt);
    Add("def_hex", Token::kDefHex);
    Add("def_string", Token::kDefString);
  }
  if (dialect.has_transitional) Add("transitional", Token::kTransitional);
  if (dialect.has_config_defaults) Add("configdefault", Token::kConfigDefault);
  if (dialect.has_reset) Add("reset", Token::kReset);
}

// Two looks at the text, which overlap, hold all of it. Each is a number at once: one that is put
// together in memory would have to be waited for.
template <typename Look>
Keywords::Packed Keywords::PackAs(std::string_view word) {
  Look begin = 0;
  Look end = 0;
  std::memcpy(&begin, word.data(), sizeof(Look));
  std::memcpy(&end, word.data() + word.size() - sizeof(Look), sizeof(Look));
  return {.begin = begin, .end = end, .size = word.size()};
}

Keywords::Packed Keywords::Pack(std::string_view word) {
  if (word.size() >= 8) return PackAs<std::uint64_t>(word);
  return word.size() >= 4 ? PackAs<std::uint32_t>(word) : PackAs<std::uint16_t>(word);
}

std::size_t Keywords::SlotOf(const Packed& word) {
  return ((word.begin ^ (word.end << 7U)) * 0x9e3779b97f4a7c15) >> 56U;
}

void Keywords::Add(std::string_view word, Token token) {
  HONE_CHECK(word.size() >= kShortest && word.size() <= kLongest);
  const Packed packed = Pack(word);
  std::size_t slot = SlotOf(packed);
  while (entries_[slot].word.size != 0) slot = (slot + 1) % kSlots;
  entries_[slot] = {packed, token};
}

Token Keywords::Find(std::string_view word) const {
  // Names of symbols are mostly in capitals; keywords never are.
  if (word.size() < kShortest || word.size() > kLongest) return Token::kWord;
  if ((word[0] < 'a' || word[0] > 'z') && word[0] != '-') return Token::kWord;
  const Packed packed = Pack(word);
  for (std::size_t slot = SlotOf(packed); entries_[slot].word.size != 0;
       slot = (slot + 1) % kSlots) {
    if (entries_[slot].word == packed) return entries_[slot].token;
  }
  return Token::kWord;
}

}  // namespace hone::kconfig

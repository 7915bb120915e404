// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/language/keywords.h"

namespace hone::kconfig {
namespace {

constexpr std::size_t kShortest = 2;
constexpr std::size_t kLongest = 13;

}  // namespace

Keywords::Keywords(const Dialect& dialect) {
  constexpr Entry kAlways[] = {{"bool", Token::kBool},
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
  for (const Entry& entry : kAlways) Add(entry.word, entry.token);
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

std::size_t Keywords::SlotOf(std::string_view word) {
  return (static_cast<unsigned char>(word[0]) * 5U + static_cast<unsigned char>(word[1]) * 17U +
          static_cast<unsigned char>(word.back()) * 3U + word.size() * 29U) %
         kSlots;
}

void Keywords::Add(std::string_view word, Token token) {
  std::size_t slot = SlotOf(word);
  while (!entries_[slot].word.empty()) slot = (slot + 1) % kSlots;
  entries_[slot] = {word, token};
}

Token Keywords::Find(std::string_view word) const {
  // Names of symbols are mostly in capitals; keywords never are.
  if (word.size() < kShortest || word.size() > kLongest) return Token::kWord;
  if ((word[0] < 'a' || word[0] > 'z') && word[0] != '-') return Token::kWord;
  for (std::size_t slot = SlotOf(word); !entries_[slot].word.empty(); slot = (slot + 1) % kSlots) {
    if (entries_[slot].word == word) return entries_[slot].token;
  }
  return Token::kWord;
}

}  // namespace hone::kconfig

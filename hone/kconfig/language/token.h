// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace hone::kconfig {

enum class Token : std::uint8_t {
  kEndOfText,
  kEndOfLine,
  kWord,
  kQuoted,
  // Operators.
  kOr,
  kAnd,
  kEqual,
  kUnequal,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kNot,
  kOpen,
  kClose,
  kColonEqual,
  kPlusEqual,
  // Keywords.
  kBool,
  kChoice,
  kComment,
  kConfig,
  kDefBool,
  kDefHex,
  kDefInt,
  kDefString,
  kDefTristate,
  kDefault,
  kDepends,
  kEndChoice,
  kEndIf,
  kEndMenu,
  kHelp,
  kHex,
  kIf,
  kImply,
  kInt,
  kMainMenu,
  kMenu,
  kMenuConfig,
  kModules,
  kOn,
  kOption,
  kOptional,
  kOrSource,
  kConfigDefault,
  kReset,
  kOSource,
  kPrompt,
  kRange,
  kRSource,
  kSelect,
  kSource,
  kString,
  kTransitional,
  kTristate,
  kVisible,
  // Only in a list of tokens: see ListedToken.
  kHelpText,
  kUnlisted,
};

constexpr bool IsOperator(Token token) { return token >= Token::kOr && token < Token::kBool; }

}  // namespace hone::kconfig

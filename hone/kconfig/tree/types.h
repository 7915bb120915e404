// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace hone::kconfig {

// The three truth values of Kconfig, in their order: n < m < y.
enum class Tristate : std::uint8_t { kNo, kModule, kYes };

enum class SymbolType : std::uint8_t { kUnknown, kBool, kTristate, kInt, kHex, kString };

// Indexes into the arrays of a Tree.
using SymbolId = std::uint32_t;
using ExpressionId = std::uint32_t;
using PropertyId = std::uint32_t;
using MenuId = std::uint32_t;
using FileId = std::uint32_t;
inline constexpr std::uint32_t kNone = 0xffffffff;

// The constants n, m and y are the first three symbols and the first three expressions of a Tree.
inline constexpr SymbolId kSymbolNo = 0;
inline constexpr SymbolId kSymbolModule = 1;
inline constexpr SymbolId kSymbolYes = 2;
inline constexpr ExpressionId kExpressionNo = 0;
inline constexpr ExpressionId kExpressionModule = 1;
inline constexpr ExpressionId kExpressionYes = 2;

struct Location {
  FileId file = kNone;
  std::uint32_t line = 0;
};

constexpr Tristate And(Tristate a, Tristate b) { return std::min(a, b); }
constexpr Tristate Or(Tristate a, Tristate b) { return std::max(a, b); }
constexpr Tristate Not(Tristate a) {
  return static_cast<Tristate>(2 - static_cast<std::uint8_t>(a));
}

constexpr std::string_view TextOf(Tristate value) {
  constexpr std::string_view kTexts = "nmy";
  return kTexts.substr(static_cast<std::size_t>(value), 1);
}

// "bool", "tristate", "int", "hex", "string", "unknown".
constexpr std::string_view NameOf(SymbolType type) {
  constexpr std::string_view kNames[] = {"unknown", "bool", "tristate", "int", "hex", "string"};
  return kNames[static_cast<std::size_t>(type)];
}

constexpr bool IsLogical(SymbolType type) {
  return type == SymbolType::kBool || type == SymbolType::kTristate;
}

}  // namespace hone::kconfig

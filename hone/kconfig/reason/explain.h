// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hone/kconfig/reason/tree_index.h"
#include "hone/kconfig/values/configuration.h"

namespace hone::kconfig {

// A line of a Kconfig file that bears on a symbol: "select CRC32 if NET".
struct RuleLine {
  std::string text;
  Location where;
  SymbolId symbol = kNone;         // Whose line it is.
  Tristate level = Tristate::kNo;  // What it gives now; n is "nothing".
};

// What a value came from in the end.
enum class Cause : std::uint8_t {
  kUndefined,  // No file defines the symbol.
  kNothing,    // No prompt, default or select says anything: n, or an empty text.
  kUser,
  kDefault,
  kImply,
  kSelect,
  kChoice,  // A member is y because it is selected, or n because another is.
  kRange,   // A bound replaced what it would be.
};
std::string_view NameOf(Cause cause);

// Why a symbol has the value that it has.
struct ValueReason {
  SymbolId symbol = kNone;
  std::string value;
  Cause cause = Cause::kNothing;
  std::string sentence;         // "NUMA is y: the user set it."
  std::vector<RuleLine> lines;  // What decided, or would have.
  std::optional<std::string> user;
  Tristate visible = Tristate::kNo;
  Tristate selected = Tristate::kNo;
  Tristate implied = Tristate::kNo;
};
ValueReason WhyValue(const TreeIndex& index, const Configuration& configuration, SymbolId id);

// A symbol that would have to change, and how: "y", "m or y", "n", "not y", "another value".
struct Need {
  SymbolId symbol = kNone;
  std::string now;
  std::string needed;
};

// A clause that keeps a symbol from a value.
struct Blocker {
  std::string clause;  // "!SMP || X86_64"
  std::string source;  // "depends on", "selected by KVM", "range", "choice"
  Location where;
  std::vector<Need> needs;  // All of them; where `is_any`, one of them is enough.
  bool is_any = false;
};

// Whether a symbol can be set to a value now, and if not, what is in the way.
struct Possibility {
  SymbolId symbol = kNone;
  std::string wanted;
  bool is_possible = false;
  std::string sentence;
  std::vector<Blocker> blockers;
};
Possibility WhyNot(const TreeIndex& index, const Configuration& configuration, SymbolId id,
                   const std::string& wanted);

// The select and the imply lines whose target is the symbol, those that are active first.
std::vector<RuleLine> WhoSelects(const TreeIndex& index, const Configuration& configuration,
                                 SymbolId id);
std::vector<RuleLine> WhoImplies(const TreeIndex& index, const Configuration& configuration,
                                 SymbolId id);

// A symbol whose value depends on another, and by which lines.
struct Dependent {
  SymbolId symbol = kNone;
  std::vector<std::string> ways;  // "prompt", "depends on", "default", "select", "imply", "range"
};
std::vector<Dependent> WhatDependsOn(const TreeIndex& index, SymbolId id);

// "NUMA", and a choice by its prompt: <Preemption Model>.
std::string DisplayName(const Tree& tree, SymbolId id);

// The operands of the outermost &&; the expression itself if there is none, nothing for kNone.
std::vector<ExpressionId> TermsOf(const Tree& tree, ExpressionId id);

}  // namespace hone::kconfig

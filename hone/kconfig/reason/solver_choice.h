// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/kconfig/reason/solver_encoding.h"

namespace hone::kconfig {

// The rules of choices, of both rule sets, as a part of an Encoding.
class ChoiceEncoding {
 public:
  explicit ChoiceEncoding(Encoding& encoding)
      : encoding_(encoding), tree_(encoding.tree_), gates_(encoding.gates_) {}

  // Of a choice or a member.
  Level ValueOf(SymbolId id);

 private:
  Level ModeOf(SymbolId choice);
  Level MemberValueOf(SymbolId member);
  const std::vector<Literal>& SelectionOf(SymbolId choice);
  std::vector<Literal> OldSelectionOf(SymbolId choice, const std::vector<Literal>& visible);
  std::vector<Literal> UserSelectionOf(SymbolId choice, const std::vector<Literal>& visible);
  std::vector<Literal> DefaultSelectionOf(SymbolId choice, const std::vector<Literal>& visible);

  std::vector<Literal> AvoidNegated(SymbolId choice, const std::vector<Literal>& visible,
                                    const std::vector<Literal>& defaults);

  // The prompts of a member, with its choice at that level.
  Level PromptsOf(SymbolId member, Level choice);
  Level LevelWith(ExpressionId id, SymbolId choice, Level level);

  Encoding& encoding_;
  const Tree& tree_;
  Gates& gates_;
};

}  // namespace hone::kconfig

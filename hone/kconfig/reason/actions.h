// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hone/kconfig/reason/explain.h"
#include "hone/kconfig/reason/solve.h"
#include "hone/kconfig/reason/tree_index.h"
#include "hone/kconfig/values/configuration.h"

namespace hone::kconfig {

// One line of a change request, as an agent writes it.
struct Action {
  std::string symbol;  // With or without CONFIG_.
  std::string value;
};

enum class Refusal : std::uint8_t {
  kNothing,
  kUnknownSymbol,
  kWrongType,  // Not a value of its type.
  kOutOfRange,
  kNotVisible,  // No prompt allows that much now.
  kNoPrompt,
  kSelected,  // A select holds it above.
  kInChoice,  // The selection of a choice goes only by selecting another member.
  kConflict,  // Possible alone, not with the others.
};
std::string_view NameOf(Refusal refusal);

struct ActionVerdict {
  Action action;
  SymbolId symbol = kNone;
  Refusal refusal = Refusal::kNothing;
  std::string message;                 // Empty if it is granted.
  std::vector<std::string> near;       // Of an unknown symbol.
  std::vector<Blocker> blockers;       // The clauses in the way.
  std::vector<std::size_t> conflicts;  // The actions that it cannot be together with.
};

// What comes of a change request: all of it, or nothing.
struct ActionsAnswer {
  bool is_accepted = false;
  std::vector<ActionVerdict> verdicts;  // One for each action, in their order.

  // If accepted: every symbol whose value changes, and the configuration that results.
  std::vector<Change> effects;
  std::optional<Configuration> after;
};

// Sets the user values on a copy of the configuration and looks whether each has its value then.
// Same configuration and same actions, same answer.
ActionsAnswer Judge(const TreeIndex& index, const Configuration& configuration,
                    const std::vector<Action>& actions);

// Every symbol with a name whose value differs, in the order of the tree.
std::vector<Change> DifferenceOf(const Configuration& before, const Configuration& after);

}  // namespace hone::kconfig

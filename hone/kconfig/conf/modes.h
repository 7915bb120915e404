// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/kconfig/values/configuration.h"

namespace hone::kconfig {

// The ways to fill a configuration that the C tool has, as changes to one that is loaded or new.
// All of them leave it evaluated.

// Symbols without a user value get n, m or y; what cannot have it gets what is nearest.
void SetAllNew(Configuration& configuration, Tristate value);

// Every choice counts as answered: with the mode that was read for it, or n.
void AnswerChoices(Configuration& configuration);

struct RandomOptions {
  std::uint64_t seed = 0;
  int bool_yes = 50;  // Chances in a hundred.
  int tristate_yes = 33;
  int tristate_module = 33;
};

// KCONFIG_PROBABILITY: "N", "N:M" or "N:M:L".
Result<RandomOptions> ReadProbability(const std::string& text, std::uint64_t seed);

// Symbols without a user value get a random one; the same seed gives the same values.
void SetAllRandom(Configuration& configuration, const RandomOptions& options);

// What the C tool does as it evaluates, and what shows when it evaluates again: the mode of a
// choice that is y counts as unanswered while a visible member has no user value. Values are stale
// until Evaluate.
void ReopenChoices(Configuration& configuration);

// yes2modconfig, mod2yesconfig, mod2noconfig: user values of tristates that are `from`.
void RewriteTristates(Configuration& configuration, Tristate from, Tristate to);

// What the user has not answered and could: the symbols that listnewconfig shows, in its order.
std::vector<SymbolId> NewSymbols(const Configuration& configuration);

// What the user asked for and did not get, in the order of the menus.
std::vector<SymbolId> ChangedInput(const Configuration& configuration);

// Whether listnewconfig shows it, while it is visible.
bool IsNew(const Configuration& configuration, SymbolId id);

// Whether the C tool regards the choice as answered.
bool IsAnswered(const Configuration& configuration, SymbolId id);

}  // namespace hone::kconfig

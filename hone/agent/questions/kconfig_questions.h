// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "hone/agent/questions/question.h"
#include "hone/kconfig/reason/walk.h"
#include "hone/kconfig/values/configuration.h"

namespace hone::agent {

// A question about one page of a menu tree, with the place of each item in that tree.
struct KconfigQuestion {
  Question question;
  // The node of each item; of a choice, that of each member.
  std::vector<kconfig::MenuId> nodes;
  kconfig::SymbolId choice = kconfig::kNone;  // Of a choice.
};

// What can be decided on the page, dealt out in questions of one kind with at most `max_items` each
// (at least one; a choice is always whole): choices, values, bools, tristates, menus. What cannot
// be moved now is left out: an option that a select holds, a choice of one member. A tristate
// counts as a bool while modules are off. The page must have been made of this configuration.
std::vector<KconfigQuestion> QuestionsOf(const kconfig::Configuration& configuration,
                                         const kconfig::MenuPage& page, std::size_t max_items);

}  // namespace hone::agent

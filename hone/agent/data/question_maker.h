// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hone/agent/data/option_facts.h"
#include "hone/agent/data/question_row.h"
#include "hone/kconfig/reason/tree_index.h"
#include "hone/kconfig/values/configuration.h"

namespace hone::agent {

struct MakeQuestions {
  std::string goal;
  std::string tree;           // How the rows name it.
  std::size_t max_items = 9;  // In one question; a choice is always whole.
  bool needs_label = false;   // Leaves out what nothing is known of.
};

// Every question that can be asked about the tree in this configuration, of all menus that can be
// opened now, from the root down; each with the label that the facts give it.
std::vector<QuestionRow> QuestionsOfTree(const kconfig::TreeIndex& index,
                                         const kconfig::Configuration& configuration,
                                         const OptionFacts& facts, const MakeQuestions& settings);

}  // namespace hone::agent

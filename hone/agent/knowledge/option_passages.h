// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/agent/knowledge/passage.h"
#include "hone/kconfig/reason/tree_index.h"

namespace hone::agent {

// A passage for every option that the tree defines: prompt and help; its type, dependencies,
// default, range, menu and who selects it as facts.
std::vector<Passage> OptionPassages(const kconfig::TreeIndex& index);

}  // namespace hone::agent

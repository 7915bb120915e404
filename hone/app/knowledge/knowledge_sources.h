// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/agent/knowledge/passage.h"

namespace hone::app {

// What we know of parameters (data/parameters/) and of options of Linux
// (data/kernels/knowledge.json) as passages, a group for each file.
std::vector<agent::PassageGroup> DataPassages();

}  // namespace hone::app

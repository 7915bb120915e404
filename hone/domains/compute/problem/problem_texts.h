// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/core/embedded_file.h"

namespace hone::compute {

// Of each folder of data/problems/ problem.json and, if there is one, reference.cc, as they were
// when this was built. In the order of their names, problem.json first.
std::vector<EmbeddedFile> ProblemTexts();

}  // namespace hone::compute

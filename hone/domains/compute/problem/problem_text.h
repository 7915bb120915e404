// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace hone::compute {

// A folder of data/problems/, as it was when this was built.
struct ProblemText {
  std::string_view name;
  std::string_view problem;    // problem.json
  std::string_view reference;  // reference.cc; empty if there is none.
};

std::vector<ProblemText> ProblemTexts();  // In the order of their names.

}  // namespace hone::compute

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace hone {

struct PowerCheck {
  int campaigns = 100;  // Of each row.
  std::vector<int> candidates{40};
  std::vector<std::string> surfaces;  // Empty: all that have an optimum.
};

// The chance that is named for whole campaigns, against what they find on surfaces that had no part
// in making the table. Prints a row for each; false where one is wrong by more than ten points,
// beyond chance.
bool CheckPowerLine(const PowerCheck& check);

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#include "hone/core/letter_case.h"

namespace hone {

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return lower;
}

}  // namespace hone

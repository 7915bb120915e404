// SPDX-License-Identifier: Apache-2.0
#include "hone/core/letter_case.h"

namespace hone {

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower) letter = LowerCase(letter);
  return lower;
}

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/nearest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hone {

std::string NoSuch(std::string_view kind, std::string_view word,
                   const std::vector<std::string>& known) {
  const auto nearest = Nearest(word, known);
  const std::string guess = nearest ? fmt::format(" did you mean {}?", *nearest) : "";
  return fmt::format("{} {}: no such {};{} there are: {}", kind, word, kind, guess,
                     fmt::join(known, ", "));
}

}  // namespace hone

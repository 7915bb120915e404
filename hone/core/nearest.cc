// SPDX-License-Identifier: Apache-2.0
#include "hone/core/nearest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace hone {
namespace {

// Letters to insert, leave out, change, or swap with their neighbour.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      const std::size_t changed = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
      }
    }
  }
  return table[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> Nearest(std::string_view word, const std::vector<std::string>& known) {
  std::optional<std::string> nearest;
  std::size_t min = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& name : known) {
    const std::size_t distance = Distance(word, name);
    if (distance >= min) continue;
    min = distance;
    nearest = name;
  }
  return nearest;
}

std::string NoSuch(std::string_view kind, std::string_view word,
                   const std::vector<std::string>& known) {
  const auto nearest = Nearest(word, known);
  const std::string guess = nearest ? fmt::format(" did you mean {}?", *nearest) : "";
  return fmt::format("{} {}: no such {};{} there are: {}", kind, word, kind, guess,
                     fmt::join(known, ", "));
}

}  // namespace hone

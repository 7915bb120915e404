// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/nearest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace hone {
namespace {

// Levenshtein's distance.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string> Nearest(std::string_view word, const std::vector<std::string>& known) {
  std::optional<std::string> nearest;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& name : known) {
    const std::size_t distance = Distance(word, name);
    if (distance >= least) continue;
    least = distance;
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

// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/near_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace hone::kconfig {
namespace {

// Letters to insert, drop, replace or swap (Damerau), or more than `max`.
std::size_t DistanceOf(std::string_view a, std::string_view b, std::size_t max) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > max) return max + 1;
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t k = 0; k <= b.size(); ++k) last[k] = k;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t k = 1; k <= b.size(); ++k) {
      const std::size_t cost = a[i - 1] == b[k - 1] ? 0 : 1;
      row[k] = std::min({last[k] + 1, row[k - 1] + 1, last[k - 1] + cost});
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) {
        row[k] = std::min(row[k], before[k - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::multiset<std::string_view> WordsOf(std::string_view name) {
  std::multiset<std::string_view> words;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('_'), name.size());
    if (end > 0) words.insert(name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return words;
}

std::string UpperName(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

}  // namespace

std::vector<std::string> NearNames(const Tree& tree, std::string_view name, std::size_t max) {
  const std::string wanted = UpperName(name);
  const std::size_t reach = wanted.size() < 4 ? 1 : wanted.size() / 5 + 1;
  const std::multiset<std::string_view> words = WordsOf(wanted);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (SymbolId id = 0; id < tree.symbols().size(); ++id) {
    const std::string_view other = tree.symbol(id).name;
    if (tree.RankOf(id) == kNone || other.empty()) continue;
    const std::string upper = UpperName(other);
    std::size_t distance = DistanceOf(wanted, upper, reach);
    if (distance > reach && words.size() > 1 && WordsOf(upper) == words) distance = 1;
    if (distance <= reach) near.emplace_back(distance, std::string(other));
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> names;
  for (auto& entry : near) {
    if (names.size() < max) names.push_back(std::move(entry.second));
  }
  return names;
}

Error UnknownSymbol(const Tree& tree, std::string_view name) {
  const std::vector<std::string> near = NearNames(tree, name);
  return {Errc::kNotFound, near.empty() ? fmt::format("{}: no symbol of this tree", name)
                                        : fmt::format("{}: no symbol of this tree; near names: {}",
                                                      name, fmt::join(near, ", "))};
}

}  // namespace hone::kconfig

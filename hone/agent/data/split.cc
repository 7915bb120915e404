// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/data/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>

#include "hone/core/rng.h"

namespace hone::agent {
namespace {

// Sets of rows that must stay together.
class Together {
 public:
  explicit Together(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }

  std::size_t Find(std::size_t row) {
    while (parent_[row] != row) row = parent_[row] = parent_[parent_[row]];
    return row;
  }
  void Join(std::size_t a, std::size_t b) { parent_[Find(a)] = Find(b); }

 private:
  std::vector<std::size_t> parent_;
};

void JoinByOption(const std::vector<QuestionRow>& rows, Together& together) {
  std::map<std::string, std::size_t> first;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const QuestionItem& item : rows[i].question.items) {
      together.Join(i, first.emplace(item.key, i).first->second);
    }
    texts.push_back(WordsOf(rows[i].question));
  }
  for (const auto& [a, b] : NearPairs(texts)) together.Join(a, b);
}

void JoinByGoal(const std::vector<QuestionRow>& rows, Together& together) {
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    together.Join(i, first.emplace(rows[i].goal, i).first->second);
  }
  std::vector<std::string> goals;
  std::vector<std::size_t> row_of;
  for (const auto& [goal, row] : first) {
    goals.push_back(goal);
    row_of.push_back(row);
  }
  for (const auto& [a, b] : NearPairs(goals)) together.Join(row_of[a], row_of[b]);
}

using RowSet = std::vector<std::size_t>;

// Largest first, those of one size in an order of the seed's.
std::vector<RowSet> SetsOf(std::size_t count, Together& together, std::uint64_t seed) {
  std::map<std::size_t, RowSet> by_root;
  for (std::size_t i = 0; i < count; ++i) by_root[together.Find(i)].push_back(i);
  std::vector<RowSet> sets;
  sets.reserve(by_root.size());
  for (auto& [root, rows] : by_root) sets.push_back(std::move(rows));
  Rng(seed).Shuffle(sets);
  std::stable_sort(sets.begin(), sets.end(),
                   [](const RowSet& a, const RowSet& b) { return a.size() > b.size(); });
  return sets;
}

struct Share {
  const char* name;
  double wanted = 0;  // Rows.
  double dealt = 0;
};

}  // namespace

Result<void> DealOut(std::vector<QuestionRow>& rows, const SplitSettings& settings) {
  const double held_out = settings.validation + settings.test;
  if (!(settings.validation >= 0) || !(settings.test >= 0) || !(held_out < 1)) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("shares {} and {}: expected 0 or more each, less than 1 together",
                             settings.validation, settings.test)};
  }
  Together together(rows.size());
  if (settings.by == SplitBy::kOption) {
    JoinByOption(rows, together);
  } else {
    JoinByGoal(rows, together);
  }
  const auto count = static_cast<double>(rows.size());
  std::array<Share, 3> shares = {Share{"train", (1 - held_out) * count},
                                 Share{"validation", settings.validation * count},
                                 Share{"test", settings.test * count}};
  for (const RowSet& set : SetsOf(rows.size(), together, settings.seed)) {
    Share& share = *std::max_element(
        shares.begin(), shares.end(),
        [](const Share& a, const Share& b) { return a.wanted - a.dealt < b.wanted - b.dealt; });
    for (const std::size_t row : set) rows[row].split = share.name;
    share.dealt += static_cast<double>(set.size());
  }
  for (const Share& share : shares) {
    if (share.wanted <= 0 || share.dealt > 0 || rows.empty()) continue;
    return Error{Errc::kUnsupported,
                 fmt::format("split by {}: nothing is left for {}: the rows hang together in too "
                             "few sets; add questions of other menus or goals",
                             NameOf(settings.by), share.name)};
  }
  return {};
}

}  // namespace hone::agent

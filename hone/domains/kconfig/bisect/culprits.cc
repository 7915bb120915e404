// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/bisect/culprits.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

namespace hone::kernels {
namespace {

ChangeSet Joined(const std::vector<ChangeSet>& groups) {
  ChangeSet all;
  for (const ChangeSet& group : groups) all.insert(all.end(), group.begin(), group.end());
  std::sort(all.begin(), all.end());
  return all;
}

ChangeSet Without(const ChangeSet& changes, const ChangeSet& others) {
  ChangeSet left;
  std::set_difference(changes.begin(), changes.end(), others.begin(), others.end(),
                      std::back_inserter(left));
  return left;
}

class CulpritSearch {
 public:
  explicit CulpritSearch(const TryChanges& try_changes) : try_changes_(try_changes) {}

  // Of changes that are bad together, those without which they are not; the later ones first.
  Result<Culprits> Among(ChangeSet rest) {
    Culprits culprits;
    while (!rest.empty()) {
      const auto group = LastOfShortestBad(culprits.groups, rest);
      if (!group) return group.error();
      culprits.groups.push_back(*group);
      if (rest.empty()) break;
      const auto alone = Try(Joined(culprits.groups));
      if (!alone) return alone.error();
      if (alone->judgement == Judgement::kBad) break;
    }
    if (auto fine = LeaveOut(culprits); !fine) return fine.error();
    return culprits;
  }

  // What came with the culprits may be what is bad, and they only what it followed from.
  Result<Culprits> AmongConsequences(Culprits culprits) {
    while (true) {
      const ChangeSet found = Joined(culprits.groups);
      const auto tried = Try(found);
      if (!tried) return tried.error();
      const ChangeSet followed = Without(tried->made, found);
      if (followed.empty()) return culprits;
      ChangeSet rest = followed;
      rest.insert(rest.end(), found.begin(), found.end());
      auto others = Among(rest);
      if (!others) return others.error();
      const auto now = Try(Joined(others->groups));
      if (!now) return now.error();
      if (now->made.size() >= tried->made.size()) return culprits;
      culprits = std::move(*others);
    }
  }

 private:
  Result<ChangesTried> Try(ChangeSet changes) const {
    std::sort(changes.begin(), changes.end());
    return try_changes_(changes);
  }

  Result<ChangesTried> TryBeginning(const std::vector<ChangeSet>& found, const ChangeSet& rest,
                                    std::size_t length) const {
    ChangeSet changes = Joined(found);
    changes.insert(changes.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(length));
    return Try(std::move(changes));
  }

  struct Split {
    std::size_t at;
    bool is_bad;
  };

  // A beginning between the two lengths that is good or bad, the nearest to the middle.
  Result<std::optional<Split>> SplitOf(const std::vector<ChangeSet>& found, const ChangeSet& rest,
                                       std::size_t good, std::size_t bad) const {
    std::vector<std::size_t> lengths(bad - good - 1);
    std::iota(lengths.begin(), lengths.end(), good + 1);
    const auto distance = [&](std::size_t length) {
      return 2 * length > good + bad ? 2 * length - good - bad : good + bad - 2 * length;
    };
    std::stable_sort(lengths.begin(), lengths.end(), [&](std::size_t one, std::size_t other) {
      return distance(one) < distance(other);
    });
    for (const std::size_t length : lengths) {
      const auto tried = TryBeginning(found, rest, length);
      if (!tried) return tried.error();
      if (tried->judgement == Judgement::kSkipped) continue;
      return std::optional(Split{length, tried->judgement == Judgement::kBad});
    }
    return std::optional<Split>();
  }

  // The rest is left with what comes before.
  Result<ChangeSet> LastOfShortestBad(const std::vector<ChangeSet>& found, ChangeSet& rest) const {
    std::size_t good = 0;
    std::size_t bad = rest.size();
    while (bad - good > 1) {
      const auto split = SplitOf(found, rest, good, bad);
      if (!split) return split.error();
      if (!*split) break;
      ((*split)->is_bad ? bad : good) = (*split)->at;
    }
    ChangeSet group(rest.begin() + static_cast<std::ptrdiff_t>(good),
                    rest.begin() + static_cast<std::ptrdiff_t>(bad));
    rest.resize(good);
    std::sort(group.begin(), group.end());
    return group;
  }

  // More changes may be good again, so that what halving found is not always the smallest set.
  Result<void> LeaveOut(Culprits& culprits) const {
    std::vector<ChangeSet>& groups = culprits.groups;
    for (std::size_t i = 0; groups.size() > 1 && i < groups.size();) {
      std::vector<ChangeSet> fewer = groups;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      const auto tried = Try(Joined(fewer));
      if (!tried) return tried.error();
      if (tried->judgement == Judgement::kSkipped) culprits.is_minimal = false;
      if (tried->judgement == Judgement::kBad) {
        groups = std::move(fewer);
        culprits.is_minimal = true;
        i = 0;
      } else {
        ++i;
      }
    }
    return {};
  }

  const TryChanges& try_changes_;
};

}  // namespace

Result<Culprits> FindCulprits(std::size_t count, const TryChanges& try_changes) {
  ChangeSet all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  CulpritSearch search(try_changes);
  auto culprits = search.Among(std::move(all));
  if (!culprits) return culprits.error();
  return search.AmongConsequences(std::move(*culprits));
}

std::size_t MaxStepsForOne(std::size_t count) {
  if (count < 2) return 0;
  return static_cast<std::size_t>(std::bit_width(count - 1)) + 1;
}

}  // namespace hone::kernels

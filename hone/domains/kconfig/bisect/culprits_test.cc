// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/bisect/culprits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>

#include "hone/core/rng.h"

namespace hone::kernels {
namespace {

using ::testing::ElementsAre;

bool HasAll(const ChangeSet& changes, const ChangeSet& wanted) {
  return std::includes(changes.begin(), changes.end(), wanted.begin(), wanted.end());
}

// Something to be bisected that counts how often it was asked.
class Planted {
 public:
  using Rule = std::function<ChangesTried(const ChangeSet& changes)>;

  Planted(std::size_t count, Rule rule) : count_(count), rule_(std::move(rule)) {}

  // Bad if all of one of these are there.
  static Planted With(std::size_t count, const std::vector<ChangeSet>& causes) {
    return {count, [causes](const ChangeSet& changes) {
              const bool is_bad =
                  std::any_of(causes.begin(), causes.end(),
                              [&](const ChangeSet& one) { return HasAll(changes, one); });
              return ChangesTried{is_bad ? Judgement::kBad : Judgement::kGood, changes};
            }};
  }

  Culprits Find() {
    const auto found = FindCulprits(count_, [&](const ChangeSet& changes) -> Result<ChangesTried> {
      EXPECT_TRUE(std::is_sorted(changes.begin(), changes.end()));
      ++asked_[changes];
      return rule_(changes);
    });
    EXPECT_TRUE(found);
    return found ? *found : Culprits{};
  }

  std::size_t steps() const { return asked_.size(); }  // Nothing is tried twice in earnest.

 private:
  std::size_t count_;
  Rule rule_;
  std::map<ChangeSet, int> asked_;
};

ChangeSet All(const Culprits& culprits) {
  ChangeSet all;
  for (const ChangeSet& group : culprits.groups) all.insert(all.end(), group.begin(), group.end());
  std::sort(all.begin(), all.end());
  return all;
}

TEST(CulpritsTest, ASingleOneIsFoundWhereverItIsInAsManyStepsAsWereSaid) {
  for (const std::size_t count : std::initializer_list<std::size_t>{1, 2, 3, 25, 64, 1000}) {
    for (std::size_t culprit = 0; culprit < count; culprit += 1 + count / 40) {
      Planted planted = Planted::With(count, {{culprit}});
      EXPECT_THAT(planted.Find().groups, ElementsAre(ChangeSet{culprit}));
      // The last try of all, with the culprit alone, has no halving to it when there is one change.
      EXPECT_LE(planted.steps(), std::max<std::size_t>(1, MaxStepsForOne(count)))
          << culprit << " of " << count;
    }
  }
}

TEST(CulpritsTest, TwoThatBreakOnlyTogetherAreBothFound) {
  Planted planted = Planted::With(100, {{17, 80}});
  EXPECT_THAT(All(planted.Find()), ElementsAre(17, 80));
  EXPECT_LE(planted.steps(), 2 * MaxStepsForOne(100) + 2);
}

TEST(CulpritsTest, ThreeThatBreakOnlyTogetherAreFoundAtAnyPlaces) {
  Rng rng(7);
  for (int round = 0; round < 50; ++round) {
    ChangeSet wanted{rng.Below(20), 20 + rng.Below(20), 40 + rng.Below(20)};
    Planted planted = Planted::With(60, {wanted});
    EXPECT_EQ(All(planted.Find()), wanted);
  }
}

TEST(CulpritsTest, OfTwoThatBreakItAloneOneIsNamed) {
  Planted planted = Planted::With(30, {{4}, {20}});
  EXPECT_THAT(planted.Find().groups, ElementsAre(ChangeSet{4}));
}

TEST(CulpritsTest, WhereMoreChangesHealWhatFewerBreakNothingSuperfluousIsNamed) {
  // 3 breaks it; 4 heals it; with 9 it is broken again. Halving alone may name all of them.
  Planted planted(10, [](const ChangeSet& changes) {
    const bool is_bad = HasAll(changes, {3}) && (!HasAll(changes, {4}) || HasAll(changes, {9}));
    return ChangesTried{is_bad ? Judgement::kBad : Judgement::kGood, changes};
  });
  EXPECT_THAT(planted.Find().groups, ElementsAre(ChangeSet{3}));
}

TEST(CulpritsTest, WhatCannotBeTriedIsSteppedAround) {
  // A change is possible only together with the one before it.
  Planted planted(40, [](const ChangeSet& changes) {
    if (changes.size() % 2 == 1 && changes.size() > 1) return ChangesTried{};
    const bool is_bad = HasAll(changes, {22});
    return ChangesTried{is_bad ? Judgement::kBad : Judgement::kGood, changes};
  });
  const Culprits culprits = planted.Find();
  EXPECT_TRUE(HasAll(All(culprits), {22}));
  EXPECT_LE(All(culprits).size(), std::size_t{2});
}

TEST(CulpritsTest, WhatCannotBeToldApartIsNamedAsOneGroup) {
  // 10 to 19 are there all or not at all.
  Planted planted(30, [](const ChangeSet& changes) {
    const auto inside =
        std::count_if(changes.begin(), changes.end(), [](auto one) { return one / 10 == 1; });
    if (inside != 0 && inside != 10) return ChangesTried{};
    return ChangesTried{inside == 10 ? Judgement::kBad : Judgement::kGood, changes};
  });
  const Culprits culprits = planted.Find();
  ASSERT_EQ(culprits.groups.size(), std::size_t{1});
  EXPECT_EQ(culprits.groups.front().front(), std::size_t{10});
  EXPECT_EQ(culprits.groups.front().size(), std::size_t{10});
}

TEST(CulpritsTest, AConsequenceThatIsBadByItselfIsNamedInPlaceOfWhatItFollowedFrom) {
  // 2 brings 6 along, and 6 is the bad one.
  Planted planted(8, [](ChangeSet changes) {
    if (HasAll(changes, {2}) && !HasAll(changes, {6})) {
      changes.push_back(6);
      std::sort(changes.begin(), changes.end());
    }
    return ChangesTried{HasAll(changes, {6}) ? Judgement::kBad : Judgement::kGood, changes};
  });
  EXPECT_THAT(planted.Find().groups, ElementsAre(ChangeSet{6}));
}

TEST(CulpritsTest, TwoThatBringEachOtherAlongEndTheSearch) {
  Planted planted(4, [](ChangeSet changes) {
    const bool is_bad = HasAll(changes, {1}) || HasAll(changes, {2});
    if (is_bad) {
      for (const std::size_t one : std::initializer_list<std::size_t>{1, 2}) {
        if (!HasAll(changes, {one})) changes.push_back(one);
        std::sort(changes.begin(), changes.end());
      }
    }
    return ChangesTried{is_bad ? Judgement::kBad : Judgement::kGood, changes};
  });
  EXPECT_EQ(All(planted.Find()).size(), std::size_t{1});
}

TEST(CulpritsTest, AFailureOfTheServiceEndsTheSearch) {
  const auto found = FindCulprits(5, [](const ChangeSet&) -> Result<ChangesTried> {
    return Error{Errc::kUnavailable, "asked to stop"};
  });
  EXPECT_EQ(found.error().message, "asked to stop");
}

}  // namespace
}  // namespace hone::kernels

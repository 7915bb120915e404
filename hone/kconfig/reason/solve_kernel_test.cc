// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "hone/core/rng.h"
#include "hone/kconfig/conf/modes.h"
#include "hone/kconfig/reason/explain.h"
#include "hone/kconfig/reason/kernel_for_test.h"
#include "hone/kconfig/reason/search.h"
#include "hone/kconfig/reason/solve.h"
#include "hone/kconfig/reason/walk.h"

// Explain, solve, search and walk on the source of Linux itself.
namespace hone::kconfig {
namespace {

class KernelTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_start = new std::optional<Configuration>(KernelDefault());
    if (*shared_start) {
      shared_index = new std::shared_ptr<const TreeIndex>(
          std::make_shared<const TreeIndex>((*shared_start)->shared_tree()));
    }
  }
  static void TearDownTestSuite() {
    delete shared_start;
    delete shared_index;
    shared_start = nullptr;
    shared_index = nullptr;
  }
  void SetUp() override {
    if (!*shared_start) {
      GTEST_SKIP() << "no kernel source at " << KernelFolder()
                   << "; scripts/kernel-tree puts Debian's linux-source-6.1 there";
    }
  }
  const Configuration& start() const { return **shared_start; }
  const TreeIndex& index() const { return **shared_index; }
  const Tree& tree() const { return index().tree(); }

  static std::optional<Configuration>* shared_start;
  static std::shared_ptr<const TreeIndex>* shared_index;
};

std::optional<Configuration>* KernelTest::shared_start = nullptr;
std::shared_ptr<const TreeIndex>* KernelTest::shared_index = nullptr;

TEST_F(KernelTest, EveryRequestIsHonouredOrRefusedWithAProofThatHolds) {
  std::vector<Configuration> others;
  for (const Tristate value : {Tristate::kNo, Tristate::kModule, Tristate::kYes}) {
    others.emplace_back(start().shared_tree());
    SetAllNew(others.back(), value);
  }
  Rng rng(7);
  const Solver solver(*shared_index);
  std::size_t refused = 0;
  for (int i = 0; i < 150; ++i) {
    const SymbolId id = tree().order()[rng.Below(tree().order().size())];
    const Symbol& symbol = tree().symbol(id);
    if (!IsLogical(symbol.type) || symbol.is_choice) continue;
    const Tristate value = start().value(id) == Tristate::kYes ? Tristate::kNo : Tristate::kYes;
    SCOPED_TRACE(std::string(symbol.name) + "=" + std::string(TextOf(value)));
    const auto answer = solver.Solve(start(), {.wishes = {{id, std::string(TextOf(value))}}});
    ASSERT_TRUE(answer) << answer.error().message;
    if (!answer->solutions.empty()) continue;
    ++refused;
    EXPECT_FALSE(answer->conflict.empty());
    for (const Configuration& other : others) EXPECT_NE(other.value(id), value);
  }
  EXPECT_GT(refused, 0U);
}

TEST_F(KernelTest, WhatStandsInTheWayIsSaidForEveryValueThatCannotBeSet) {
  for (const SymbolId id : tree().order()) {
    const Symbol& symbol = tree().symbol(id);
    if (!IsLogical(symbol.type) || symbol.is_choice || !index().HasPrompt(id)) continue;
    for (const Tristate value : {Tristate::kNo, Tristate::kYes}) {
      const Possibility answer = WhyNot(index(), start(), id, std::string(TextOf(value)));
      const bool is_so = start().CanBe(id, value) || start().value(id) == value;
      ASSERT_EQ(answer.is_possible, is_so) << answer.sentence;
      if (!is_so) {
        ASSERT_FALSE(answer.blockers.empty()) << answer.sentence;
      }
    }
  }
}

TEST_F(KernelTest, EveryValueHasACause) {
  std::set<Cause> seen;
  for (const SymbolId id : tree().order()) {
    const ValueReason reason = WhyValue(index(), start(), id);
    ASSERT_FALSE(reason.sentence.empty());
    if (reason.cause == Cause::kSelect) {
      ASSERT_FALSE(reason.lines.empty()) << reason.sentence;
    }
    if (reason.cause == Cause::kNothing) {
      ASSERT_THAT(reason.value, ::testing::AnyOf("n", "")) << reason.sentence;
    }
    seen.insert(reason.cause);
  }
  EXPECT_GE(seen.size(), 6U);
}

TEST_F(KernelTest, TheWalkerReachesEveryVisiblePrompt) {
  std::set<SymbolId> asked;
  std::vector<MenuId> pending = {0};
  while (!pending.empty()) {
    const MenuId menu = pending.back();
    pending.pop_back();
    const MenuPage page = WalkMenu(index(), start(), menu, {.wants_help = false});
    for (const Question& question : page.questions) {
      if (question.kind == QuestionKind::kMenu) pending.push_back(question.menu);
      if (question.kind == QuestionKind::kBool || question.kind == QuestionKind::kValue) {
        asked.insert(question.symbol);
      }
    }
  }
  std::size_t visible = 0;
  std::size_t missed = 0;
  for (const SymbolId id : tree().order()) {
    const Symbol& symbol = tree().symbol(id);
    if (symbol.is_choice || symbol.choice != kNone) continue;
    if (start().visibility(id) == Tristate::kNo) continue;
    ++visible;
    missed += asked.contains(id) ? 0 : 1;
  }
  EXPECT_GT(visible, 3000U);
  EXPECT_EQ(missed, 0U);
}

TEST_F(KernelTest, SearchFindsTheSymbolAndWhatItIsAbout) {
  auto options = OptionIndex::Make(*shared_index);
  ASSERT_TRUE(options);
  const auto name = options->Search(start(), "CONFIG_NUMA_BALANCING", 5);
  ASSERT_TRUE(name);
  ASSERT_FALSE(name->empty());
  EXPECT_EQ(tree().symbol(name->front().symbol).name, "NUMA_BALANCING");
  const auto words = options->Search(start(), "transparent hugepage", 10);
  ASSERT_TRUE(words);
  EXPECT_TRUE(std::any_of(words->begin(), words->end(), [&](const SearchHit& hit) {
    return tree().symbol(hit.symbol).name == "TRANSPARENT_HUGEPAGE";
  }));
}

}  // namespace
}  // namespace hone::kconfig

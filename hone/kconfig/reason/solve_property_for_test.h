// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "hone/core/rng.h"
#include "hone/kconfig/reason/actions.h"
#include "hone/kconfig/reason/solve.h"
#include "hone/kconfig/reason/text_tree_for_test.h"

// Random small trees: every answer of Solve against all that there is to set.
namespace hone::kconfig {

// Writes a tree in which every symbol depends on earlier ones and selects later ones.
class RandomTree {
 public:
  RandomTree(Rng& rng, const std::string& dialect, bool has_choice)
      : rng_(rng), has_choice_(has_choice), has_option_(dialect == "linux-5.3") {}

  std::string Write() {
    text_ = fmt::format("config MODULES\n\tbool \"modules\"\n\tdefault y\n\t{}modules\n",
                        has_option_ ? "option " : "");
    Know("MODULES", 'b');
    const std::size_t count = 4 + rng_.Below(4);
    for (std::size_t i = 0; i < count; ++i) {
      if (has_choice_ && i == count / 2) WriteChoice();
      WriteSymbol(fmt::format("S{}", i), i, count);
    }
    return text_;
  }

 private:
  void Know(const std::string& name, char type) { known_.emplace_back(name, type); }

  std::string Term() {
    const auto& [name, type] = known_[rng_.Below(known_.size())];
    if (type == 'i') {
      constexpr const char* kSigns[] = {"<", ">", "=", "!=", "<=", ">="};
      return fmt::format("{} {} {}", name, kSigns[rng_.Below(6)], rng_.Below(5));
    }
    switch (rng_.Below(6)) {
      case 0:
        return "!" + name;
      case 1:
        return name + " = " + (rng_.Coin() ? "y" : "n");
      case 2:
        return rng_.Coin() ? "UNKNOWN" : name;
      default:
        return name;
    }
  }

  std::string Condition() {
    std::string text = Term();
    while (rng_.Below(3) == 0) text += (rng_.Coin() ? " && " : " || ") + Term();
    return text;
  }

  std::string If() { return rng_.Coin() ? " if " + Condition() : std::string(); }

  void WriteSymbol(const std::string& name, std::size_t i, std::size_t count) {
    const std::uint64_t kind = rng_.Below(8);
    const char type = kind == 0 ? 'i' : kind < 4 ? 't' : 'b';
    const bool has_prompt = rng_.Below(4) != 0;
    text_ += fmt::format("config {}\n\t{}{}\n", name,
                         type == 'i'   ? "int"
                         : type == 't' ? "tristate"
                                       : "bool",
                         has_prompt ? " \"" + name + "\"" + If() : std::string());
    if (rng_.Coin()) text_ += "\tdepends on " + Condition() + "\n";
    if (type == 'i') {
      if (rng_.Coin()) text_ += "\trange 1 3" + If() + "\n";
      text_ += fmt::format("\tdefault {}\n", rng_.Below(5));
    } else {
      for (std::uint64_t k = rng_.Below(3); k > 0; --k) {
        text_ += fmt::format("\tdefault {}{}\n", rng_.Coin() ? "y" : Term(), If());
      }
      for (std::uint64_t k = rng_.Below(3); k > 0 && i + 1 < count; --k) {
        text_ += fmt::format("\t{} S{}{}\n", rng_.Below(3) == 0 ? "imply" : "select",
                             i + 1 + rng_.Below(count - i - 1), If());
      }
    }
    Know(name, type);
  }

  void WriteChoice() {
    text_ += "choice\n\tprompt \"choice\"" + If() + "\n";
    if (rng_.Coin()) text_ += fmt::format("\tdefault C{}{}\n", rng_.Below(3), If());
    for (int i = 0; i < 3; ++i) {
      text_ += fmt::format("config C{}\n\tbool \"C{}\"\n", i, i);
      if (rng_.Below(3) == 0) text_ += "\tdepends on " + Condition() + "\n";
    }
    text_ += "endchoice\n";
    for (int i = 0; i < 3; ++i) Know(fmt::format("C{}", i), 'b');
  }

  Rng& rng_;
  bool has_choice_;
  bool has_option_;
  std::string text_;
  std::vector<std::pair<std::string, char>> known_;
};

struct Best {
  std::size_t settings = 0;
  std::size_t effects = 0;
  std::size_t ties = 0;
};

// The fewest user values that give the wish, by trying all of up to `max` of them.
class Exhaustive {
 public:
  Exhaustive(const TextTree& tree, const Wish& wish) : tree_(tree), wish_(wish) {
    for (const SymbolId id : tree.tree().order()) {
      const Symbol& symbol = tree.tree().symbol(id);
      if (symbol.is_choice || !tree.index->HasPrompt(id)) continue;
      std::vector<std::string> values = {"n", "y"};
      if (symbol.type == SymbolType::kTristate) values.emplace_back("m");
      if (symbol.choice != kNone) values = {"y"};
      if (symbol.type == SymbolType::kInt) values = {"-1", "0", "1", "2", "3", "4", "5"};
      settable_.push_back({id, values});
    }
  }

  std::optional<Best> Find() {
    for (std::size_t size = 0; size <= settable_.size(); ++size) {
      best_.reset();
      Try(tree_.configuration, 0, size, size);
      if (best_) return best_;
    }
    return std::nullopt;
  }

 private:
  void Try(const Configuration& at, std::size_t from, std::size_t left, std::size_t size) {
    if (left == 0) return Look(at, size);
    for (std::size_t i = from; i < settable_.size(); ++i) {
      for (const std::string& value : settable_[i].second) {
        Configuration next = at;
        EXPECT_TRUE(next.Set(settable_[i].first, value));
        Try(next, i + 1, left - 1, size);
      }
    }
  }

  void Look(const Configuration& at, std::size_t size) {
    if (at.text(wish_.symbol) != wish_.value) return;
    const std::size_t effects = DifferenceOf(tree_.configuration, at).size();
    if (!best_) best_ = Best{size, effects, 0};
    best_->effects = std::min(best_->effects, effects);
    ++best_->ties;
  }

  const TextTree& tree_;
  const Wish& wish_;
  std::vector<std::pair<SymbolId, std::vector<std::string>>> settable_;
  std::optional<Best> best_;
};

inline void StartAnywhere(TextTree& tree, Rng& rng) {
  for (const SymbolId id : tree.tree().order()) {
    const Symbol& symbol = tree.tree().symbol(id);
    if (symbol.is_choice || !tree.index->HasPrompt(id) || rng.Below(3) != 0) continue;
    std::string value = rng.Coin() ? "y" : "n";
    if (symbol.type == SymbolType::kInt) value = fmt::format("{}", rng.Below(5));
    EXPECT_TRUE(tree.configuration.Set(id, value));
  }
}

inline void CompareWithAll(const TextTree& tree, const Wish& wish, const std::string& text) {
  SCOPED_TRACE(fmt::format("{}={} in\n{}", tree.tree().symbol(wish.symbol).name, wish.value, text));
  const std::optional<Best> best = Exhaustive(tree, wish).Find();
  const auto answer = Solver(tree.index).Solve(tree.configuration, {.wishes = {wish}});
  ASSERT_TRUE(answer) << answer.error().message;
  ASSERT_EQ(best.has_value(), !answer->solutions.empty());
  if (!best) {
    EXPECT_FALSE(answer->conflict.empty());
    return;
  }
  const Solution& solution = answer->solutions.front();
  EXPECT_EQ(solution.settings.size(), best->settings);
  if (best->ties > 20) return;
  EXPECT_EQ(solution.effects.size(), best->effects);
}

inline void RunProperty(std::uint64_t first, std::uint64_t count, const std::string& dialect,
                        bool has_choice) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Rng rng(seed);
    const std::string text = RandomTree(rng, dialect, has_choice).Write();
    TextTree tree(text, dialect);
    ASSERT_FALSE(tree.tree().order().empty()) << text;
    StartAnywhere(tree, rng);
    for (int i = 0; i < 4; ++i) {
      const SymbolId id = tree.tree().order()[rng.Below(tree.tree().order().size())];
      const Symbol& symbol = tree.tree().symbol(id);
      if (symbol.is_choice) continue;
      std::string value = rng.Coin() ? "y" : "n";
      if (symbol.type == SymbolType::kTristate && rng.Below(3) == 0) value = "m";
      if (symbol.type == SymbolType::kInt) value = fmt::format("{}", rng.Below(5));
      CompareWithAll(tree, {id, value}, text);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace hone::kconfig

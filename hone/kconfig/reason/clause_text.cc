// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/clause_text.h"

#include <fmt/format.h>

#include <vector>

#include "hone/kconfig/reason/explain.h"

namespace hone::kconfig {
namespace {

constexpr std::size_t kMaxNamed = 6;

std::string Condition(const Tree& tree, ExpressionId id) {
  return id == kNone ? std::string() : " if " + tree.Show(id);
}

class RuleText {
 public:
  RuleText(const TreeIndex& index, SymbolId id) : index_(index), tree_(index.tree()), id_(id) {}

  void AddPrompts() {
    for (const Property& property : tree_.PropertiesOf(id_)) {
      if (property.kind != PropertyKind::kPrompt) continue;
      Add(property.condition == kNone ? "its prompt is always visible"
                                      : "its prompt needs " + tree_.Show(property.condition),
          property.where);
    }
    if (parts_.empty()) Add("it has no prompt", WhereDefined());
  }

  void AddDefaults() {
    for (const Property& property : tree_.PropertiesOf(id_)) {
      if (property.kind == PropertyKind::kDefault) {
        Add(fmt::format("default {}{}", tree_.Show(property.first),
                        Condition(tree_, property.condition)),
            property.where);
      }
      if (property.kind == PropertyKind::kRange) {
        Add(fmt::format("range {} {}{}", tree_.symbol(property.first).name,
                        tree_.symbol(property.second).name, Condition(tree_, property.condition)),
            property.where);
      }
    }
  }

  void AddSelects() {
    std::size_t count = 0;
    for (const PropertyId select : index_.SelectsOf(id_)) {
      if (++count > kMaxNamed) continue;
      const Property& property = tree_.property(select);
      Add(fmt::format("selected by {}{}", tree_.symbol(property.symbol).name,
                      Condition(tree_, property.condition)),
          property.where);
    }
    if (count > kMaxNamed) parts_.push_back(fmt::format("and by {} more", count - kMaxNamed));
  }

  void AddChoice() {
    const SymbolId choice = tree_.symbol(id_).choice;
    if (choice == kNone) return;
    Add(fmt::format("one of the {} members of {}", tree_.MembersOf(choice).size(),
                    DisplayName(tree_, choice)),
        WhereDefined());
  }

  Location WhereDefined() const {
    const MenuId menu = tree_.symbol(id_).first_menu;
    return menu == kNone ? Location{} : tree_.menu(menu).where;
  }

  std::string Join() const {
    return fmt::format("{}: {}", DisplayName(tree_, id_), fmt::join(parts_, "; "));
  }

 private:
  void Add(const std::string& text, Location where) {
    parts_.push_back(fmt::format("{} ({})", text, tree_.Show(where)));
  }

  const TreeIndex& index_;
  const Tree& tree_;
  SymbolId id_;
  std::vector<std::string> parts_;
};

}  // namespace

Clause DescribeDemand(const Tree& tree, ClauseKind kind, SymbolId id, const std::string& value) {
  const std::string name = DisplayName(tree, id);
  return {.kind = kind,
          .symbol = id,
          .where = {},
          .text = kind == ClauseKind::kWish ? fmt::format("{}={} is asked for", name, value)
                                            : fmt::format("{} must stay {}", name, value)};
}

Clause DescribeRule(const TreeIndex& index, SymbolId id, Side side) {
  const Tree& tree = index.tree();
  Clause clause{.kind = side == Side::kMax ? ClauseKind::kMax : ClauseKind::kMin,
                .symbol = id,
                .where = {},
                .text = {}};
  if (!index.IsDefined(id)) {
    clause.kind = ClauseKind::kUndefined;
    clause.text =
        fmt::format("{}: no file of the tree defines it, so it is n", tree.symbol(id).name);
    return clause;
  }
  RuleText text(index, id);
  clause.where = text.WhereDefined();
  text.AddChoice();
  if (side == Side::kMax) text.AddPrompts();
  text.AddSelects();
  text.AddDefaults();
  clause.text =
      (side == Side::kMax ? "at most what it allows: " : "at least what it forces: ") + text.Join();
  return clause;
}

}  // namespace hone::kconfig

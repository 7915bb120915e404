// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/tree/cycle_report.h"
#include "hone/kconfig/tree/expression_walk.h"
#include "hone/kconfig/tree/finalise.h"

namespace hone::kconfig {
namespace {

// Depth-first over what symbols are computed from, with a stack of its own: a chain of dependencies
// may be as long as there are symbols. A choice and its members are one unit, named by the choice.
class Sorter {
 public:
  explicit Sorter(TreeParts& parts)
      : parts_(parts),
        colours_(parts.symbols.size(), Colour::kWhite),
        is_done_(parts.expressions.size(), false),
        stamps_(parts.expressions.size(), 0) {}

  // False if there is a loop.
  bool Run() {
    parts_.order.reserve(parts_.symbols.size());
    std::vector<std::uint32_t> choice_index(parts_.symbols.size(), kNone);
    for (std::uint32_t i = 0; i < parts_.choices.size(); ++i) {
      choice_index[parts_.choices[i].symbol] = i;
    }
    choice_index_ = std::move(choice_index);
    Visit(UnitOf(parts_.modules));
    for (SymbolId id = 0; id < parts_.symbols.size(); ++id) {
      if (parts_.symbols[id].first_menu != kNone) Visit(UnitOf(id));
    }
    return !has_loop_;
  }

 private:
  enum class Colour : std::uint8_t { kWhite, kGrey, kBlack };
  struct Frame {
    SymbolId unit;
    std::size_t first_leaf;
    std::size_t first_expression;
  };
  static constexpr SymbolId kSoft = 0x80000000;  // An edge that the C tool does not check.

  SymbolId UnitOf(SymbolId id) const {
    return parts_.symbols[id].choice == kNone ? id : parts_.symbols[id].choice;
  }

  void Visit(SymbolId start) {
    if (colours_[start] != Colour::kWhite) return;
    Enter(start);
    while (!frames_.empty()) {
      if (leaves_.size() == frames_.back().first_leaf) {
        Leave();
        continue;
      }
      const SymbolId leaf = leaves_.back();
      leaves_.pop_back();
      const SymbolId unit = UnitOf(leaf & ~kSoft);
      if (colours_[unit] == Colour::kWhite) {
        Enter(unit);
      } else if (colours_[unit] == Colour::kGrey && (leaf & kSoft) == 0) {
        has_loop_ = true;
      }
    }
  }

  void Enter(SymbolId unit) {
    colours_[unit] = Colour::kGrey;
    frames_.push_back({unit, leaves_.size(), expressions_.size()});
    ++stamp_;
    AddInputs(unit);
    if (choice_index_[unit] == kNone) return;
    for (const SymbolId member : parts_.choices[choice_index_[unit]].members) AddInputs(member);
  }

  void Leave() {
    const Frame frame = frames_.back();
    frames_.pop_back();
    colours_[frame.unit] = Colour::kBlack;
    for (std::size_t i = frame.first_expression; i < expressions_.size(); ++i) {
      is_done_[expressions_[i]] = true;
    }
    expressions_.resize(frame.first_expression);
    if (parts_.symbols[frame.unit].first_menu == kNone) return;
    parts_.order.push_back(frame.unit);
    if (choice_index_[frame.unit] == kNone) return;
    for (const SymbolId member : parts_.choices[choice_index_[frame.unit]].members) {
      parts_.order.push_back(member);
    }
  }

  void AddInputs(SymbolId id) {
    const Symbol& symbol = parts_.symbols[id];
    AddExpression(symbol.dependency);
    AddExpression(symbol.selected_by);
    AddExpression(symbol.implied_by);
    for (std::uint32_t i = 0; i < symbol.property_count; ++i) {
      const Property& property = parts_.properties[symbol.first_property + i];
      if (property.kind == PropertyKind::kSelect || property.kind == PropertyKind::kImply) continue;
      AddExpression(property.condition);
      if (property.kind == PropertyKind::kDefault && !symbol.is_choice) {
        AddExpression(property.first);
      }
      if (property.kind == PropertyKind::kRange) {
        AddLeaf(property.first | kSoft);
        AddLeaf(property.second | kSoft);
      }
    }
  }

  // Most properties have the condition of the symbol's dependency, or of one that is done.
  void AddExpression(ExpressionId id) {
    if (id == kNone || is_done_[id] || stamps_[id] == stamp_) return;
    const auto enters = [this](ExpressionId at) {
      if (is_done_[at] || stamps_[at] == stamp_) return false;
      stamps_[at] = stamp_;
      expressions_.push_back(at);
      return true;
    };
    WalkExpression(parts_.expressions, id, pending_, enters,
                   [this](SymbolId leaf) { AddLeaf(leaf); });
  }

  // The members of a unit depend on its choice; that is no loop.
  void AddLeaf(SymbolId leaf) {
    const SymbolId id = leaf & ~kSoft;
    const SymbolId unit = UnitOf(id);
    if (colours_[unit] == Colour::kBlack) return;
    if (unit == frames_.back().unit && choice_index_[unit] != kNone && id == unit) return;
    leaves_.push_back(leaf);
  }

  TreeParts& parts_;
  std::vector<std::uint32_t> choice_index_;
  std::vector<Colour> colours_;
  std::vector<bool> is_done_;  // Every symbol in the expression is black.
  std::vector<std::uint32_t> stamps_;
  std::uint32_t stamp_ = 0;
  std::vector<Frame> frames_;
  std::vector<SymbolId> leaves_;
  std::vector<ExpressionId> expressions_;
  std::vector<ExpressionId> pending_;
  bool has_loop_ = false;
};

}  // namespace

void OrderSymbols(TreeBuilder& builder) {
  if (!Sorter(builder.parts).Run()) ReportCycles(builder);
}

}  // namespace hone::kconfig

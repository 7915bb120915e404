// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/tree/finalise.h"

#include <fmt/format.h>

#include <unordered_set>
#include <utility>

#include "hone/kconfig/tree/simplify.h"

namespace hone::kconfig {
namespace {

constexpr std::uint32_t kDeepestMenus = 3000;

class Finaliser {
 public:
  explicit Finaliser(TreeBuilder& builder)
      : builder_(builder),
        nodes_(builder.nodes),
        symbols_(builder.parts.symbols),
        pool_(builder.parts.expressions),
        simplifier_(pool_, symbols_),
        has_groups_(builder.parts.dialect.choice_rules == ChoiceRules::kGroup),
        folds_constants_(builder.parts.dialect.folds_constants) {}

  void Run() {
    FinaliseNode(0);
    GuardConfigDefaults();
  }

 private:
  void FinaliseNode(MenuId id) {
    if (++depth_ > kDeepestMenus) {
      if (depth_ == kDeepestMenus + 1) {
        builder_.Report(
            Severity::kError, nodes_[id].where,
            fmt::format("entries depend on each other more than {} levels deep", kDeepestMenus));
      }
    } else if (nodes_[id].first_child != kNone) {
      FinaliseChildren(id);
    } else if (nodes_[id].symbol != kNone) {
      if (!has_groups_ || !IsChoice(nodes_[id].parent)) MakeSubmenu(id);
      AddDependency(nodes_[id]);
    }
    GatherAndFlatten(id);
    RequireChoice(id);
    if (nodes_[id].symbol != kNone) builder_.finished.push_back(id);
    --depth_;
  }

  // They hold where the symbol may have a value at all, which only all of its definitions tell.
  void GuardConfigDefaults() {
    for (MenuId id = 0; id < nodes_.size(); ++id) {
      if (nodes_[id].defaults_of == kNone) continue;
      const ExpressionId dependency = symbols_[nodes_[id].defaults_of].dependency;
      for (Property& property : builder_.PropertiesOf(id)) {
        property.condition = Both(dependency, property.condition);
      }
    }
  }

  // Of one more definition.
  void AddDependency(const MenuNode& node) {
    ExpressionId& dependency = symbols_[node.symbol].dependency;
    if (!folds_constants_) {
      dependency = pool_.Or(dependency, node.dependency);
    } else if (defined_.insert(node.symbol).second) {
      dependency = node.dependency;
    } else {
      dependency = Either(dependency, node.dependency);
    }
  }

  ExpressionId Either(ExpressionId one, ExpressionId other) {
    for (const ExpressionId always : {kNone, kExpressionYes}) {
      if (one == always || other == always) return kNone;
    }
    if (one == kExpressionNo) return other;
    return other == kExpressionNo ? one : pool_.Or(one, other);
  }

  ExpressionId Both(ExpressionId one, ExpressionId other) {
    if (folds_constants_ && (one == kExpressionNo || other == kExpressionNo)) return kExpressionNo;
    return pool_.And(one, other);
  }

  bool IsChoice(MenuId id) const { return nodes_[id].kind == MenuKind::kChoice; }

  void FinaliseChildren(MenuId id) {
    ExpressionId parent_dependency = nodes_[id].dependency;
    if (IsChoice(id)) {
      SettleChoiceType(id);
      if (!has_groups_) parent_dependency = pool_.Symbol(nodes_[id].symbol);
    }
    for (MenuId child = nodes_[id].first_child; child != kNone; child = nodes_[child].next) {
      CarryDown(child, parent_dependency);
    }
    for (MenuId child = nodes_[id].first_child; child != kNone; child = nodes_[child].next) {
      FinaliseNode(child);
    }
  }

  // A choice without a type has that of its first member, a member without one that of the choice.
  void SettleChoiceType(MenuId id) {
    Symbol& choice = symbols_[nodes_[id].symbol];
    for (MenuId child = nodes_[id].first_child; child != kNone; child = nodes_[child].next) {
      if (choice.type != SymbolType::kUnknown) break;
      if (nodes_[child].symbol != kNone) choice.type = symbols_[nodes_[child].symbol].type;
    }
    for (MenuId child = nodes_[id].first_child; child != kNone; child = nodes_[child].next) {
      if (nodes_[child].symbol == kNone) continue;
      Symbol& member = symbols_[nodes_[child].symbol];
      if (member.type == SymbolType::kUnknown) member.type = choice.type;
    }
  }

  void CarryDown(MenuId id, ExpressionId parent_dependency) {
    MenuNode& node = nodes_[id];
    const SymbolId modules = builder_.parts.modules;
    node.dependency = Both(parent_dependency, simplifier_.Prepare(node.dependency, modules));
    for (Property& property : builder_.PropertiesOf(id)) {
      property.condition = Both(node.dependency, simplifier_.Prepare(property.condition, modules));
      if (property.kind != PropertyKind::kSelect && property.kind != PropertyKind::kImply) continue;
      if (folds_constants_ && property.condition == kExpressionNo) continue;
      const ExpressionId cause = pool_.And(pool_.Symbol(node.symbol), property.condition);
      Symbol& target = symbols_[property.first];
      ExpressionId& causes =
          property.kind == PropertyKind::kSelect ? target.selected_by : target.implied_by;
      causes = pool_.Or(causes, cause);
    }
  }

  ExpressionId VisibilityOf(const MenuNode& node) const {
    return node.prompt == kNone ? node.dependency : builder_.properties[node.prompt].condition;
  }

  ExpressionId OwnCondition(MenuId id) {
    const PropertyId prompt = nodes_[id].prompt;
    if (prompt == kNone) return kNone;
    return simplifier_.JoinDuplicates(builder_.properties[prompt].condition);
  }

  ExpressionId Comparable(ExpressionId id) {
    return simplifier_.JoinDuplicates(simplifier_.Transform(simplifier_.CompareWithNo(id, false)));
  }

  // The entries that follow and depend on this one become its children.
  void MakeSubmenu(MenuId id) {
    const SymbolId symbol = nodes_[id].symbol;
    bool has_base = false;
    ExpressionId base = kNone;
    MenuId last = kNone;
    for (MenuId at = nodes_[id].next; at != kNone; at = nodes_[at].next) {
      const ExpressionId condition = VisibilityOf(nodes_[at]);
      if (!simplifier_.Mentions(condition, symbol)) break;
      if (!simplifier_.NeedsSymbol(condition, symbol)) {
        const ExpressionId joined = simplifier_.JoinDuplicates(condition);
        if (!simplifier_.Mentions(joined, symbol)) break;
        if (!simplifier_.NeedsSymbol(joined, symbol)) {
          if (!has_base) base = Comparable(OwnCondition(id));
          has_base = true;
          if (!simplifier_.IsSuperset(Comparable(joined), base)) break;
        }
      }
      FinaliseNode(at);
      nodes_[at].parent = id;
      last = at;
    }
    if (last == kNone) return;
    nodes_[id].first_child = nodes_[id].next;
    nodes_[id].next = nodes_[last].next;
    nodes_[last].next = kNone;
  }

  void GatherAndFlatten(MenuId id) {
    for (MenuId child = nodes_[id].first_child; child != kNone; child = nodes_[child].next) {
      if (IsChoice(id) && nodes_[child].symbol != kNone) AddMember(id, child);
      MenuNode& node = nodes_[child];
      if (node.first_child == kNone || node.prompt != kNone) continue;
      MenuId last = node.first_child;
      for (;; last = nodes_[last].next) {
        nodes_[last].parent = id;
        if (nodes_[last].next == kNone) break;
      }
      nodes_[last].next = node.next;
      node.next = node.first_child;
      node.first_child = kNone;
    }
  }

  void AddMember(MenuId id, MenuId child) {
    const SymbolId choice = nodes_[id].symbol;
    const SymbolId symbol = nodes_[child].symbol;
    Symbol& member = symbols_[symbol];
    if (member.choice != kNone || member.is_choice) return;
    member.choice = choice;
    if (nodes_[child].prompt == kNone && has_groups_) {
      builder_.Refuse(nodes_[child].where, "choice member must have a prompt");
    } else if (nodes_[child].prompt == kNone) {
      builder_.Report(Severity::kWarning, nodes_[child].where, "choice value must have a prompt");
    }
    if (has_groups_ && member.type != SymbolType::kBool) {
      builder_.Refuse(nodes_[child].where, "choice member must be bool");
    }
    for (Choice& group : builder_.parts.choices) {
      if (group.symbol == choice) group.members.push_back(symbol);
    }
    if (symbols_[choice].type != SymbolType::kTristate || member.type == SymbolType::kTristate) {
      return;
    }
    // A bool in a tristate choice is there only while the choice is y.
    const ExpressionId is_yes = pool_.Compare(Operation::kEqual, choice, kSymbolYes);
    nodes_[child].dependency = pool_.And(is_yes, nodes_[child].dependency);
    for (Property& property : builder_.PropertiesOf(child)) {
      property.condition = pool_.And(is_yes, property.condition);
    }
  }

  // A visible choice that is not optional cannot be n: as if its prompt selected it.
  void RequireChoice(MenuId id) {
    if (!IsChoice(id) || nodes_[id].prompt == kNone || has_groups_) return;
    Symbol& choice = symbols_[nodes_[id].symbol];
    if (choice.is_optional) return;
    const ExpressionId visible = builder_.properties[nodes_[id].prompt].condition;
    choice.selected_by = pool_.Or(choice.selected_by, pool_.And(visible, kExpressionModule));
  }

  TreeBuilder& builder_;
  LargeList<MenuNode>& nodes_;
  LargeList<Symbol>& symbols_;
  ExpressionPool& pool_;
  Simplifier simplifier_;
  bool has_groups_;
  bool folds_constants_;
  std::unordered_set<SymbolId> defined_;
  std::uint32_t depth_ = 0;
};

// Puts each item into the place that is named for it.
void Permute(LargeList<Property>& items, std::vector<PropertyId> places) {
  for (PropertyId id = 0; id < items.size(); ++id) {
    while (places[id] != id) {
      const PropertyId place = places[id];
      std::swap(items[id], items[place]);
      std::swap(places[id], places[place]);
    }
  }
}

// Where each property will lie: those of a symbol together, at the first of them, so that most stay
// where they are.
std::vector<PropertyId> PlacesOfProperties(TreeBuilder& builder) {
  LargeList<Symbol>& symbols = builder.parts.symbols;
  for (const Property& property : builder.properties) {
    if (property.symbol != kNone) ++symbols[property.symbol].property_count;
  }
  std::vector<std::uint32_t> placed(symbols.size(), 0);
  std::vector<PropertyId> places;
  places.reserve(builder.properties.size());
  PropertyId next = 0;
  for (const Property& property : builder.properties) {
    if (property.symbol == kNone) {
      places.push_back(next++);
      continue;
    }
    Symbol& symbol = symbols[property.symbol];
    if (placed[property.symbol] == 0) {
      symbol.first_property = next;
      next += symbol.property_count;
    }
    places.push_back(symbol.first_property + placed[property.symbol]++);
  }
  return places;
}

// Lays the properties and the nodes as they will stay.
void Arrange(TreeBuilder& builder) {
  TreeParts& parts = builder.parts;
  std::vector<PropertyId> places = PlacesOfProperties(builder);
  std::vector<MenuId> last_definition(parts.symbols.size(), kNone);
  parts.menus = std::move(builder.nodes);
  for (MenuId id = 0; id < parts.menus.size(); ++id) {
    MenuNode& node = parts.menus[id];
    if (node.prompt != kNone) node.prompt = places[node.prompt];
    if (node.symbol == kNone) continue;
    MenuId& last = last_definition[node.symbol];
    (last == kNone ? parts.symbols[node.symbol].first_menu : parts.menus[last].next_definition) =
        id;
    last = id;
  }
  Permute(builder.properties, std::move(places));
  parts.properties = std::move(builder.properties);
}

}  // namespace

std::shared_ptr<const Tree> Finalise(TreeBuilder& builder) {
  Finaliser(builder).Run();
  if (builder.errors > 0) return nullptr;
  Arrange(builder);
  CheckProperties(builder);
  OrderSymbols(builder);
  if (builder.errors > 0) return nullptr;
  builder.parts.expressions.Freeze();
  return std::make_shared<const Tree>(std::move(builder.parts));
}

}  // namespace hone::kconfig

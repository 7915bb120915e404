// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/tree/cycle_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::kconfig {
namespace {

constexpr std::size_t kDeepestPath = 4000;

// Follows the C tool's search: depth-first in hash order (since Linux 6.11: in that of the menus),
// through the dependency, the selects, the implies, then the properties of a symbol.
class CycleSearch {
 public:
  explicit CycleSearch(TreeBuilder& builder)
      : builder_(builder), parts_(builder.parts), marks_(parts_.symbols.size(), 0) {
    for (std::uint32_t i = 0; i < parts_.choices.size(); ++i) {
      choice_index_.resize(parts_.symbols.size(), kNone);
      choice_index_[parts_.choices[i].symbol] = i;
    }
    choice_index_.resize(parts_.symbols.size(), kNone);
  }

  void Run() {
    if (HasGroups()) {
      for (const MenuNode& node : parts_.menus) {
        if (node.symbol != kNone) CheckSymbol(node.symbol);
      }
      return;
    }
    for (const SymbolId id : HashOrder(parts_.symbols, parts_.dialect.hash_buckets))
      CheckSymbol(id);
  }

 private:
  enum class Reason { kDependency, kSelect, kImply, kDefault, kCondition };
  struct Step {
    SymbolId symbol;
    Reason reason = Reason::kDependency;
    PropertyId property = kNone;
  };
  static constexpr std::uint8_t kOpen = 1;
  static constexpr std::uint8_t kChecked = 2;

  bool HasGroups() const { return parts_.dialect.choice_rules == ChoiceRules::kGroup; }

  // The symbol that closes a loop, or kNone.
  SymbolId CheckSymbol(SymbolId id) {
    if ((marks_[id] & kOpen) != 0) {
      Report(id);
      return id;
    }
    if ((marks_[id] & kChecked) != 0 || path_.size() > kDeepestPath) return kNone;
    const Symbol& symbol = parts_.symbols[id];
    if (symbol.choice != kNone) {
      path_.push_back({id});
      const SymbolId found = CheckSymbol(symbol.choice);
      path_.pop_back();
      return found;
    }
    if (symbol.is_choice) return CheckChoice(id);
    marks_[id] = kOpen | kChecked;
    const SymbolId found = CheckInputs(id);
    marks_[id] = kChecked;
    return found;
  }

  SymbolId CheckChoice(SymbolId id) {
    const auto& members = parts_.choices[choice_index_[id]].members;
    path_.push_back({id});
    for (const SymbolId member : members) marks_[member] = kOpen | kChecked;
    marks_[id] = kOpen | kChecked;
    SymbolId found = CheckInputs(id);
    marks_[id] = kChecked;
    for (std::size_t i = 0; found == kNone && i < members.size(); ++i) {
      found = CheckInputs(members[i]);
    }
    for (const SymbolId member : members) marks_[member] = kChecked;
    if (found != kNone && parts_.symbols[found].choice == id) found = id;
    path_.pop_back();
    return found;
  }

  SymbolId CheckInputs(SymbolId id) {
    const Symbol& symbol = parts_.symbols[id];
    path_.push_back({id});
    const SymbolId found = CheckAll(symbol);
    path_.pop_back();
    return found;
  }

  SymbolId CheckAll(const Symbol& symbol) {
    const std::size_t top = path_.size() - 1;
    const auto check = [&](Reason reason, ExpressionId expression, PropertyId property = kNone) {
      path_[top].reason = reason;
      path_[top].property = property;
      return CheckExpression(expression);
    };
    SymbolId found = check(Reason::kDependency, symbol.dependency);
    if (found == kNone) found = check(Reason::kSelect, symbol.selected_by);
    if (found == kNone) found = check(Reason::kImply, symbol.implied_by);
    for (std::uint32_t i = 0; found == kNone && i < symbol.property_count; ++i) {
      const PropertyId id = symbol.first_property + i;
      const Property& property = parts_.properties[id];
      if (property.kind == PropertyKind::kSelect || property.kind == PropertyKind::kImply) continue;
      found = check(Reason::kCondition, property.condition, id);
      if (found == kNone && property.kind == PropertyKind::kDefault && !symbol.is_choice) {
        found = check(Reason::kDefault, property.first, id);
      }
    }
    return found;
  }

  SymbolId CheckExpression(ExpressionId id) {
    if (id == kNone) return kNone;
    std::vector<ExpressionId> pending{id};
    while (!pending.empty()) {
      const Expression& node = parts_.expressions[pending.back()];
      pending.pop_back();
      SymbolId found = kNone;
      switch (node.operation) {
        case Operation::kAnd:
        case Operation::kOr:
          pending.push_back(node.right);
          pending.push_back(node.left);
          break;
        case Operation::kNot:
          pending.push_back(node.left);
          break;
        case Operation::kSymbol:
          found = CheckSymbol(node.left);
          break;
        default:
          found = CheckSymbol(node.left);
          if (found == kNone) found = CheckSymbol(node.right);
      }
      if (found != kNone) return found;
    }
    return kNone;
  }

  void Report(SymbolId last) {
    std::vector<Step> path = path_;
    if (parts_.symbols[last].choice != kNone) {
      path.push_back({last});
      last = parts_.symbols[last].choice;
    }
    auto begin = path.end();
    while (begin != path.begin() && (begin - 1)->symbol != last) --begin;
    if (begin == path.begin()) return;
    path.erase(path.begin(), begin - 1);
    std::vector<CycleStep> steps;
    for (std::size_t i = 0; i < path.size(); ++i) {
      const SymbolId next = i + 1 < path.size() ? path[i + 1].symbol : last;
      steps.push_back(Describe(path[i], next));
    }
    PlaceAll(steps);
    std::string message = "recursive dependency detected!";
    for (const CycleStep& step : steps) {
      message += fmt::format(" {}:{}: {};", parts_.files[step.where.file].name, step.where.line,
                             step.text);
    }
    message.pop_back();
    const Severity severity = parts_.dialect.may_cycle ? Severity::kWarning : Severity::kError;
    builder_.Report(severity, steps.front().where, std::move(message));
    parts_.cycles.push_back(std::move(steps));
  }

  // A symbol that is selected and nowhere defined has no place: that of its neighbour serves. Not
  // all are such, since somebody selects them.
  static void PlaceAll(std::vector<CycleStep>& steps) {
    const auto placed = std::find_if(
        steps.begin(), steps.end(), [](const CycleStep& step) { return step.where.file != kNone; });
    Location last = placed == steps.end() ? Location{0, 1} : placed->where;
    for (CycleStep& step : steps) {
      if (step.where.file == kNone) step.where = last;
      last = step.where;
    }
  }

  std::string_view NameOf(SymbolId id) const {
    const std::string_view name = parts_.symbols[id].name;
    return name.empty() ? std::string_view("<choice>") : name;
  }

  std::string PlaceOf(SymbolId choice) const {
    const Location where = parts_.menus[parts_.symbols[choice].first_menu].where;
    return fmt::format("{}:{}", parts_.files[where.file].name, where.line);
  }

  CycleStep Describe(const Step& step, SymbolId next) const {
    const Symbol& symbol = parts_.symbols[step.symbol];
    const Location where =
        symbol.first_menu == kNone ? Location{} : parts_.menus[symbol.first_menu].where;
    const std::string_view name = NameOf(step.symbol);
    const std::string_view other = NameOf(next);
    if (HasGroups() && parts_.symbols[next].is_choice) {
      return {where, fmt::format("symbol {} is part of choice block at {}", name, PlaceOf(next))};
    }
    if (!HasGroups() && symbol.is_choice) {
      return {where, fmt::format("choice {} contains symbol {}", name, other)};
    }
    if (!HasGroups() && symbol.choice != kNone) {
      return {where, fmt::format("symbol {} is part of choice {}", name, other)};
    }
    switch (step.reason) {
      case Reason::kDependency:
        return {where, fmt::format("symbol {} depends on {}", name, other)};
      case Reason::kSelect:
        return {where, fmt::format("symbol {} is selected by {}", name, other)};
      case Reason::kImply:
        return {where, fmt::format("symbol {} is implied by {}", name, other)};
      default:
        break;
    }
    constexpr std::string_view kKinds[] = {"prompt", "default", "select", "imply", "range"};
    const Property& property = parts_.properties[step.property];
    const std::string_view kind = kKinds[static_cast<std::size_t>(property.kind)];
    const std::string_view relation =
        step.reason == Reason::kDefault ? "value contains" : "is visible depending on";
    return {property.where, fmt::format("symbol {} {} {} {}", name, kind, relation, other)};
  }

  TreeBuilder& builder_;
  TreeParts& parts_;
  std::vector<std::uint8_t> marks_;
  std::vector<std::uint32_t> choice_index_;
  std::vector<Step> path_;
};

}  // namespace

void ReportCycles(TreeBuilder& builder) {
  const std::size_t before = builder.parts.cycles.size();
  CycleSearch(builder).Run();
  if (builder.parts.cycles.size() == before && !builder.parts.dialect.may_cycle) {
    builder.Report(Severity::kError, {}, "there is a dependency loop, too long to be shown");
  }
}

std::vector<SymbolId> HashOrder(std::span<const Symbol> symbols, std::uint32_t buckets) {
  const auto bucket_of = [buckets](std::string_view name) {
    std::uint32_t hash = 2166136261U;
    for (const char c : name) {
      hash = (hash ^ static_cast<std::uint32_t>(static_cast<signed char>(c))) * 0x01000193U;
    }
    return hash % buckets;
  };
  std::vector<std::pair<std::uint32_t, SymbolId>> keyed;
  keyed.reserve(symbols.size());
  for (SymbolId id = static_cast<SymbolId>(symbols.size()); id-- > kSymbolYes + 1;) {
    const bool is_nameless = symbols[id].is_choice && symbols[id].name.empty();
    keyed.emplace_back(is_nameless ? 0 : bucket_of(symbols[id].name), id);
  }
  std::stable_sort(keyed.begin(), keyed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<SymbolId> order;
  order.reserve(keyed.size());
  for (const auto& entry : keyed) order.push_back(entry.second);
  return order;
}

}  // namespace hone::kconfig

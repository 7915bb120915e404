// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "hone/kconfig/tree/leaves.h"

namespace hone::kconfig {
namespace {

std::string WithCondition(const Tree& tree, std::string text, ExpressionId condition) {
  return condition == kNone ? text : fmt::format("{} if {}", text, tree.Show(condition));
}

RuleLine LineOf(const Configuration& configuration, const Property& property) {
  const Tree& tree = configuration.tree();
  const Tristate condition = configuration.Evaluate(property.condition);
  RuleLine line{.text = {}, .where = property.where, .symbol = property.symbol, .level = condition};
  switch (property.kind) {
    case PropertyKind::kPrompt:
      line.text = fmt::format("prompt \"{}\"", property.text);
      break;
    case PropertyKind::kDefault:
      line.text = "default " + tree.Show(property.first);
      break;
    case PropertyKind::kSelect:
    case PropertyKind::kImply:
      line.text = fmt::format("{} {}", property.kind == PropertyKind::kSelect ? "select" : "imply",
                              tree.symbol(property.first).name);
      line.level = And(condition, configuration.value(property.symbol));
      break;
    case PropertyKind::kRange:
      line.text = fmt::format("range {} {}", tree.symbol(property.first).name,
                              tree.symbol(property.second).name);
      break;
  }
  line.text = WithCondition(tree, line.text, property.condition);
  return line;
}

std::vector<RuleLine> LinesOf(const Configuration& configuration,
                              std::span<const PropertyId> properties) {
  std::vector<RuleLine> lines;
  for (const PropertyId id : properties) {
    lines.push_back(LineOf(configuration, configuration.tree().property(id)));
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const RuleLine& a, const RuleLine& b) { return a.level > b.level; });
  return lines;
}

class ValueStory {
 public:
  ValueStory(const TreeIndex& index, const Configuration& configuration, SymbolId id)
      : index_(index),
        configuration_(configuration),
        tree_(index.tree()),
        id_(id),
        name_(DisplayName(tree_, id)) {
    reason_.symbol = id;
    reason_.value = std::string(configuration.text(id));
  }

  ValueReason Tell() {
    if (!index_.IsDefined(id_)) {
      Say(Cause::kUndefined, "no file of the tree defines it");
      return reason_;
    }
    reason_.user = configuration_.UserValue(id_);
    reason_.visible = configuration_.visibility(id_);
    reason_.selected = configuration_.selected(id_);
    reason_.implied = configuration_.implied(id_);
    if (IsLogical(tree_.symbol(id_).type)) {
      TellLogical();
    } else {
      TellText();
    }
    return reason_;
  }

 private:
  void Say(Cause cause, const std::string& why) {
    reason_.cause = cause;
    reason_.sentence =
        fmt::format("{} is {}: {}.", name_, reason_.value.empty() ? "empty" : reason_.value, why);
  }

  bool HasUserEffect() const {
    return configuration_.has_user_value(id_) && reason_.visible != Tristate::kNo;
  }

  void TellLogical() {
    const SymbolId choice = tree_.symbol(id_).choice;
    if (choice != kNone && reason_.visible == Tristate::kYes) return TellMember(choice);
    const Tristate value = configuration_.value(id_);
    if (reason_.selected != Tristate::kNo && value == reason_.selected && !UserReaches(value)) {
      return TellSelected();
    }
    if (HasUserEffect()) return TellUser();
    TellUnset();
  }

  bool UserReaches(Tristate value) const {
    return HasUserEffect() && *reason_.user == TextOf(value) && reason_.visible >= value;
  }

  void TellMember(SymbolId choice) {
    const SymbolId selection = configuration_.Selection(choice);
    const std::string group = DisplayName(tree_, choice);
    if (selection == id_) {
      const bool is_user = configuration_.UserValue(id_) == "y";
      return Say(Cause::kChoice,
                 fmt::format("{} of the choice {}",
                             is_user ? "the user's selection" : "the default", group));
    }
    Say(Cause::kChoice,
        fmt::format("the choice {} has {}", group,
                    selection == kNone ? "nothing" : DisplayName(tree_, selection)));
  }

  void TellSelected() {
    std::vector<std::string> names;
    for (RuleLine& line : WhoSelects(index_, configuration_, id_)) {
      if (line.level == Tristate::kNo) continue;
      names.push_back(DisplayName(tree_, line.symbol));
      reason_.lines.push_back(std::move(line));
    }
    if (tree_.symbol(id_).is_choice) return Say(Cause::kDefault, "a visible choice is never n");
    Say(Cause::kSelect, fmt::format("selected by {}", fmt::join(names, ", ")));
  }

  void TellUser() {
    const Tristate value = configuration_.value(id_);
    if (*reason_.user == TextOf(value)) return Say(Cause::kUser, "the user set it");
    AddLines(PropertyKind::kPrompt);
    Say(Cause::kUser, fmt::format("the user set {}, and its prompt allows {} at most",
                                  *reason_.user, TextOf(reason_.visible)));
  }

  void TellUnset() {
    const std::string unused =
        reason_.user && reason_.user != reason_.value
            ? fmt::format("; the user set {}, which has no effect while no prompt is visible",
                          *reason_.user)
            : std::string();
    const PropertyId active = configuration_.ActiveProperty(id_, PropertyKind::kDefault);
    if (reason_.implied != Tristate::kNo) {
      for (RuleLine& line : WhoImplies(index_, configuration_, id_)) {
        if (line.level != Tristate::kNo) reason_.lines.push_back(std::move(line));
      }
      return Say(Cause::kImply,
                 fmt::format("implied {}, within its dependencies ({}){}", TextOf(reason_.implied),
                             TextOf(configuration_.direct(id_)), unused));
    }
    if (active == kNone) return Say(Cause::kNothing, "no default holds" + unused);
    reason_.lines.push_back(LineOf(configuration_, tree_.property(active)));
    Say(Cause::kDefault, fmt::format("{}{}", reason_.lines.back().text, unused));
  }

  void TellText() {
    const PropertyId range = configuration_.ActiveProperty(id_, PropertyKind::kRange);
    const std::string before = HasUserEffect() ? *reason_.user : configuration_.DefaultText(id_);
    if (range != kNone && before != reason_.value) {
      reason_.lines.push_back(LineOf(configuration_, tree_.property(range)));
      return Say(Cause::kRange, fmt::format("{} is out of {}", before, reason_.lines.back().text));
    }
    if (HasUserEffect()) return Say(Cause::kUser, "the user set it");
    TellUnset();
  }

  void AddLines(PropertyKind kind) {
    for (const Property& property : tree_.PropertiesOf(id_)) {
      if (property.kind == kind) reason_.lines.push_back(LineOf(configuration_, property));
    }
  }

  const TreeIndex& index_;
  const Configuration& configuration_;
  const Tree& tree_;
  SymbolId id_;
  std::string name_;
  ValueReason reason_;
};

// The ways in which the lines of `reader` mention `id`.
std::vector<std::string> WaysOf(const TreeIndex& index, SymbolId reader, SymbolId id,
                                LeafCollector& leaves) {
  const Tree& tree = index.tree();
  const Symbol& symbol = tree.symbol(reader);
  std::vector<std::string> ways;
  const auto mentions = [&](ExpressionId expression) {
    leaves.Start();
    leaves.AddExpression(expression);
    return std::find(leaves.leaves().begin(), leaves.leaves().end(), id) != leaves.leaves().end();
  };
  const auto add = [&](const char* way, bool is_so) {
    if (is_so && std::find(ways.begin(), ways.end(), way) == ways.end()) ways.emplace_back(way);
  };
  add("depends on", mentions(symbol.dependency));
  add("select", mentions(symbol.selected_by));
  add("imply", mentions(symbol.implied_by));
  for (const Property& property : tree.PropertiesOf(reader)) {
    const bool is_condition = mentions(property.condition);
    add("prompt", property.kind == PropertyKind::kPrompt && is_condition);
    add("default",
        property.kind == PropertyKind::kDefault && (is_condition || mentions(property.first)));
    add("range", property.kind == PropertyKind::kRange &&
                     (is_condition || property.first == id || property.second == id));
  }
  add("choice", symbol.choice == id);
  add("modules", ways.empty() && id == tree.modules());
  return ways;
}

}  // namespace

std::string_view NameOf(Cause cause) {
  constexpr std::string_view kNames[] = {"undefined", "nothing", "user",   "default",
                                         "imply",     "select",  "choice", "range"};
  return kNames[static_cast<std::size_t>(cause)];
}

std::string DisplayName(const Tree& tree, SymbolId id) {
  const Symbol& symbol = tree.symbol(id);
  if (!symbol.name.empty()) return std::string(symbol.name);
  for (const Property& property : tree.PropertiesOf(id)) {
    if (property.kind == PropertyKind::kPrompt) return fmt::format("<{}>", property.text);
  }
  return "<choice>";
}

std::vector<ExpressionId> TermsOf(const Tree& tree, ExpressionId id) {
  std::vector<ExpressionId> terms;
  if (id == kNone) return terms;
  std::vector<ExpressionId> pending = {id};
  while (!pending.empty()) {
    const ExpressionId at = pending.back();
    pending.pop_back();
    const Expression& expression = tree.expression(at);
    if (expression.operation != Operation::kAnd) {
      if (std::find(terms.begin(), terms.end(), at) == terms.end()) terms.push_back(at);
      continue;
    }
    pending.push_back(expression.right);
    pending.push_back(expression.left);
  }
  return terms;
}

ValueReason WhyValue(const TreeIndex& index, const Configuration& configuration, SymbolId id) {
  return ValueStory(index, configuration, id).Tell();
}

std::vector<RuleLine> WhoSelects(const TreeIndex& index, const Configuration& configuration,
                                 SymbolId id) {
  return LinesOf(configuration, index.SelectsOf(id));
}

std::vector<RuleLine> WhoImplies(const TreeIndex& index, const Configuration& configuration,
                                 SymbolId id) {
  return LinesOf(configuration, index.ImpliesOf(id));
}

std::vector<Dependent> WhatDependsOn(const TreeIndex& index, SymbolId id) {
  const Tree& tree = index.tree();
  LeafCollector leaves(tree.expressions(), static_cast<std::uint32_t>(tree.symbols().size()));
  std::vector<Dependent> dependents;
  for (const SymbolId reader : tree.DependentsOf(id)) {
    dependents.push_back({reader, WaysOf(index, reader, id, leaves)});
  }
  return dependents;
}

}  // namespace hone::kconfig

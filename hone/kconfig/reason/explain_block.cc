// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "hone/kconfig/reason/explain.h"
#include "hone/kconfig/values/values.h"

// What keeps a symbol from a value.
namespace hone::kconfig {
namespace {

// Collects the symbols of an expression that would have to change for it to be at least, or at
// most, a level.
class NeedCollector {
 public:
  explicit NeedCollector(const Configuration& configuration)
      : configuration_(configuration), tree_(configuration.tree()) {}

  void AtLeast(ExpressionId id, Tristate level) {
    if (id == kNone || configuration_.Evaluate(id) >= level) return;
    const Expression& expression = tree_.expression(id);
    switch (expression.operation) {
      case Operation::kSymbol:
        return Add(expression.left, level == Tristate::kYes ? "y" : "m or y");
      case Operation::kNot:
        return AtMost(expression.left, Not(level));
      case Operation::kAnd:
      case Operation::kOr:
        AtLeast(expression.left, level);
        return AtLeast(expression.right, level);
      default:
        return AddComparison(expression);
    }
  }

  void AtMost(ExpressionId id, Tristate level) {
    if (id == kNone || configuration_.Evaluate(id) <= level) return;
    const Expression& expression = tree_.expression(id);
    switch (expression.operation) {
      case Operation::kSymbol:
        return Add(expression.left, level == Tristate::kNo ? "n" : "not y");
      case Operation::kNot:
        return AtLeast(expression.left, Not(level));
      case Operation::kAnd:
      case Operation::kOr:
        AtMost(expression.left, level);
        return AtMost(expression.right, level);
      default:
        return AddComparison(expression);
    }
  }

  std::vector<Need> Take() { return std::move(needs_); }

 private:
  void Add(SymbolId id, const char* needed) {
    for (const Need& need : needs_) {
      if (need.symbol == id) return;
    }
    needs_.push_back({id, std::string(configuration_.text(id)), needed});
  }

  void AddComparison(const Expression& expression) {
    for (const SymbolId id : {expression.left, expression.right}) {
      if (tree_.RankOf(id) != kNone) Add(id, "another value");
    }
  }

  const Configuration& configuration_;
  const Tree& tree_;
  std::vector<Need> needs_;
};

class Obstacles {
 public:
  Obstacles(const TreeIndex& index, const Configuration& configuration, SymbolId id,
            const std::string& wanted)
      : index_(index),
        configuration_(configuration),
        tree_(index.tree()),
        id_(id),
        name_(DisplayName(tree_, id)) {
    answer_.symbol = id;
    answer_.wanted = wanted;
  }

  Possibility Find() {
    const Symbol& symbol = tree_.symbol(id_);
    if (!index_.IsDefined(id_)) {
      return No(fmt::format("{}: no file of the tree defines it.", name_));
    }
    if (IsLogical(symbol.type) ? !IsLogicalText() : !IsValidText(symbol.type, answer_.wanted)) {
      return No(fmt::format("{}: \"{}\" is no value of a {}.", name_, answer_.wanted,
                            NameOf(symbol.type)));
    }
    if (!index_.HasPrompt(id_)) return FindWithoutPrompt();
    return IsLogical(symbol.type) ? FindLogical(*ReadTristate(answer_.wanted)) : FindText();
  }

 private:
  Possibility No(std::string sentence) {
    answer_.is_possible = false;
    answer_.sentence = std::move(sentence);
    return std::move(answer_);
  }

  Possibility Yes() {
    answer_.is_possible = true;
    answer_.sentence = fmt::format("{} can be set to {} now.", name_, answer_.wanted);
    return std::move(answer_);
  }

  bool IsLogicalText() const {
    return answer_.wanted == "n" || answer_.wanted == "y" ||
           (answer_.wanted == "m" && tree_.symbol(id_).type == SymbolType::kTristate);
  }

  Possibility FindWithoutPrompt() {
    if (configuration_.text(id_) == answer_.wanted) {
      answer_.is_possible = true;
      answer_.sentence = fmt::format("{} is {} already; it has no prompt.", name_, answer_.wanted);
      return std::move(answer_);
    }
    for (const PropertyId select : index_.SelectsOf(id_)) {
      const Property& property = tree_.property(select);
      const Tristate level =
          And(configuration_.Evaluate(property.condition), configuration_.value(property.symbol));
      const bool raises = answer_.wanted != "n";
      if (raises == (level == Tristate::kNo)) AddSelect(property, raises);
    }
    return No(fmt::format("{} has no prompt: it follows from its defaults and from {} selects.",
                          name_, index_.SelectsOf(id_).size()));
  }

  void AddSelect(const Property& property, bool raises) {
    NeedCollector needs(configuration_);
    if (raises) {
      needs.AtLeast(property.condition, Tristate::kModule);
    } else {
      needs.AtMost(property.condition, Tristate::kNo);
    }
    std::vector<Need> all = needs.Take();
    const bool selector_differs =
        raises == (configuration_.value(property.symbol) == Tristate::kNo);
    if (selector_differs) {
      all.insert(all.begin(), {property.symbol, std::string(configuration_.text(property.symbol)),
                               raises ? "m or y" : "n"});
    }
    answer_.blockers.push_back(
        {.clause = fmt::format(
             "{}select {}{}", raises ? "no active " : "", tree_.symbol(property.first).name,
             property.condition == kNone ? std::string() : " if " + tree_.Show(property.condition)),
         .source = "selected by " + DisplayName(tree_, property.symbol),
         .where = property.where,
         .needs = std::move(all),
         .is_any = !raises});
  }

  Possibility FindLogical(Tristate wanted) {
    const Symbol& symbol = tree_.symbol(id_);
    if (configuration_.CanBe(id_, wanted)) return Yes();
    if (configuration_.visibility(id_) < wanted ||
        configuration_.visibility(id_) == Tristate::kNo) {
      AddPrompts(std::max(wanted, Tristate::kModule));
    }
    if (configuration_.selected(id_) > wanted) {
      for (const PropertyId select : index_.SelectsOf(id_)) {
        const Property& property = tree_.property(select);
        const Tristate level =
            And(configuration_.Evaluate(property.condition), configuration_.value(property.symbol));
        if (level > wanted) AddSelect(property, false);
      }
    }
    if (symbol.choice != kNone && wanted != Tristate::kYes && answer_.blockers.empty()) {
      AddChoice(symbol.choice);
    }
    if (wanted == Tristate::kModule && answer_.blockers.empty()) AddModules();
    if (configuration_.value(id_) == wanted) {
      answer_.is_possible = true;
      answer_.sentence =
          fmt::format("{} is {} already, and cannot be moved.", name_, answer_.wanted);
      return std::move(answer_);
    }
    return No(Summary());
  }

  std::string Summary() const {
    std::vector<std::string> parts;
    for (const Blocker& blocker : answer_.blockers) {
      parts.push_back(fmt::format("{}: {}", blocker.source, blocker.clause));
      if (parts.size() == 3) break;
    }
    const std::size_t rest = answer_.blockers.size() - parts.size();
    return fmt::format("{} cannot be {} now: {}{}.", name_, answer_.wanted, fmt::join(parts, "; "),
                       rest == 0 ? std::string() : fmt::format("; and {} more", rest));
  }

  void AddChoice(SymbolId choice) {
    Blocker blocker{.clause = fmt::format("{} is the selection", name_),
                    .source = "choice " + DisplayName(tree_, choice),
                    .where = WhereDefined(choice),
                    .needs = {},
                    .is_any = true};
    for (const SymbolId member : tree_.MembersOf(choice)) {
      if (member == id_ || configuration_.visibility(member) == Tristate::kNo) continue;
      blocker.needs.push_back({member, std::string(configuration_.text(member)), "y"});
    }
    answer_.blockers.push_back(std::move(blocker));
  }

  void AddModules() {
    const SymbolId modules = tree_.modules();
    if (modules == kSymbolNo || configuration_.value(modules) != Tristate::kNo) return;
    answer_.blockers.push_back({.clause = DisplayName(tree_, modules),
                                .source = "modules",
                                .where = WhereDefined(modules),
                                .needs = {{modules, "n", "y"}},
                                .is_any = false});
  }

  // Each term of each prompt that is too low.
  void AddPrompts(Tristate wanted) {
    for (const Property& property : tree_.PropertiesOf(id_)) {
      if (property.kind != PropertyKind::kPrompt) continue;
      for (const ExpressionId term : TermsOf(tree_, property.condition)) {
        if (configuration_.Evaluate(term) >= wanted) continue;
        NeedCollector needs(configuration_);
        needs.AtLeast(term, wanted);
        answer_.blockers.push_back({.clause = tree_.Show(term),
                                    .source = SourceOf(property, term),
                                    .where = WhereOf(property, term),
                                    .needs = needs.Take(),
                                    .is_any = tree_.expression(term).operation == Operation::kOr});
      }
    }
  }

  bool HasTerm(MenuId menu, ExpressionId term) const {
    const std::vector<ExpressionId> terms = TermsOf(tree_, tree_.menu(menu).dependency);
    return std::find(terms.begin(), terms.end(), term) != terms.end();
  }

  // The outermost menu that brings the term in: what is inside inherits it.
  MenuId OriginOf(const Property& property, ExpressionId term) const {
    MenuId at = property.menu;
    if (at == kNone || !HasTerm(at, term)) return kNone;
    while (tree_.menu(at).parent != kNone && HasTerm(tree_.menu(at).parent, term)) {
      at = tree_.menu(at).parent;
    }
    return at;
  }

  std::string SourceOf(const Property& property, ExpressionId term) const {
    const MenuId origin = OriginOf(property, term);
    if (origin == kNone) return "prompt if";
    const MenuNode& node = tree_.menu(origin);
    if (origin == property.menu || node.prompt == kNone) return "depends on";
    return fmt::format("{} \"{}\" depends on", node.kind == MenuKind::kMenu ? "menu" : "entry",
                       tree_.property(node.prompt).text);
  }

  Location WhereOf(const Property& property, ExpressionId term) const {
    const MenuId origin = OriginOf(property, term);
    return origin == kNone ? property.where : tree_.menu(origin).where;
  }

  Location WhereDefined(SymbolId id) const {
    const MenuId menu = tree_.symbol(id).first_menu;
    return menu == kNone ? Location{} : tree_.menu(menu).where;
  }

  Possibility FindText() {
    if (configuration_.visibility(id_) == Tristate::kNo) {
      AddPrompts(Tristate::kModule);
      return No(Summary());
    }
    if (configuration_.CanBe(id_, answer_.wanted)) return Yes();
    const Property& range =
        tree_.property(configuration_.ActiveProperty(id_, PropertyKind::kRange));
    const std::string text = fmt::format("{} to {}", configuration_.text(range.first),
                                         configuration_.text(range.second));
    answer_.blockers.push_back({.clause = fmt::format("{} {}", tree_.symbol(range.first).name,
                                                      tree_.symbol(range.second).name),
                                .source = "range",
                                .where = range.where,
                                .needs = {},
                                .is_any = false});
    return No(fmt::format("{} cannot be {}: out of its range, {}.", name_, answer_.wanted, text));
  }

  const TreeIndex& index_;
  const Configuration& configuration_;
  const Tree& tree_;
  SymbolId id_;
  std::string name_;
  Possibility answer_;
};

}  // namespace

Possibility WhyNot(const TreeIndex& index, const Configuration& configuration, SymbolId id,
                   const std::string& wanted) {
  return Obstacles(index, configuration, id, wanted).Find();
}

}  // namespace hone::kconfig

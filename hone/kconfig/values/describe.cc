// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/values/describe.h"

#include <fmt/format.h>

#include "hone/kconfig/language/help_text.h"
#include "hone/kconfig/tree/builder.h"
#include "hone/kconfig/tree/show_expression.h"

namespace hone::kconfig {
namespace {

constexpr std::size_t kMaxLevels = 8;  // Of menus around an entry; the outer ones are left out.

bool IsYes(ExpressionId id) { return id == kNone || id == kExpressionYes; }

}  // namespace

Describer::Describer(const Configuration& configuration)
    : configuration_(configuration),
      tree_(configuration.tree()),
      symbols_(tree_.symbols().begin(), tree_.symbols().end()),
      pool_(tree_.expressions().Reopened()),
      simplifier_(pool_, symbols_),
      is_dependency_(pool_.size(), false) {
  for (const MenuNode& node : tree_.menus()) {
    if (node.dependency != kNone) is_dependency_[node.dependency] = true;
  }
}

std::string Describer::Show(ExpressionId id) const {
  std::string text;
  AppendExpression(text, pool_, id, [this](std::string& out, SymbolId at) {
    const Symbol& symbol = tree_.symbol(at);
    if (symbol.name.empty() && symbol.is_choice) {
      out += "<choice>";
      return;
    }
    out += symbol.name;
    if (symbol.type != SymbolType::kUnknown) {
      out += fmt::format(" [={}]", configuration_.text(at));
    }
  });
  return text;
}

// As the C tool does it: what a menu brings in is simplified before what is inside is added.
ExpressionId Describer::Simplified(ExpressionId id) {
  if (id == kNone) return id;
  const Expression node = pool_[id];
  if (node.operation != Operation::kAnd || !is_dependency_[node.left]) {
    return simplifier_.JoinDuplicates(id);
  }
  return simplifier_.JoinDuplicates(pool_.And(Simplified(node.left), node.right));
}

// The two sides were simplified each by itself.
std::string Describer::ShowCause(ExpressionId id) {
  const Expression node = pool_[id];
  if (node.operation != Operation::kAnd) return Show(id);
  return Show(pool_.And(Simplified(node.left), Simplified(node.right)));
}

std::string Describer::Dependency(ExpressionId id, std::string_view title) const {
  return IsYes(id) ? std::string() : fmt::format("  {}: {}\n", title, Show(id));
}

std::string Describer::Place(MenuId id) const {
  std::vector<MenuId> path;
  for (MenuId at = id; at != 0 && path.size() < kMaxLevels; at = tree_.menu(at).parent) {
    path.push_back(at);
  }
  std::string out = "  Location:\n";
  int column = 4;
  for (auto at = path.rbegin(); at != path.rend(); ++at, column += 2) {
    const MenuNode& place = tree_.menu(*at);
    const bool has_symbol = place.symbol != kNone;
    std::string_view title = has_symbol ? tree_.symbol(place.symbol).name : std::string_view();
    if (place.prompt != kNone) title = tree_.property(place.prompt).text;
    out += fmt::format("{:{}}-> {}", "", column, title);
    if (has_symbol) {
      const Symbol& symbol = tree_.symbol(place.symbol);
      out += fmt::format(" ({} [={}])", symbol.name.empty() ? "<choice>" : symbol.name,
                         configuration_.text(place.symbol));
    }
    out += '\n';
  }
  return out;
}

std::string Describer::Definition(MenuId id) {
  const MenuNode& node = tree_.menu(id);
  std::string out = fmt::format("Defined at {}\n", tree_.Show(node.where));
  const ExpressionId dependency = Simplified(node.dependency);
  if (node.prompt == kNone) return out + Dependency(dependency, "Depends on");
  const Property& prompt = tree_.property(node.prompt);
  out += fmt::format("  Prompt: {}\n", prompt.text);
  out += Dependency(dependency, "Depends on");
  const ExpressionId visible = Simplified(prompt.condition);
  const bool is_same = IsYes(dependency) || IsYes(visible)
                           ? IsYes(dependency) && IsYes(visible)
                           : simplifier_.IsEqual(dependency, visible);
  if (!is_same) out += Dependency(visible, "Visible if");
  return out + Place(id);
}

std::string Describer::Facts(SymbolId id) const {
  const Symbol& symbol = tree_.symbol(id);
  if (symbol.name.empty()) return {};
  std::string out = fmt::format("Symbol: {} [={}]\nType  : {}\n", symbol.name,
                                configuration_.text(id), CNameOf(symbol.type));
  if (symbol.type != SymbolType::kInt && symbol.type != SymbolType::kHex) return out;
  const PropertyId range = configuration_.ActiveProperty(id, PropertyKind::kRange);
  if (range == kNone) return out;
  const auto bound = [this](SymbolId at) {
    const Symbol& limit = tree_.symbol(at);
    return limit.type == SymbolType::kUnknown
               ? std::string(limit.name)
               : fmt::format("{} [={}]", limit.name, configuration_.text(at));
  };
  const Property& property = tree_.property(range);
  return out + fmt::format("Range : [{} {}]\n", bound(property.first), bound(property.second));
}

std::string Describer::Targets(SymbolId id, PropertyKind kind, std::string_view title) const {
  std::string out;
  for (const Property& property : tree_.PropertiesOf(id)) {
    if (property.kind != kind) continue;
    const Symbol& target = tree_.symbol(property.first);
    out += out.empty() ? fmt::format("{}: ", title) : " && ";
    out += target.name;
    if (target.type != SymbolType::kUnknown) {
      out += fmt::format(" [={}]", configuration_.text(property.first));
    }
  }
  return out.empty() ? out : out + "\n";
}

std::string Describer::Causes(ExpressionId id, Tristate level, std::string_view title) {
  if (id == kNone) return {};
  std::vector<ExpressionId> causes;
  for (; tree_.expression(id).operation == Operation::kOr; id = tree_.expression(id).left) {
    causes.push_back(tree_.expression(id).right);
  }
  causes.push_back(id);
  std::string out;
  for (auto cause = causes.rbegin(); cause != causes.rend(); ++cause) {
    if (configuration_.Evaluate(*cause) != level) continue;
    if (out.empty()) out = fmt::format("{} [{}]:\n", title, TextOf(level));
    out += fmt::format("  - {}\n", ShowCause(*cause));
  }
  return out;
}

std::string Describer::Help(MenuId id) {
  const MenuNode& node = tree_.menu(id);
  std::string out;
  if (node.raw_help.data() == nullptr) {
    out = "There is no help available for this option.\n";
  } else {
    if (node.symbol != kNone && !tree_.symbol(node.symbol).name.empty()) {
      out = fmt::format("{}{}:\n\n", tree_.dialect().prefix, tree_.symbol(node.symbol).name);
    }
    out += DedentWholeHelp(node.raw_help) + "\n";
  }
  if (node.symbol == kNone) return out;
  out += Facts(node.symbol);
  const Symbol& symbol = tree_.symbol(node.symbol);
  for (const bool has_prompt : {true, false}) {
    for (MenuId at = symbol.first_menu; at != kNone; at = tree_.menu(at).next_definition) {
      if ((tree_.menu(at).prompt != kNone) == has_prompt) out += Definition(at);
    }
  }
  constexpr Tristate kLevels[] = {Tristate::kYes, Tristate::kModule, Tristate::kNo};
  out += Targets(node.symbol, PropertyKind::kSelect, "Selects");
  for (const Tristate level : kLevels) out += Causes(symbol.selected_by, level, "Selected by");
  out += Targets(node.symbol, PropertyKind::kImply, "Implies");
  for (const Tristate level : kLevels) out += Causes(symbol.implied_by, level, "Implied by");
  return out + "\n\n";
}

std::string Describer::UnmetOf(SymbolId id) {
  const Symbol& symbol = tree_.symbol(id);
  ExpressionId dependency = kNone;  // Of each definition, simplified by itself.
  for (MenuId at = symbol.first_menu; at != kNone; at = tree_.menu(at).next_definition) {
    dependency = pool_.Or(dependency, Simplified(tree_.menu(at).dependency));
  }
  return fmt::format(
             "\nWARNING: unmet direct dependencies detected for {}\n  Depends on [{}]: {}\n",
             symbol.name, configuration_.direct(id) == Tristate::kModule ? 'm' : 'n',
             Show(dependency)) +
         Causes(symbol.selected_by, Tristate::kYes, "  Selected by") +
         Causes(symbol.selected_by, Tristate::kModule, "  Selected by");
}

}  // namespace hone::kconfig

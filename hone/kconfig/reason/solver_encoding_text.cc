// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/solver_encoding.h"
#include "hone/kconfig/values/values.h"

namespace hone::kconfig {
namespace {

std::size_t IndexIn(const std::vector<std::string>& domain, std::string_view text) {
  for (std::size_t i = 0; i < domain.size(); ++i) {
    if (domain[i] == text) return i;
  }
  return domain.size();
}

}  // namespace

UserChange& Encoding::AddTextChange(SymbolId id, Literal visible) {
  SatSolver& sat = gates_.sat();
  UserChange change{.symbol = id, .changed = sat.NewVariable(), .options = {}, .members = {}};
  std::vector<Literal> literals;
  const std::string before = start_.UserValue(id).value_or("");
  for (const std::string& text : domains_.Of(id)) {
    if (!IsValidText(tree_.symbol(id).type, text)) continue;
    if (start_.has_user_value(id) && text == before) continue;
    change.options.push_back({text, sat.NewVariable()});
    literals.push_back(change.options.back().literal);
  }
  gates_.ExactlyOne(change.changed, literals);
  gates_.Implies(kTrueLiteral, change.changed, visible);
  changes_.push_back(std::move(change));
  return changes_.back();
}

// For each text of the domain, that the symbol has it before its range is looked at.
std::vector<Literal> Encoding::TextBeforeRange(SymbolId id,
                                               const std::vector<std::string>& domain) {
  std::vector<std::vector<Literal>> cases(domain.size());
  const auto add = [&](std::string_view text, Literal condition) {
    const std::size_t at = IndexIn(domain, text);
    if (at < domain.size()) cases[at].push_back(condition);
  };
  const Literal visible = PromptsOf(id).some;
  Literal is_open = kTrueLiteral;  // Nothing has decided yet.
  if (index_.HasPrompt(id)) {
    const UserChange& change = AddTextChange(id, visible);
    for (const Option& option : change.options) {
      add(option.text, gates_.AllOf({visible, change.changed, option.literal}));
    }
    is_open = -gates_.AllOf({visible, change.changed});
  }
  if (const auto user = start_.UserValue(id)) {
    add(*user, gates_.AllOf({is_open, visible}));
    is_open = gates_.AllOf({is_open, -visible});
  }
  for (const Property& property : tree_.PropertiesOf(id)) {
    if (property.kind != PropertyKind::kDefault) continue;
    const Literal condition = LevelOf(property.condition).some;
    const Expression& value = tree_.expression(property.first);
    if (value.operation == Operation::kSymbol) {
      for (const Option& option : GivenBy(value.left)) {
        add(option.text, gates_.AllOf({is_open, condition, option.literal}));
      }
    } else {
      add(EmptyTextOf(id), gates_.AllOf({is_open, condition}));
    }
    is_open = gates_.AllOf({is_open, -condition});
  }
  add(EmptyTextOf(id), is_open);
  std::vector<Literal> before;
  before.reserve(cases.size());
  for (const std::vector<Literal>& of_text : cases) before.push_back(gates_.AnyOf(of_text));
  return before;
}

// The texts that a symbol gives to a default or a range.
std::vector<Option> Encoding::GivenBy(SymbolId id) {
  if (const auto constant = ConstantTextOf(index_, id)) return {{*constant, kTrueLiteral}};
  return TextsOf(id);
}

long long Encoding::BoundOf(SymbolId bound, std::string_view text, int base) const {
  const int own = BaseOf(tree_.symbol(bound).type);
  return NumberOf(text, own == 0 ? base : own);
}

// An int or hex without a default: "0" and "0x0" in newer dialects, else nothing.
std::string_view Encoding::EmptyTextOf(SymbolId id) const {
  if (!tree_.dialect().has_numeric_zero_default) return "";
  const SymbolType type = tree_.symbol(id).type;
  if (type == SymbolType::kInt) return "0";
  return type == SymbolType::kHex ? "0x0" : "";
}

// The first range whose condition is not n holds the value between its bounds.
std::vector<Literal> Encoding::Clamp(SymbolId id, const std::vector<std::string>& domain,
                                     const std::vector<Literal>& before) {
  const SymbolType type = tree_.symbol(id).type;
  const int base = BaseOf(type);
  std::vector<std::vector<Literal>> cases(domain.size());
  Literal is_open = kTrueLiteral;
  for (const Property& property : tree_.PropertiesOf(id)) {
    if (property.kind != PropertyKind::kRange) continue;
    const Literal condition = LevelOf(property.condition).some;
    const Literal is_active = gates_.AllOf({is_open, condition});
    is_open = gates_.AllOf({is_open, -condition});
    const std::vector<Option> highs = GivenBy(property.second);
    for (const Option& low : GivenBy(property.first)) {
      const long long min = BoundOf(property.first, low.text, base);
      for (const Option& high : highs) {
        const long long max = BoundOf(property.second, high.text, base);
        const Literal are_bounds = gates_.AllOf({is_active, low.literal, high.literal});
        for (std::size_t i = 0; i < domain.size(); ++i) {
          const long long number = NumberOf(domain[i], base);
          std::size_t at = i;
          if (number < min)
            at = IndexIn(domain, low.text);
          else if (number > max)
            at = IndexIn(domain, high.text);
          if (at < domain.size()) cases[at].push_back(gates_.AllOf({are_bounds, before[i]}));
        }
      }
    }
  }
  std::vector<Literal> after;
  after.reserve(domain.size());
  for (std::size_t i = 0; i < domain.size(); ++i) {
    cases[i].push_back(gates_.AllOf({is_open, before[i]}));
    after.push_back(gates_.AnyOf(cases[i]));
  }
  return after;
}

void Encoding::DefineText(SymbolId id) {
  const std::vector<std::string>& domain = domains_.Of(id);
  const std::vector<Option> texts = TextsOf(id);
  const std::vector<Literal> rules = Clamp(id, domain, TextBeforeRange(id, domain));
  const Literal guard = NewGuard(id, Side::kMax);
  for (std::size_t i = 0; i < texts.size(); ++i) gates_.Tie(guard, texts[i].literal, rules[i]);
}

}  // namespace hone::kconfig

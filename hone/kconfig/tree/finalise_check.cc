// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "hone/kconfig/tree/finalise.h"
#include "hone/kconfig/values/values.h"

namespace hone::kconfig {
namespace {

class PropertyCheck {
 public:
  explicit PropertyCheck(TreeBuilder& builder) : builder_(builder), parts_(builder.parts) {}

  void Run() {
    std::vector<bool> is_checked(parts_.symbols.size(), false);
    for (const MenuId id : builder_.finished) {
      const MenuNode& node = parts_.menus[id];
      if (is_checked[node.symbol]) continue;
      is_checked[node.symbol] = true;
      const Symbol& symbol = parts_.symbols[node.symbol];
      if (symbol.type == SymbolType::kUnknown) {
        Warn(node.where, "config symbol defined without type");
      }
      if (symbol.is_choice && node.prompt == kNone) {
        RefuseInGroup(node.where, "choice must have a prompt", "choice must have a prompt");
      }
      for (std::uint32_t i = 0; i < symbol.property_count; ++i) {
        Check(symbol, parts_.properties[symbol.first_property + i]);
      }
    }
    for (const MenuNode& node : parts_.menus) {
      if (node.symbol != kNone && parts_.symbols[node.symbol].is_transitional) {
        CheckTransitional(node);
      }
    }
  }

 private:
  // A warning before Linux 6.11, an error since.
  void RefuseInGroup(Location where, std::string before, std::string since) {
    if (parts_.dialect.choice_rules == ChoiceRules::kGroup) {
      return builder_.Refuse(where, std::move(since));
    }
    Warn(where, std::move(before));
  }

  // It has a type and a help text, and nothing else, not even from the blocks around it.
  void CheckTransitional(const MenuNode& node) {
    const Symbol& symbol = parts_.symbols[node.symbol];
    const bool is_free = node.dependency == kNone || node.dependency == kExpressionYes;
    if (is_free && symbol.property_count == 0) return;
    const Location where = is_free ? parts_.properties[symbol.first_property].where : node.where;
    builder_.Refuse(where, "transitional symbols can only have help sections");
  }

  void Warn(Location where, std::string message) {
    builder_.Report(Severity::kWarning, where, std::move(message));
  }

  bool IsNumber(const Symbol& symbol, SymbolId value) const {
    const Symbol& other = parts_.symbols[value];
    return other.type == SymbolType::kInt || other.type == SymbolType::kHex ||
           (other.type == SymbolType::kUnknown && IsValidText(symbol.type, other.name));
  }

  void Check(const Symbol& symbol, const Property& property) {
    switch (property.kind) {
      case PropertyKind::kDefault:
        return CheckDefault(symbol, property);
      case PropertyKind::kSelect:
      case PropertyKind::kImply:
        return CheckSelect(symbol, property);
      case PropertyKind::kRange:
        if (symbol.type != SymbolType::kInt && symbol.type != SymbolType::kHex) {
          Warn(property.where, "range is only allowed for int or hex symbols");
        }
        if (!IsNumber(symbol, property.first) || !IsNumber(symbol, property.second)) {
          Warn(property.where, "range is invalid");
        }
        return;
      case PropertyKind::kPrompt:
        if (symbol.choice != kNone) CheckMemberPrompt(symbol, property);
        return;
    }
  }

  void CheckMemberPrompt(const Symbol& symbol, const Property& property) {
    const MenuId parent = parts_.menus[property.menu].parent;
    if (parent == kNone || parts_.menus[parent].symbol != symbol.choice) {
      RefuseInGroup(property.where, "choice value used outside its choice group",
                    "choice value must not have a prompt in another entry");
    }
  }

  void CheckDefault(const Symbol& symbol, const Property& property) {
    if (symbol.choice != kNone) {
      RefuseInGroup(property.where, "defaults for choice values not supported",
                    "defaults for choice values not supported");
    }
    const Expression& value = parts_.expressions[property.first];
    if (value.operation != Operation::kSymbol) {
      if (symbol.type >= SymbolType::kInt) {
        Warn(property.where,
             fmt::format("default for config symbol '{}' must be a single symbol", symbol.name));
      }
      return;
    }
    if ((symbol.type == SymbolType::kInt || symbol.type == SymbolType::kHex) &&
        !IsNumber(symbol, value.left)) {
      Warn(property.where, fmt::format("'{}': number is invalid", symbol.name));
    }
    if (symbol.is_choice && parts_.symbols[value.left].choice != property.symbol) {
      Warn(property.where, fmt::format("choice default symbol '{}' is not contained in the choice",
                                       parts_.symbols[value.left].name));
    }
  }

  void CheckSelect(const Symbol& symbol, const Property& property) {
    const char* word = property.kind == PropertyKind::kSelect ? "select" : "imply";
    const Symbol& target = parts_.symbols[property.first];
    if (!IsLogical(symbol.type)) {
      Warn(property.where, fmt::format("config symbol '{}' uses {}, but is not bool or tristate",
                                       symbol.name, word));
    } else if (target.type != SymbolType::kUnknown && !IsLogical(target.type)) {
      Warn(property.where,
           fmt::format("'{}' has wrong type. '{}' only accept arguments of bool and tristate type",
                       target.name, word));
    }
  }

  TreeBuilder& builder_;
  TreeParts& parts_;
};

}  // namespace

void CheckProperties(TreeBuilder& builder) { PropertyCheck(builder).Run(); }

}  // namespace hone::kconfig

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "hone/kconfig/language/statement_parser.h"

// The options of an entry: the part of StatementParser that reads the lines below a config, a
// choice, a menu or a comment.
namespace hone::kconfig {

// False if the token is no option here.
bool StatementParser::OptionStatement() {
  if (entry_ == Entry::kOther) return false;
  switch (token_) {
    case Token::kDepends:
      Depends();
      return true;
    case Token::kVisible:
      if (entry_ != Entry::kMenu) return false;
      Visible();
      return true;
    case Token::kHelp: {
      // With Kconfiglib a menu may have one too (ESP-IDF).
      const bool is_menu = entry_ == Entry::kMenu && options_.dialect.has_relative_source;
      if (entry_ != Entry::kConfig && entry_ != Entry::kChoice && !is_menu) return false;
      Help();
      return true;
    }
    default:
      return (entry_ == Entry::kConfig || entry_ == Entry::kChoice) && PropertyOption();
  }
}

bool StatementParser::PropertyOption() {
  const bool is_config = entry_ == Entry::kConfig;
  switch (token_) {
    case Token::kBool:
      Type(SymbolType::kBool);
      return true;
    case Token::kTristate:
      Type(SymbolType::kTristate);
      return true;
    case Token::kPrompt:
      Prompt();
      return true;
    case Token::kDefault:
      Default(SymbolType::kUnknown);
      return true;
    case Token::kReset:
      if (is_config) return false;
      Reset();
      return true;
    case Token::kOptional:
      if (is_config) return false;
      builder_.parts.symbols[builder_.current().symbol].is_optional = true;
      Advance();
      return true;
    default:
      break;
  }
  return is_config && (TypeOption() || ConfigOption());
}

// Options that only a config has: its type, with or without a default.
bool StatementParser::TypeOption() {
  switch (token_) {
    case Token::kInt:
      Type(SymbolType::kInt);
      return true;
    case Token::kHex:
      Type(SymbolType::kHex);
      return true;
    case Token::kString:
      Type(SymbolType::kString);
      return true;
    case Token::kDefBool:
      Default(SymbolType::kBool);
      return true;
    case Token::kDefTristate:
      Default(SymbolType::kTristate);
      return true;
    case Token::kDefInt:
      Default(SymbolType::kInt);
      return true;
    case Token::kDefHex:
      Default(SymbolType::kHex);
      return true;
    case Token::kDefString:
      Default(SymbolType::kString);
      return true;
    default:
      return false;
  }
}

bool StatementParser::ConfigOption() {
  switch (token_) {
    case Token::kSelect:
      SelectOrImply(PropertyKind::kSelect);
      return true;
    case Token::kImply:
      SelectOrImply(PropertyKind::kImply);
      return true;
    case Token::kRange:
      Range();
      return true;
    case Token::kModules:
      Advance();
      if (ExpectEnd()) ModulesOption();
      return true;
    case Token::kTransitional:
      builder_.parts.symbols[builder_.current().symbol].is_transitional = true;
      Advance();
      return true;
    case Token::kOption:
      Option();
      return true;
    default:
      return false;
  }
}

void StatementParser::Type(SymbolType type) {
  Advance();
  if (IsText()) {
    const std::string_view text = lexer_.text();
    Advance();
    const auto condition = OptionalIf();
    if (!condition || !ExpectEnd()) return;
    builder_.AddPrompt(text, *condition, where(), true);
  }
  if (ExpectEnd()) builder_.SetType(type);
}

void StatementParser::Prompt() {
  Advance();
  if (!IsText()) {
    return Fault(fmt::format("prompt: expected a text, found {}", Found()));
  }
  const std::string_view text = lexer_.text();
  Advance();
  const auto condition = OptionalIf();
  if (condition && ExpectEnd()) builder_.AddPrompt(text, *condition, where(), true);
}

void StatementParser::Default(SymbolType type) {
  Advance();
  const auto value = Or();
  if (!value) return;
  const auto condition = OptionalIf();
  if (!condition || !ExpectEnd()) return;
  builder_.AddProperty(PropertyKind::kDefault, *condition, where()).first = *value;
  if (type != SymbolType::kUnknown) builder_.SetType(type);
}

void StatementParser::SelectOrImply(PropertyKind kind) {
  Advance();
  const auto target = PlainSymbol();
  if (!target) return;
  const auto condition = OptionalIf();
  if (!condition || !ExpectEnd()) return;
  builder_.AddProperty(kind, *condition, where()).first = *target;
}

void StatementParser::Range() {
  Advance();
  const auto low = AnySymbol();
  if (!low) return;
  const auto high = AnySymbol();
  if (!high) return;
  const auto condition = OptionalIf();
  if (!condition || !ExpectEnd()) return;
  Property& range = builder_.AddProperty(PropertyKind::kRange, *condition, where());
  range.first = *low;
  range.second = *high;
}

void StatementParser::Depends() {
  Advance();
  if (token_ == Token::kOn) {
    Advance();
  } else if (options_.dialect.has_macros) {
    return Fault(fmt::format("depends: expected \"on\", found {}", Found()));
  }
  auto dependency = Or();
  if (!dependency) return;
  if (token_ == Token::kIf && options_.dialect.has_conditional_depends) {
    const auto condition = OptionalIf();
    if (!condition) return;
    // `depends on A if C` asks for A only where C holds: A || !C, with C = n as the C tool has it.
    ExpressionPool& pool = builder_.parts.expressions;
    const Expression& node = pool[*condition];
    const ExpressionId is_off = node.operation == Operation::kSymbol
                                    ? pool.Compare(Operation::kEqual, node.left, kSymbolNo)
                                    : pool.Not(*condition);
    dependency = pool.Or(*dependency, is_off);
  }
  if (ExpectEnd()) builder_.AddDependency(*dependency);
}

void StatementParser::Reset() {
  Advance();
  if (OptionalIf()) ExpectEnd();
}

void StatementParser::Visible() {
  Advance();
  const auto condition = OptionalIf();
  if (!condition || !ExpectEnd()) return;
  MenuNode& node = builder_.current();
  node.visible_if = builder_.parts.expressions.And(node.visible_if, *condition);
}

void StatementParser::Help() {
  const Location place = where();
  Advance();
  if (!ExpectEnd()) return;
  MenuNode& node = builder_.current();
  const bool is_menu = node.symbol == kNone;
  const std::string_view name = is_menu ? "<menu>" : builder_.parts.symbols[node.symbol].name;
  const std::string_view shown = name.empty() ? "<choice>" : name;
  if (node.raw_help.data() != nullptr) {
    builder_.Report(Severity::kWarning, place,
                    fmt::format("'{}' defined with more than one help text -- only the last one "
                                "will be used",
                                shown));
  }
  node.raw_help = lexer_.TakeHelp();
  if (node.raw_help.find_first_not_of(" \f\n\r\t\v") == std::string_view::npos) {
    builder_.Report(Severity::kWarning, place,
                    fmt::format("'{}' defined with blank help text", shown));
  }
}

void StatementParser::ModulesOption() {
  TreeParts& parts = builder_.parts;
  const SymbolId symbol = builder_.current().symbol;
  if (parts.modules != kSymbolNo && parts.modules != symbol) {
    Fault(fmt::format("symbol '{}' redefines option 'modules' already defined by symbol '{}'",
                      parts.symbols[symbol].name, parts.symbols[parts.modules].name));
  }
  parts.modules = symbol;
}

void StatementParser::Option() {
  Advance();
  const std::string_view name = lexer_.text();
  Advance();
  std::string_view value;
  if (token_ == Token::kEqual) {
    Advance();
    value = lexer_.text();
    Advance();
  }
  if (!ExpectEnd()) return;
  const SymbolId symbol = builder_.current().symbol;
  if (name == "modules") return ModulesOption();
  if (name == "allnoconfig_y") {
    builder_.parts.symbols[symbol].is_allno_yes = true;
  } else if (name == "env") {
    macros_.BindSymbol(builder_.parts.symbols[symbol].name, value);
    const std::string text = macros_.FromEnvironment(builder_.parts.symbols[symbol].name);
    const SymbolId constant = builder_.Lookup(builder_.Keep(text), true);
    builder_.parts.symbols[symbol].is_environment = true;
    builder_.AddProperty(PropertyKind::kDefault, kNone, where()).first =
        builder_.parts.expressions.Symbol(constant);
  } else if (name == "defconfig_list") {
    builder_.parts.defconfig_list = symbol;
    if (!options_.dialect.writes_defconfig_list) {
      builder_.parts.symbols[symbol].is_environment = true;
    }
  } else {
    Fault(fmt::format("option {}: expected env, modules, defconfig_list or allnoconfig_y", name));
  }
}

}  // namespace hone::kconfig

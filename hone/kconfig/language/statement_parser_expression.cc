// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "hone/kconfig/language/statement_parser.h"

// Expressions: the part of StatementParser that reads them, by precedence: ! and comparisons, then
// &&, then ||.
namespace hone::kconfig {
namespace {

constexpr std::uint32_t kDeepestExpression = 1000;

}  // namespace

std::optional<ExpressionId> StatementParser::Or() {
  if (nesting_ > kDeepestExpression) {
    Fault(fmt::format("an expression is nested more than {} deep", kDeepestExpression));
    return std::nullopt;
  }
  ++nesting_;
  auto left = And();
  while (left && token_ == Token::kOr) {
    Advance();
    const auto right = And();
    left = right ? std::optional(builder_.parts.expressions.Or(*left, *right)) : std::nullopt;
  }
  --nesting_;
  return left;
}

std::optional<ExpressionId> StatementParser::And() {
  auto left = Operand();
  while (left && token_ == Token::kAnd) {
    Advance();
    const auto right = Operand();
    left = right ? std::optional(builder_.parts.expressions.And(*left, *right)) : std::nullopt;
  }
  return left;
}

std::optional<ExpressionId> StatementParser::Operand() {
  std::uint32_t negations = 0;
  for (; token_ == Token::kNot; ++negations) Advance();
  if (negations > kDeepestExpression) {
    Fault(fmt::format("an expression is negated more than {} times", kDeepestExpression));
    return std::nullopt;
  }
  std::optional<ExpressionId> operand;
  if (token_ == Token::kOpen) {
    Advance();
    operand = Or();
    if (operand && token_ != Token::kClose) {
      Fault(fmt::format("expected \")\", found {}", Found()));
      return std::nullopt;
    }
    if (operand) Advance();
  } else {
    operand = Comparison();
  }
  for (; operand && negations > 0; --negations) {
    operand = builder_.parts.expressions.Not(*operand);
  }
  return operand;
}

std::optional<ExpressionId> StatementParser::Comparison() {
  const auto left = AnySymbol();
  if (!left) return std::nullopt;
  Operation operation = Operation::kSymbol;
  switch (token_) {
    case Token::kEqual:
      operation = Operation::kEqual;
      break;
    case Token::kUnequal:
      operation = Operation::kUnequal;
      break;
    case Token::kLess:
      operation = Operation::kLess;
      break;
    case Token::kLessEqual:
      operation = Operation::kLessEqual;
      break;
    case Token::kGreater:
      operation = Operation::kGreater;
      break;
    case Token::kGreaterEqual:
      operation = Operation::kGreaterEqual;
      break;
    default:
      return builder_.parts.expressions.Symbol(*left);
  }
  Advance();
  const auto right = AnySymbol();
  if (!right) return std::nullopt;
  return builder_.parts.expressions.Compare(operation, *left, *right);
}

std::optional<SymbolId> StatementParser::AnySymbol() {
  if (token_ != Token::kQuoted) return PlainSymbol();
  if (!HasRoomForName()) return std::nullopt;
  const SymbolId symbol = builder_.Lookup(lexer_.text(), true);
  Advance();
  return symbol;
}

std::optional<SymbolId> StatementParser::PlainSymbol() {
  if (token_ != Token::kWord) return RefuseNoName();
  if (!HasRoomForName()) return std::nullopt;
  const SymbolId symbol = builder_.Lookup(lexer_.text(), false);
  Advance();
  return symbol;
}

std::nullopt_t StatementParser::RefuseNoName() {
  Fault(fmt::format("expected the name of a symbol, found {}", Found()));
  return std::nullopt;
}

std::optional<ExpressionId> StatementParser::OptionalIf() {
  if (token_ != Token::kIf) return kNone;
  Advance();
  return Or();
}

}  // namespace hone::kconfig

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"
#include "hone/llm/text/template_lexer.h"
#include "hone/llm/text/template_nodes.h"

namespace hone::llm {

// Reads expressions from the words of a template, in Jinja2's order of precedence. The first fault
// is kept; after it everything read is an empty literal.
class ExpressionParser {
 public:
  explicit ExpressionParser(std::vector<TemplateToken> tokens) : tokens_(std::move(tokens)) {}

  ExpressionPtr ParseExpression();        // With "a if b else c".
  ExpressionPtr ParseWithoutCondition();  // For "for x in … if …".
  ExpressionPtr ParseTuple();             // "a, b" without parentheses, or one expression.

  const TemplateToken& Now() const { return tokens_[at_]; }
  const TemplateToken& Next(std::size_t ahead = 1) const;
  bool IsName(std::string_view name) const;
  bool IsSign(std::string_view sign) const;
  bool TakeName(std::string_view name);
  bool TakeSign(std::string_view sign);
  void ExpectSign(std::string_view sign);
  std::string ExpectName();
  void Advance();

  void Fail(const std::string& message, Errc code = Errc::kInvalidArgument);
  bool has_failed() const { return fault_.has_value(); }
  const Error& fault() const { return *fault_; }

  // Nesting that a template may have; false, and a fault, if it is over.
  bool Enter();
  void Leave() { --depth_; }

 private:
  using Node = std::unique_ptr<ExpressionNode>;

  bool EnterLink(std::size_t& links);
  void LeaveLinks(std::size_t links);
  Node Make(ExpressionNode::Kind kind) const;
  using Operand = ExpressionPtr (ExpressionParser::*)();
  ExpressionPtr ParseChain(std::string_view word, ExpressionNode::Kind kind, Operand operand);
  ExpressionPtr ParseOr();
  ExpressionPtr ParseAnd();
  ExpressionPtr ParseNot();
  ExpressionPtr ParseComparison();
  ExpressionPtr ParseArithmetic(std::size_t level);
  ExpressionPtr ParseUnary(bool with_filters);
  ExpressionPtr ParsePrimary();
  ExpressionPtr ParseNumber();
  ExpressionPtr ParseParentheses();
  ExpressionPtr ParseList();
  ExpressionPtr ParseDict();
  ExpressionPtr ParsePostfix(ExpressionPtr node);
  ExpressionPtr ParseSubscript(ExpressionPtr node);
  ExpressionPtr ParseFilters(ExpressionPtr node);
  ExpressionPtr ParseTest(ExpressionPtr node);
  void ParseArguments(ExpressionNode& call);

  std::vector<TemplateToken> tokens_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::optional<Error> fault_;
};

}  // namespace hone::llm

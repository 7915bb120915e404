// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/tree/show_expression.h"

#include "hone/kconfig/tree/tree.h"

namespace hone::kconfig {
namespace {

std::string_view SignOf(Operation operation) {
  switch (operation) {
    case Operation::kEqual:
      return "=";
    case Operation::kUnequal:
      return "!=";
    case Operation::kLess:
      return "<";
    case Operation::kLessEqual:
      return "<=";
    case Operation::kGreater:
      return ">";
    default:
      return ">=";
  }
}

class Printer {
 public:
  Printer(std::string& out, const ExpressionPool& pool, const AppendSymbol& append)
      : text_(out), pool_(pool), append_(append) {}

  void Print(ExpressionId id, Operation around) {
    const Expression& node = Node(id);
    const bool is_or = node.operation == Operation::kOr;
    const bool needs_parentheses =
        (is_or && around == Operation::kAnd) ||
        ((is_or || node.operation == Operation::kAnd) && around == Operation::kNot);
    if (needs_parentheses) text_ += '(';
    switch (node.operation) {
      case Operation::kSymbol:
        append_(text_, node.left);
        break;
      case Operation::kNot:
        text_ += '!';
        Print(node.left, Operation::kNot);
        break;
      case Operation::kAnd:
      case Operation::kOr:
        PrintChain(id, node.operation);
        break;
      default:
        append_(text_, node.left);
        text_ += SignOf(node.operation);
        append_(text_, node.right);
    }
    if (needs_parentheses) text_ += ')';
  }

 private:
  void PrintChain(ExpressionId id, Operation operation) {
    std::vector<ExpressionId> rights;
    for (; Node(id).operation == operation; id = Node(id).left) {
      rights.push_back(Node(id).right);
    }
    Print(id, operation);
    for (auto right = rights.rbegin(); right != rights.rend(); ++right) {
      text_ += operation == Operation::kAnd ? " && " : " || ";
      Print(*right, operation);
    }
  }

  const Expression& Node(ExpressionId id) const { return pool_[id]; }

  std::string& text_;
  const ExpressionPool& pool_;
  const AppendSymbol& append_;
};

}  // namespace

void AppendExpression(std::string& out, const ExpressionPool& pool, ExpressionId id,
                      const AppendSymbol& append) {
  if (id == kNone) {
    out += 'y';
  } else {
    Printer(out, pool, append).Print(id, Operation::kSymbol);
  }
}

std::string Tree::Show(ExpressionId id) const {
  std::string text;
  AppendExpression(text, parts_.expressions, id, [this](std::string& out, SymbolId at) {
    const Symbol& shown = symbol(at);
    const bool is_quoted = shown.is_constant && at > kSymbolYes;
    if (is_quoted) out += '"';
    out += shown.is_choice && shown.name.empty() ? "<choice>" : shown.name;
    if (is_quoted) out += '"';
  });
  return text;
}

}  // namespace hone::kconfig

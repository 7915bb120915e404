// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/tree.h"

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
  explicit Printer(const Tree& tree) : tree_(tree) {}

  void Print(ExpressionId id, Operation around) {
    const Expression& node = tree_.expression(id);
    const bool is_or = node.operation == Operation::kOr;
    const bool needs_parentheses =
        (is_or && around == Operation::kAnd) ||
        ((is_or || node.operation == Operation::kAnd) && around == Operation::kNot);
    if (needs_parentheses) text_ += '(';
    switch (node.operation) {
      case Operation::kSymbol:
        PrintSymbol(node.left);
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
        PrintSymbol(node.left);
        text_ += SignOf(node.operation);
        PrintSymbol(node.right);
    }
    if (needs_parentheses) text_ += ')';
  }

  std::string Take() { return std::move(text_); }

 private:
  void PrintChain(ExpressionId id, Operation operation) {
    std::vector<ExpressionId> rights;
    for (; tree_.expression(id).operation == operation; id = tree_.expression(id).left) {
      rights.push_back(tree_.expression(id).right);
    }
    Print(id, operation);
    for (auto right = rights.rbegin(); right != rights.rend(); ++right) {
      text_ += operation == Operation::kAnd ? " && " : " || ";
      Print(*right, operation);
    }
  }

  void PrintSymbol(SymbolId id) {
    const Symbol& symbol = tree_.symbol(id);
    const bool is_quoted = symbol.is_constant && id > kSymbolYes;
    if (is_quoted) text_ += '"';
    text_ += symbol.is_choice && symbol.name.empty() ? "<choice>" : symbol.name;
    if (is_quoted) text_ += '"';
  }

  const Tree& tree_;
  std::string text_;
};

}  // namespace

std::string Tree::Show(ExpressionId id) const {
  if (id == kNone) return "y";
  Printer printer(*this);
  printer.Print(id, Operation::kSymbol);
  return printer.Take();
}

}  // namespace hone::kconfig

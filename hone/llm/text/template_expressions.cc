// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/text/template_expressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "hone/llm/text/template_calls.h"

namespace hone::llm {
namespace {

using TokenKind = TemplateToken::Kind;
using NodeKind = ExpressionNode::Kind;

constexpr std::size_t kMaxParseDepth = 300;

// From the loosest to the tightest.
const std::vector<std::vector<std::string_view>> kArithmeticLevels = {
    {"+", "-"}, {"~"}, {"*", "/", "//", "%"}, {"**"}};

constexpr std::string_view kComparisons[] = {"==", "!=", "<", ">", "<=", ">="};

std::string Shown(const TemplateToken& token) {
  switch (token.kind) {
    case TokenKind::kEnd:
      return "the end of the template";
    case TokenKind::kOutputEnd:
      return "}}";
    case TokenKind::kBlockEnd:
      return "%}";
    case TokenKind::kString:
      return "a string";
    default:
      return fmt::format("\"{}\"", token.text);
  }
}

}  // namespace

const TemplateToken& ExpressionParser::Next(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

void ExpressionParser::Advance() {
  if (at_ + 1 < tokens_.size()) ++at_;
}

void ExpressionParser::Fail(const std::string& message, Errc code) {
  if (!fault_) fault_ = Error{code, fmt::format("line {}: {}", Now().line, message)};
}

bool ExpressionParser::Enter() {
  if (++depth_ > kMaxParseDepth) Fail(fmt::format("nested over {}", kMaxParseDepth));
  return !has_failed();
}

// A chain such as a + b + c nests to the left, one deeper with each link.
bool ExpressionParser::EnterLink(std::size_t& links) {
  ++links;
  return Enter();
}

void ExpressionParser::LeaveLinks(std::size_t links) { depth_ -= links; }

bool ExpressionParser::IsName(std::string_view name) const {
  return Now().kind == TokenKind::kName && Now().text == name;
}

bool ExpressionParser::IsSign(std::string_view sign) const {
  return Now().kind == TokenKind::kSign && Now().text == sign;
}

bool ExpressionParser::TakeName(std::string_view name) {
  if (!IsName(name)) return false;
  Advance();
  return true;
}

bool ExpressionParser::TakeSign(std::string_view sign) {
  if (!IsSign(sign)) return false;
  Advance();
  return true;
}

void ExpressionParser::ExpectSign(std::string_view sign) {
  if (!TakeSign(sign)) Fail(fmt::format("expected \"{}\", found {}", sign, Shown(Now())));
}

std::string ExpressionParser::ExpectName() {
  if (Now().kind != TokenKind::kName) {
    Fail(fmt::format("expected a name, found {}", Shown(Now())));
    return "";
  }
  std::string name = Now().text;
  Advance();
  return name;
}

ExpressionParser::Node ExpressionParser::Make(NodeKind kind) const {
  auto node = std::make_unique<ExpressionNode>();
  node->kind = kind;
  node->line = Now().line;
  return node;
}

ExpressionPtr ExpressionParser::ParseExpression() {
  if (!Enter()) return Make(NodeKind::kLiteral);
  ExpressionPtr value = ParseOr();
  std::size_t links = 0;
  while (!has_failed() && IsName("if")) {
    if (!EnterLink(links)) break;
    Node node = Make(NodeKind::kConditional);
    Advance();
    node->parts.push_back(std::move(value));
    node->parts.push_back(ParseOr());
    node->parts.push_back(TakeName("else") ? ParseExpression() : nullptr);
    value = std::move(node);
  }
  LeaveLinks(links);
  Leave();
  return value;
}

ExpressionPtr ExpressionParser::ParseWithoutCondition() { return ParseOr(); }

ExpressionPtr ExpressionParser::ParseTuple() {
  ExpressionPtr first = ParseExpression();
  if (!IsSign(",")) return first;
  Node tuple = Make(NodeKind::kTuple);
  tuple->parts.push_back(std::move(first));
  while (!has_failed() && TakeSign(",")) {
    if (Now().kind == TokenKind::kBlockEnd || Now().kind == TokenKind::kOutputEnd) break;
    tuple->parts.push_back(ParseExpression());
  }
  return tuple;
}

// Operands joined by the word, from the left.
ExpressionPtr ExpressionParser::ParseChain(std::string_view word, NodeKind kind, Operand operand) {
  ExpressionPtr left = (this->*operand)();
  std::size_t links = 0;
  while (!has_failed() && IsName(word)) {
    if (!EnterLink(links)) break;
    Node node = Make(kind);
    Advance();
    node->parts.push_back(std::move(left));
    node->parts.push_back((this->*operand)());
    left = std::move(node);
  }
  LeaveLinks(links);
  return left;
}

ExpressionPtr ExpressionParser::ParseOr() {
  return ParseChain("or", NodeKind::kOr, &ExpressionParser::ParseAnd);
}

ExpressionPtr ExpressionParser::ParseAnd() {
  return ParseChain("and", NodeKind::kAnd, &ExpressionParser::ParseNot);
}

ExpressionPtr ExpressionParser::ParseNot() {
  if (!IsName("not")) return ParseComparison();
  if (!Enter()) return Make(NodeKind::kLiteral);
  Node node = Make(NodeKind::kNot);
  Advance();
  node->parts.push_back(ParseNot());
  Leave();
  return node;
}

ExpressionPtr ExpressionParser::ParseComparison() {
  ExpressionPtr first = ParseArithmetic(0);
  Node node = Make(NodeKind::kComparison);
  while (!has_failed()) {
    std::string name;
    if (Now().kind == TokenKind::kSign &&
        std::find(std::begin(kComparisons), std::end(kComparisons), Now().text) !=
            std::end(kComparisons)) {
      name = Now().text;
      Advance();
    } else if (TakeName("in")) {
      name = "in";
    } else if (IsName("not") && Next().kind == TokenKind::kName && Next().text == "in") {
      name = "not in";
      Advance();
      Advance();
    } else {
      break;
    }
    node->names.push_back(std::move(name));
    node->parts.push_back(ParseArithmetic(0));
  }
  if (node->names.empty()) return first;
  node->parts.insert(node->parts.begin(), std::move(first));
  return node;
}

ExpressionPtr ExpressionParser::ParseArithmetic(std::size_t level) {
  if (level == kArithmeticLevels.size()) return ParseUnary(true);
  const auto& signs = kArithmeticLevels[level];
  ExpressionPtr left = ParseArithmetic(level + 1);
  std::size_t links = 0;
  while (!has_failed() && Now().kind == TokenKind::kSign &&
         std::find(signs.begin(), signs.end(), Now().text) != signs.end()) {
    if (!EnterLink(links)) break;
    Node node = Make(NodeKind::kArithmetic);
    node->name = Now().text;
    Advance();
    node->parts.push_back(std::move(left));
    node->parts.push_back(ParseArithmetic(level + 1));
    left = std::move(node);
  }
  LeaveLinks(links);
  return left;
}

ExpressionPtr ExpressionParser::ParseUnary(bool with_filters) {
  if (!Enter()) return Make(NodeKind::kLiteral);
  ExpressionPtr node;
  if (IsSign("-") || IsSign("+")) {
    Node sign = Make(IsSign("-") ? NodeKind::kMinus : NodeKind::kPlus);
    Advance();
    sign->parts.push_back(ParseUnary(false));
    node = std::move(sign);
  } else {
    node = ParsePrimary();
  }
  node = ParsePostfix(std::move(node));
  if (with_filters) node = ParseFilters(std::move(node));
  Leave();
  return node;
}

ExpressionPtr ExpressionParser::ParsePrimary() {
  const TemplateToken& token = Now();
  if (token.kind == TokenKind::kInteger || token.kind == TokenKind::kReal) return ParseNumber();
  if (token.kind == TokenKind::kString) {
    Node node = Make(NodeKind::kLiteral);
    std::string text;
    while (Now().kind == TokenKind::kString) {  // Neighbours are one.
      text += Now().text;
      Advance();
    }
    node->value = TemplateValue(std::move(text));
    return node;
  }
  if (IsSign("(")) return ParseParentheses();
  if (IsSign("[")) return ParseList();
  if (IsSign("{")) return ParseDict();
  if (token.kind != TokenKind::kName) {
    Fail(fmt::format("expected an expression, found {}", Shown(token)));
    return Make(NodeKind::kLiteral);
  }
  Node node = Make(NodeKind::kLiteral);
  const std::string name = ExpectName();
  if (name == "true" || name == "True" || name == "false" || name == "False") {
    node->value = TemplateValue(name == "true" || name == "True");
  } else if (name == "none" || name == "None") {
    node->value = TemplateValue(TemplateValue::None{});
  } else {
    node->kind = NodeKind::kName;
    node->name = name;
  }
  return node;
}

ExpressionPtr ExpressionParser::ParseNumber() {
  Node node = Make(NodeKind::kLiteral);
  const std::string& text = Now().text;
  const char* end = text.data() + text.size();
  if (Now().kind == TokenKind::kReal) {
    double number = 0;
    if (std::from_chars(text.data(), end, number).ec != std::errc{}) Fail("a number is too large");
    node->value = TemplateValue(number);
  } else {
    std::int64_t number = 0;
    if (std::from_chars(text.data(), end, number).ec != std::errc{}) Fail("a number is too large");
    node->value = TemplateValue(number);
  }
  Advance();
  return node;
}

ExpressionPtr ExpressionParser::ParseParentheses() {
  Node tuple = Make(NodeKind::kTuple);
  ExpectSign("(");
  if (TakeSign(")")) return tuple;
  tuple->parts.push_back(ParseExpression());
  const bool is_tuple = IsSign(",");
  while (!has_failed() && TakeSign(",") && !IsSign(")")) tuple->parts.push_back(ParseExpression());
  ExpectSign(")");
  if (!is_tuple && !has_failed()) return std::move(tuple->parts.front());
  return tuple;
}

ExpressionPtr ExpressionParser::ParseList() {
  Node list = Make(NodeKind::kList);
  ExpectSign("[");
  while (!has_failed() && !IsSign("]")) {
    list->parts.push_back(ParseExpression());
    if (!TakeSign(",")) break;
  }
  ExpectSign("]");
  return list;
}

ExpressionPtr ExpressionParser::ParseDict() {
  Node dict = Make(NodeKind::kDict);
  ExpectSign("{");
  while (!has_failed() && !IsSign("}")) {
    dict->parts.push_back(ParseExpression());
    ExpectSign(":");
    dict->parts.push_back(ParseExpression());
    if (!TakeSign(",")) break;
  }
  ExpectSign("}");
  return dict;
}

ExpressionPtr ExpressionParser::ParsePostfix(ExpressionPtr node) {
  std::size_t links = 0;
  while (!has_failed()) {
    if (!EnterLink(links)) break;
    if (IsSign(".")) {
      Node attribute = Make(NodeKind::kAttribute);
      Advance();
      attribute->name = ExpectName();
      attribute->parts.push_back(std::move(node));
      node = std::move(attribute);
    } else if (IsSign("[")) {
      node = ParseSubscript(std::move(node));
    } else if (IsSign("(")) {
      Node call = Make(NodeKind::kCall);
      call->parts.push_back(std::move(node));
      ParseArguments(*call);
      node = std::move(call);
    } else {
      break;
    }
  }
  LeaveLinks(links);
  return node;
}

ExpressionPtr ExpressionParser::ParseSubscript(ExpressionPtr of) {
  Node node = Make(NodeKind::kSubscript);
  node->parts.push_back(std::move(of));
  ExpectSign("[");
  const auto part = [&]() -> ExpressionPtr {
    return IsSign(":") || IsSign("]") ? nullptr : ParseExpression();
  };
  node->parts.push_back(part());
  if (IsSign(":")) {
    node->kind = NodeKind::kSlice;
    while (!has_failed() && node->parts.size() < 4 && TakeSign(":")) node->parts.push_back(part());
    while (node->parts.size() < 4) node->parts.push_back(nullptr);
  } else if (node->parts.back() == nullptr) {
    Fail("expected an index between [ and ]");
  }
  ExpectSign("]");
  return node;
}

ExpressionPtr ExpressionParser::ParseFilters(ExpressionPtr node) {
  std::size_t links = 0;
  while (!has_failed()) {
    if (!EnterLink(links)) break;
    if (IsSign("|")) {
      Node filter = Make(NodeKind::kFilter);
      Advance();
      filter->name = ExpectName();
      if (!IsKnownFilter(filter->name)) {
        Fail(fmt::format("the filter \"{}\" is not supported", filter->name), Errc::kUnsupported);
      }
      filter->parts.push_back(std::move(node));
      if (IsSign("(")) ParseArguments(*filter);
      node = std::move(filter);
    } else if (IsName("is")) {
      node = ParseTest(std::move(node));
    } else if (IsSign("(")) {
      Node call = Make(NodeKind::kCall);
      call->parts.push_back(std::move(node));
      ParseArguments(*call);
      node = std::move(call);
    } else {
      break;
    }
  }
  LeaveLinks(links);
  return node;
}

ExpressionPtr ExpressionParser::ParseTest(ExpressionPtr of) {
  Node test = Make(NodeKind::kTest);
  Advance();
  const bool is_negated = TakeName("not");
  test->name = ExpectName();
  if (!IsKnownTest(test->name)) {
    Fail(fmt::format("the test \"{}\" is not supported", test->name), Errc::kUnsupported);
  }
  test->parts.push_back(std::move(of));
  const bool has_operand =
      Now().kind == TokenKind::kString || Now().kind == TokenKind::kInteger ||
      Now().kind == TokenKind::kReal || IsSign("[") || IsSign("{") ||
      (Now().kind == TokenKind::kName && !IsName("else") && !IsName("or") && !IsName("and") &&
       !IsName("is") && !IsName("if") && !IsName("in") && !IsName("not"));
  if (IsSign("(")) {
    ParseArguments(*test);
  } else if (has_operand) {
    test->parts.push_back(ParsePostfix(ParsePrimary()));
  }
  if (!is_negated) return test;
  Node node = Make(NodeKind::kNot);
  node->parts.push_back(std::move(test));
  return node;
}

void ExpressionParser::ParseArguments(ExpressionNode& call) {
  ExpectSign("(");
  while (!has_failed() && !IsSign(")")) {
    if (IsSign("*") || IsSign("**")) {
      return Fail("* and ** in calls are not supported", Errc::kUnsupported);
    }
    const bool is_named =
        Now().kind == TokenKind::kName && Next().kind == TokenKind::kSign && Next().text == "=";
    if (is_named) {
      std::string name = ExpectName();
      ExpectSign("=");
      call.named.emplace_back(std::move(name), ParseExpression());
    } else {
      call.parts.push_back(ParseExpression());
    }
    if (!TakeSign(",")) break;
  }
  ExpectSign(")");
}

}  // namespace hone::llm

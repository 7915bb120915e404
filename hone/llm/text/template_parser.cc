// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/text/template_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "hone/llm/text/template_expressions.h"
#include "hone/llm/text/template_lexer.h"

namespace hone::llm {
namespace {

using TokenKind = TemplateToken::Kind;
using StatementKind = StatementNode::Kind;

class StatementParser {
 public:
  explicit StatementParser(std::vector<TemplateToken> tokens) : words_(std::move(tokens)) {}

  Result<StatementList> Run() {
    StatementList list = ParseBody({});
    if (words_.has_failed()) return words_.fault();
    return list;
  }

 private:
  using Node = std::unique_ptr<StatementNode>;

  Node Make(StatementKind kind) const {
    auto node = std::make_unique<StatementNode>();
    node->kind = kind;
    node->line = words_.Now().line;
    return node;
  }

  // Up to a block that begins with one of these words, which is the next to be read; without any,
  // up to the end.
  StatementList ParseBody(std::initializer_list<std::string_view> ends) {
    StatementList list;
    if (!words_.Enter()) return list;
    while (!words_.has_failed()) {
      const TemplateToken& token = words_.Now();
      if (token.kind == TokenKind::kEnd) {
        if (ends.size() > 0) words_.Fail(fmt::format("{{% {} %}} is missing", *(ends.end() - 1)));
        break;
      }
      if (token.kind == TokenKind::kText) {
        Node text = Make(StatementKind::kText);
        text->text = token.text;
        list.push_back(std::move(text));
        words_.Advance();
      } else if (token.kind == TokenKind::kOutputBegin) {
        list.push_back(ParseOutput());
      } else {
        words_.Advance();
        const std::string& word = words_.Now().text;
        if (words_.Now().kind == TokenKind::kName &&
            std::find(ends.begin(), ends.end(), word) != ends.end()) {
          break;
        }
        if (auto statement = ParseBlock()) list.push_back(std::move(statement));
      }
    }
    words_.Leave();
    return list;
  }

  StatementPtr ParseOutput() {
    Node output = Make(StatementKind::kOutput);
    words_.Advance();
    output->expressions.push_back(words_.ParseTuple());
    if (words_.Now().kind != TokenKind::kOutputEnd) words_.Fail("expected }}");
    words_.Advance();
    return output;
  }

  void EndBlock() {
    if (words_.Now().kind != TokenKind::kBlockEnd) words_.Fail("expected %}");
    words_.Advance();
  }

  StatementPtr ParseBlock() {
    const std::string word = words_.Now().kind == TokenKind::kName ? words_.Now().text : "";
    if (word == "if") return ParseIf();
    if (word == "for") return ParseFor();
    if (word == "set") return ParseSet();
    if (word == "macro") return ParseMacro();
    if (word == "generation") return ParseGeneration();
    if (word == "break" || word == "continue") {
      Node node = Make(word == "break" ? StatementKind::kBreak : StatementKind::kContinue);
      if (loops_ == 0) words_.Fail(fmt::format("{{% {} %}} outside of a loop", word));
      words_.Advance();
      EndBlock();
      return node;
    }
    words_.Fail(fmt::format("{{% {} %}} is not supported here; there are if, for, set, macro, "
                            "generation, break and continue",
                            word),
                Errc::kUnsupported);
    return nullptr;
  }

  StatementPtr ParseIf() {
    Node node = Make(StatementKind::kIf);
    do {
      words_.Advance();  // if, elif
      node->expressions.push_back(words_.ParseTuple());
      EndBlock();
      node->bodies.push_back(ParseBody({"elif", "else", "endif"}));
    } while (!words_.has_failed() && words_.IsName("elif"));
    if (words_.TakeName("else")) {
      EndBlock();
      node->bodies.push_back(ParseBody({"endif"}));
    }
    words_.Advance();
    EndBlock();
    return node;
  }

  StatementPtr ParseFor() {
    Node node = Make(StatementKind::kFor);
    words_.Advance();
    const bool has_parentheses = words_.TakeSign("(");
    do {
      node->names.push_back(words_.ExpectName());
    } while (!words_.has_failed() && words_.TakeSign(","));
    if (has_parentheses) words_.ExpectSign(")");
    if (!words_.TakeName("in")) words_.Fail("expected \"in\"");
    node->expressions.push_back(words_.ParseWithoutCondition());
    if (words_.TakeName("if")) node->expressions.push_back(words_.ParseExpression());
    if (words_.IsName("recursive")) {
      words_.Fail("recursive loops are not supported", Errc::kUnsupported);
    }
    EndBlock();
    ++loops_;
    node->bodies.push_back(ParseBody({"else", "endfor"}));
    --loops_;
    if (words_.TakeName("else")) {
      EndBlock();
      node->bodies.push_back(ParseBody({"endfor"}));
    }
    words_.Advance();
    EndBlock();
    return node;
  }

  StatementPtr ParseSet() {
    Node node = Make(StatementKind::kSet);
    words_.Advance();
    do {
      std::string name = words_.ExpectName();
      if (words_.TakeSign(".")) name += "." + words_.ExpectName();
      node->names.push_back(std::move(name));
    } while (!words_.has_failed() && words_.TakeSign(","));
    if (words_.TakeSign("=")) {
      node->expressions.push_back(words_.ParseTuple());
      EndBlock();
      return node;
    }
    if (node->names.size() > 1) words_.Fail("expected \"=\"");
    node->kind = StatementKind::kSetBlock;
    EndBlock();
    node->bodies.push_back(ParseBody({"endset"}));
    words_.Advance();
    EndBlock();
    return node;
  }

  StatementPtr ParseMacro() {
    Node node = Make(StatementKind::kMacro);
    words_.Advance();
    node->macro.name = words_.ExpectName();
    words_.ExpectSign("(");
    while (!words_.has_failed() && !words_.IsSign(")")) {
      std::string name = words_.ExpectName();
      ExpressionPtr otherwise = words_.TakeSign("=") ? words_.ParseExpression() : nullptr;
      node->macro.parameters.emplace_back(std::move(name), std::move(otherwise));
      if (!words_.TakeSign(",")) break;
    }
    words_.ExpectSign(")");
    EndBlock();
    const int loops = std::exchange(loops_, 0);
    node->macro.body = ParseBody({"endmacro"});
    loops_ = loops;
    words_.Advance();
    EndBlock();
    return node;
  }

  // Marks what a model wrote, for those who train; it is rendered as it stands.
  StatementPtr ParseGeneration() {
    Node node = Make(StatementKind::kBlock);
    words_.Advance();
    EndBlock();
    node->bodies.push_back(ParseBody({"endgeneration"}));
    words_.Advance();
    EndBlock();
    return node;
  }

  ExpressionParser words_;
  int loops_ = 0;
};

}  // namespace

Result<StatementList> ParseTemplate(std::string_view source) {
  auto tokens = SplitTemplate(source);
  if (!tokens) return tokens.error();
  return StatementParser(std::move(*tokens)).Run();
}

}  // namespace hone::llm

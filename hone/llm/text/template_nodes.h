// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hone/llm/text/template_value.h"

namespace hone::llm {

struct ExpressionNode;
using ExpressionPtr = std::unique_ptr<const ExpressionNode>;

struct ExpressionNode {
  enum class Kind {
    kLiteral,      // value
    kName,         // name
    kAttribute,    // parts[0].name
    kSubscript,    // parts[0][parts[1]]
    kSlice,        // parts[0][parts[1]:parts[2]:parts[3]]; a part that is not given is null
    kList,         // parts
    kTuple,        // parts
    kDict,         // parts: key, value, key, value …
    kNot,          // parts[0]
    kMinus,        // parts[0]
    kPlus,         // parts[0]
    kArithmetic,   // parts[0] name parts[1]
    kAnd,          // parts[0], parts[1]
    kOr,           // parts[0], parts[1]
    kComparison,   // parts[0] names[0] parts[1] names[1] parts[2] …
    kConditional,  // parts[0] if parts[1] else parts[2], which may be null
    kFilter,       // parts[0] | name(parts[1]…, named)
    kTest,         // parts[0] is name(parts[1]…)
    kCall,         // parts[0](parts[1]…, named)
  };

  Kind kind = Kind::kLiteral;
  int line = 1;
  std::string name;
  TemplateValue value;
  std::vector<ExpressionPtr> parts;
  std::vector<std::string> names;
  std::vector<std::pair<std::string, ExpressionPtr>> named;
};

struct StatementNode;
using StatementPtr = std::unique_ptr<const StatementNode>;
using StatementList = std::vector<StatementPtr>;

// A macro's parameters, with what they are if they are not given (or null).
struct MacroNode {
  std::string name;
  std::vector<std::pair<std::string, ExpressionPtr>> parameters;
  StatementList body;
};

struct StatementNode {
  enum class Kind {
    kText,      // text
    kOutput,    // expressions[0]
    kIf,        // expressions[k] decides on bodies[k]; one body more is the else
    kFor,       // for names in expressions[0] if expressions[1]: bodies[0], else bodies[1]
    kSet,       // names = expressions[0]; of one "a.b" a member of a namespace
    kSetBlock,  // names[0] = what bodies[0] writes
    kMacro,     // macro
    kBlock,     // bodies[0]
    kBreak,
    kContinue,
  };

  Kind kind = Kind::kText;
  int line = 1;
  std::string text;
  std::vector<std::string> names;
  std::vector<ExpressionPtr> expressions;
  std::vector<StatementList> bodies;
  MacroNode macro;
};

}  // namespace hone::llm

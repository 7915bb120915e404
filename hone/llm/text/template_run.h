// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"
#include "hone/llm/text/template_calls.h"
#include "hone/llm/text/template_meter.h"
#include "hone/llm/text/template_nodes.h"

namespace hone::llm {

// One rendering of a template. The variables must outlive it.
class TemplateRun {
 public:
  TemplateRun(const TemplateDict& variables, TemplateLimits limits)
      : variables_(variables), meter_(limits) {}

  Result<std::string> Render(const StatementList& statements);

 private:
  // How a statement ended: on with the next, or with the loop.
  enum class Flow { kNext, kBreak, kContinue };
  using Frame = std::map<std::string, TemplateValue, std::less<>>;

  Flow Execute(const StatementList& statements);
  Flow Execute(const StatementNode& node);
  Flow ExecuteIf(const StatementNode& node);
  Flow ExecuteFor(const StatementNode& node);
  void ExecuteSet(const StatementNode& node);
  void Assign(const std::string& name, TemplateValue value);
  void AssignAll(const std::vector<std::string>& names, const TemplateValue& value);
  std::vector<TemplateValue> LoopItems(const StatementNode& node);
  TemplateValue LoopVariable(const std::vector<TemplateValue>& items, std::size_t at) const;
  std::string Captured(const StatementList& statements);
  void Write(std::string_view text);

  TemplateValue Evaluate(const ExpressionNode& node);
  TemplateValue EvaluateKind(const ExpressionNode& node);
  TemplateValue LookUp(const std::string& name) const;
  TemplateValue EvaluateSlice(const ExpressionNode& node);
  TemplateValue EvaluateDict(const ExpressionNode& node);
  TemplateValue EvaluateSign(const ExpressionNode& node);
  TemplateValue EvaluateComparison(const ExpressionNode& node);
  TemplateValue EvaluateCall(const ExpressionNode& node);
  TemplateValue CallMacro(const MacroNode& macro, const TemplateArguments& arguments);
  TemplateArguments ArgumentsOf(const ExpressionNode& node);

  const TemplateDict& variables_;
  TemplateMeter meter_;
  std::vector<Frame> frames_ = {Frame{}};
  std::string output_;
  std::size_t calls_ = 0;
};

}  // namespace hone::llm

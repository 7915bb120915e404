// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "hone/llm/text/template_run.h"

namespace hone::llm {
namespace {

using ExpressionKind = ExpressionNode::Kind;

}  // namespace

TemplateValue TemplateRun::Evaluate(const ExpressionNode& node) {
  if (!meter_.Charge(1)) return {};
  TemplateValue value = EvaluateKind(node);
  if (value.depth() > meter_.limits().depth) meter_.Fail("values are nested too deep");
  return meter_.has_failed() ? TemplateValue() : value;
}

TemplateValue TemplateRun::EvaluateKind(const ExpressionNode& node) {
  switch (node.kind) {
    case ExpressionKind::kLiteral:
      return node.value;
    case ExpressionKind::kName:
      return LookUp(node.name);
    case ExpressionKind::kAttribute:
      return AttributeOf(meter_, Evaluate(*node.parts[0]), node.name);
    case ExpressionKind::kSubscript: {
      const TemplateValue value = Evaluate(*node.parts[0]);
      return SubscriptOf(meter_, value, Evaluate(*node.parts[1]));
    }
    case ExpressionKind::kSlice:
      return EvaluateSlice(node);
    case ExpressionKind::kList:
    case ExpressionKind::kTuple: {
      std::vector<TemplateValue> items;
      for (const ExpressionPtr& part : node.parts) items.push_back(Evaluate(*part));
      return meter_.List(std::move(items), node.kind == ExpressionKind::kTuple);
    }
    case ExpressionKind::kDict:
      return EvaluateDict(node);
    case ExpressionKind::kNot:
      return TemplateValue(!Evaluate(*node.parts[0]).IsTrue());
    case ExpressionKind::kMinus:
    case ExpressionKind::kPlus:
      return EvaluateSign(node);
    case ExpressionKind::kArithmetic: {
      const TemplateValue left = Evaluate(*node.parts[0]);
      const TemplateValue right = Evaluate(*node.parts[1]);
      return meter_.has_failed() ? left : Compute(meter_, node.name, left, right);
    }
    case ExpressionKind::kAnd:
    case ExpressionKind::kOr: {
      TemplateValue left = Evaluate(*node.parts[0]);
      const bool goes_on = left.IsTrue() == (node.kind == ExpressionKind::kAnd);
      return goes_on ? Evaluate(*node.parts[1]) : left;
    }
    case ExpressionKind::kComparison:
      return EvaluateComparison(node);
    case ExpressionKind::kConditional:
      if (Evaluate(*node.parts[1]).IsTrue()) return Evaluate(*node.parts[0]);
      return node.parts[2] != nullptr ? Evaluate(*node.parts[2]) : TemplateValue();
    case ExpressionKind::kFilter: {
      const TemplateValue value = Evaluate(*node.parts[0]);
      const TemplateArguments arguments = ArgumentsOf(node);
      return meter_.has_failed() ? value : ApplyFilter(meter_, node.name, value, arguments);
    }
    case ExpressionKind::kTest: {
      const TemplateValue value = Evaluate(*node.parts[0]);
      const TemplateArguments arguments = ArgumentsOf(node);
      return TemplateValue(!meter_.has_failed() && ApplyTest(meter_, node.name, value, arguments));
    }
    case ExpressionKind::kCall:
      return EvaluateCall(node);
  }
  return {};
}

TemplateValue TemplateRun::LookUp(const std::string& name) const {
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    if (const auto found = frame->find(name); found != frame->end()) return found->second;
  }
  if (const TemplateValue* variable = variables_.Find(name)) return *variable;
  if (IsKnownFunction(name)) return TemplateValue(TemplateCallable{name, nullptr});
  return TemplateValue(TemplateValue::Undefined{name});
}

TemplateValue TemplateRun::EvaluateSlice(const ExpressionNode& node) {
  const TemplateValue value = Evaluate(*node.parts[0]);
  const auto bound = [&](std::size_t k) {
    return node.parts[k] == nullptr ? TemplateValue(TemplateValue::None{})
                                    : Evaluate(*node.parts[k]);
  };
  const TemplateValue begin = bound(1);
  const TemplateValue end = bound(2);
  const TemplateValue step = bound(3);
  return meter_.has_failed() ? value : SliceOf(meter_, value, begin, end, step);
}

TemplateValue TemplateRun::EvaluateDict(const ExpressionNode& node) {
  TemplateDict dict;
  for (std::size_t k = 0; k + 1 < node.parts.size(); k += 2) {
    const TemplateValue key = Evaluate(*node.parts[k]);
    if (!key.text()) meter_.Fail("only strings are supported as keys", Errc::kUnsupported);
    TemplateValue value = Evaluate(*node.parts[k + 1]);
    if (meter_.has_failed()) return {};
    dict.Set(*key.text(), std::move(value));
  }
  return TemplateValue(std::move(dict));
}

TemplateValue TemplateRun::EvaluateSign(const ExpressionNode& node) {
  const TemplateValue value = Evaluate(*node.parts[0]);
  if (meter_.has_failed()) return {};
  const TemplateValue zero(std::int64_t{0});
  return Compute(meter_, node.kind == ExpressionKind::kMinus ? "-" : "+", zero, value);
}

TemplateValue TemplateRun::EvaluateComparison(const ExpressionNode& node) {
  TemplateValue left = Evaluate(*node.parts[0]);
  for (std::size_t k = 0; k < node.names.size(); ++k) {
    TemplateValue right = Evaluate(*node.parts[k + 1]);
    if (meter_.has_failed()) return {};
    const std::string& sign = node.names[k];
    const bool is_met = sign == "in"       ? IsIn(meter_, left, right)
                        : sign == "not in" ? !IsIn(meter_, left, right)
                                           : Compare(meter_, sign, left, right);
    if (!is_met) return TemplateValue(false);
    left = std::move(right);
  }
  return TemplateValue(true);
}

TemplateArguments TemplateRun::ArgumentsOf(const ExpressionNode& node) {
  TemplateArguments arguments;
  for (std::size_t k = 1; k < node.parts.size(); ++k) {
    arguments.values.push_back(Evaluate(*node.parts[k]));
  }
  for (const auto& [name, part] : node.named) arguments.named.emplace_back(name, Evaluate(*part));
  return arguments;
}

TemplateValue TemplateRun::EvaluateCall(const ExpressionNode& node) {
  const TemplateValue called = Evaluate(*node.parts[0]);
  const TemplateArguments arguments = ArgumentsOf(node);
  if (meter_.has_failed()) return {};
  meter_.set_line(node.line);
  const TemplateCallable* callable = called.callable();
  if (callable == nullptr) {
    meter_.Fail(called.undefined() ? fmt::format("'{}' is undefined", called.undefined()->name)
                                   : fmt::format("{} cannot be called", TypeNameOf(called)));
    return {};
  }
  if (callable->macro != nullptr) return CallMacro(*callable->macro, arguments);
  if (callable->self != nullptr) {
    return CallMethod(meter_, callable->name, *callable->self, arguments);
  }
  return CallFunction(meter_, callable->name, arguments);
}

// A macro sees its arguments and what the template has set outside of loops.
TemplateValue TemplateRun::CallMacro(const MacroNode& macro, const TemplateArguments& arguments) {
  if (++calls_ > meter_.limits().depth) meter_.Fail("macros call each other too deep");
  if (arguments.values.size() > macro.parameters.size()) {
    meter_.Fail(
        fmt::format("the macro {} takes {} arguments", macro.name, macro.parameters.size()));
  }
  if (meter_.has_failed()) return {};
  Frame frame;
  for (std::size_t k = 0; k < macro.parameters.size(); ++k) {
    const auto& [name, otherwise] = macro.parameters[k];
    const TemplateValue* given = arguments.Find(k, name);
    if (given != nullptr) {
      frame.emplace(name, *given);
    } else {
      frame.emplace(name, otherwise != nullptr ? Evaluate(*otherwise)
                                               : TemplateValue(TemplateValue::Undefined{name}));
    }
  }
  std::vector<Frame> outer = std::exchange(frames_, {});
  frames_.push_back(std::move(outer.front()));
  frames_.push_back(std::move(frame));
  std::string text = Captured(macro.body);
  outer.front() = std::move(frames_.front());
  frames_ = std::move(outer);
  --calls_;
  return meter_.Text(std::move(text));
}

}  // namespace hone::llm

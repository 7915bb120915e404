// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/text/template_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hone::llm {
namespace {

using StatementKind = StatementNode::Kind;

bool HoldsNamespace(const TemplateValue& value) {
  if (value.name_space() != nullptr) return true;
  if (const TemplateCallable* callable = value.callable()) {
    return callable->self != nullptr && HoldsNamespace(*callable->self);
  }
  if (const TemplateList* list = value.list()) {
    return std::any_of(list->items.begin(), list->items.end(), HoldsNamespace);
  }
  const TemplateDict* dict = value.dict();
  return dict != nullptr &&
         std::any_of(dict->members().begin(), dict->members().end(),
                     [](const auto& member) { return HoldsNamespace(member.second); });
}

}  // namespace

Result<std::string> TemplateRun::Render(const StatementList& statements) {
  Execute(statements);
  if (meter_.has_failed()) return meter_.fault();
  return std::move(output_);
}

void TemplateRun::Write(std::string_view text) {
  if (output_.size() + text.size() > meter_.limits().output_bytes) {
    return meter_.Fail(fmt::format("it writes over {} bytes", meter_.limits().output_bytes));
  }
  if (!meter_.has_failed()) output_ += text;
}

TemplateRun::Flow TemplateRun::Execute(const StatementList& statements) {
  for (const StatementPtr& statement : statements) {
    meter_.set_line(statement->line);
    if (!meter_.Charge(1)) return Flow::kBreak;
    const Flow flow = Execute(*statement);
    if (flow != Flow::kNext) return flow;
  }
  return Flow::kNext;
}

TemplateRun::Flow TemplateRun::Execute(const StatementNode& node) {
  switch (node.kind) {
    case StatementKind::kText:
      Write(node.text);
      break;
    case StatementKind::kOutput:
      Write(StrOf(Evaluate(*node.expressions.front())));
      break;
    case StatementKind::kIf:
      return ExecuteIf(node);
    case StatementKind::kFor:
      return ExecuteFor(node);
    case StatementKind::kSet:
      ExecuteSet(node);
      break;
    case StatementKind::kSetBlock:
      Assign(node.names.front(), meter_.Text(Captured(node.bodies.front())));
      break;
    case StatementKind::kMacro:
      Assign(node.macro.name,
             TemplateValue(TemplateCallable{node.macro.name, nullptr, &node.macro}));
      break;
    case StatementKind::kBlock:
      return Execute(node.bodies.front());
    case StatementKind::kBreak:
      return Flow::kBreak;
    case StatementKind::kContinue:
      return Flow::kContinue;
  }
  return Flow::kNext;
}

TemplateRun::Flow TemplateRun::ExecuteIf(const StatementNode& node) {
  for (std::size_t k = 0; k < node.expressions.size(); ++k) {
    if (Evaluate(*node.expressions[k]).IsTrue()) return Execute(node.bodies[k]);
  }
  if (node.bodies.size() > node.expressions.size()) return Execute(node.bodies.back());
  return Flow::kNext;
}

std::vector<TemplateValue> TemplateRun::LoopItems(const StatementNode& node) {
  std::vector<TemplateValue> items = ItemsOf(meter_, Evaluate(*node.expressions[0]));
  if (node.expressions.size() < 2) return items;
  std::vector<TemplateValue> kept;
  for (TemplateValue& item : items) {
    frames_.emplace_back();
    AssignAll(node.names, item);
    if (Evaluate(*node.expressions[1]).IsTrue()) kept.push_back(std::move(item));
    frames_.pop_back();
  }
  return kept;
}

TemplateValue TemplateRun::LoopVariable(const std::vector<TemplateValue>& items,
                                        std::size_t at) const {
  const auto place = static_cast<std::int64_t>(at);
  const auto count = static_cast<std::int64_t>(items.size());
  TemplateDict loop;
  loop.Set("index0", TemplateValue(place));
  loop.Set("index", TemplateValue(place + 1));
  loop.Set("revindex0", TemplateValue(count - place - 1));
  loop.Set("revindex", TemplateValue(count - place));
  loop.Set("first", TemplateValue(place == 0));
  loop.Set("last", TemplateValue(place + 1 == count));
  loop.Set("length", TemplateValue(count));
  if (at > 0) loop.Set("previtem", items[at - 1]);
  if (at + 1 < items.size()) loop.Set("nextitem", items[at + 1]);
  return TemplateValue(std::move(loop));
}

TemplateRun::Flow TemplateRun::ExecuteFor(const StatementNode& node) {
  const std::vector<TemplateValue> items = LoopItems(node);
  for (std::size_t k = 0; k < items.size() && !meter_.has_failed(); ++k) {
    frames_.emplace_back();
    frames_.back().emplace("loop", LoopVariable(items, k));
    AssignAll(node.names, items[k]);
    const Flow flow = Execute(node.bodies.front());
    frames_.pop_back();
    if (flow == Flow::kBreak) break;
  }
  if (items.empty() && node.bodies.size() > 1) return Execute(node.bodies[1]);
  return Flow::kNext;
}

void TemplateRun::ExecuteSet(const StatementNode& node) {
  AssignAll(node.names, Evaluate(*node.expressions.front()));
}

void TemplateRun::AssignAll(const std::vector<std::string>& names, const TemplateValue& value) {
  if (names.size() == 1) return Assign(names.front(), value);
  const auto items = ItemsOf(meter_, value);
  if (items.size() != names.size()) {
    return meter_.Fail(fmt::format("{} values for {} names", items.size(), names.size()));
  }
  for (std::size_t k = 0; k < names.size(); ++k) Assign(names[k], items[k]);
}

void TemplateRun::Assign(const std::string& name, TemplateValue value) {
  if (meter_.has_failed()) return;
  const auto dot = name.find('.');
  if (dot == name.npos) {
    frames_.back().insert_or_assign(name, std::move(value));
    return;
  }
  const TemplateValue space = LookUp(name.substr(0, dot));
  if (space.name_space() == nullptr) {
    return meter_.Fail(fmt::format("{} is no namespace", name.substr(0, dot)));
  }
  if (HoldsNamespace(value)) {  // One inside itself would never be freed.
    return meter_.Fail("a namespace inside a namespace is not supported", Errc::kUnsupported);
  }
  space.name_space()->members->Set(name.substr(dot + 1), std::move(value));
}

std::string TemplateRun::Captured(const StatementList& statements) {
  std::string outer = std::exchange(output_, {});
  Execute(statements);
  return std::exchange(output_, std::move(outer));
}

}  // namespace hone::llm

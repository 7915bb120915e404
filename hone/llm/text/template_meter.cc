// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/text/template_meter.h"

#include <fmt/format.h>

#include <utility>

namespace hone::llm {
namespace {

constexpr std::size_t kBytesOfStep = 256;

}  // namespace

bool TemplateMeter::Charge(std::size_t steps) {
  if (has_failed()) return false;
  steps_ += steps;
  if (steps_ > limits_.steps || steps > limits_.steps) {
    Fail(fmt::format("it takes over {} steps", limits_.steps));
  }
  return !has_failed();
}

void TemplateMeter::Fail(const std::string& message, Errc code) {
  if (!fault_) fault_ = Error{code, fmt::format("chat template: line {}: {}", line_, message)};
}

TemplateValue TemplateMeter::Text(std::string text) {
  if (!Charge(1 + text.size() / kBytesOfStep)) return {};
  return TemplateValue(std::move(text));
}

TemplateValue TemplateMeter::List(std::vector<TemplateValue> items, bool is_tuple) {
  if (!Charge(1 + items.size())) return {};
  return TemplateValue(TemplateList{std::move(items), is_tuple});
}

}  // namespace hone::llm

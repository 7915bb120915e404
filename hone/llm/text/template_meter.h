// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "hone/core/result.h"
#include "hone/llm/text/template_value.h"

namespace hone::llm {

struct TemplateLimits {
  std::size_t steps = 5'000'000;  // Nodes that are evaluated; what is large counts for more.
  std::size_t output_bytes = 64 << 20;
  std::size_t depth = 100;  // Of calls, and of nested values.
};

// Counts what a rendering has cost and keeps its first fault; after one everything that is
// evaluated is undefined.
class TemplateMeter {
 public:
  explicit TemplateMeter(TemplateLimits limits) : limits_(limits) {}

  bool Charge(std::size_t steps);  // False once there is a fault.
  void Fail(const std::string& message, Errc code = Errc::kInvalidArgument);
  bool has_failed() const { return fault_.has_value(); }
  const Error& fault() const { return *fault_; }
  void set_line(int line) { line_ = line; }
  const TemplateLimits& limits() const { return limits_; }

  // Values that are as large as the template's steps allow.
  TemplateValue Text(std::string text);
  TemplateValue List(std::vector<TemplateValue> items, bool is_tuple = false);

 private:
  TemplateLimits limits_;
  std::size_t steps_ = 0;
  int line_ = 1;
  std::optional<Error> fault_;
};

}  // namespace hone::llm

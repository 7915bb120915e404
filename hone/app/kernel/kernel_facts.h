// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "hone/base/json/json.h"
#include "hone/core/evaluation.h"
#include "hone/core/result.h"

namespace hone::app {

// What a settled task about a compute kernel says, without the samples.
struct KernelFacts {
  Outcome outcome = Outcome::kAccepted;
  std::string reason;  // Of one that was not accepted.
  std::optional<double> speedup;
  std::optional<double> speedup_low;  // The interval of 95 %; both or neither.
  std::optional<double> speedup_high;
  std::optional<double> time_ms;
  std::optional<double> reference_ms;
  std::string feedback;  // What whoever wrote it needs to know, for a prompt.
};

// Of a record as server::TaskJson makes it. An Error: the task has no verdict, which is a failure
// of the service and never the kernel's.
Result<KernelFacts> KernelFactsOf(const Json& task);

}  // namespace hone::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "hone/app/plan/tune_plan.h"
#include "hone/base/clock.h"

namespace hone::app {

// Two settings to compare, each "now" (what is in force), a file of settings, or a stored run.
struct CompareRequest {
  std::string a = "now";
  std::string b;
  std::optional<std::int64_t> pairs;  // Exactly so many; else as the noise asks for.
  TuneRequest tune;                   // The target, what is measured, how sure it must be.
};

// Where stored runs are found.
struct RunStore {
  std::filesystem::path path;
  Clock& clock;
};

// A campaign that compares instead of searching. Of a workload it has the parameters that A and B
// set, and no others. An Error names the file or the parameter: what cannot be set here is refused,
// never left out.
Result<TunePlan> MakeComparison(const CompareRequest& request, const Builtins& builtins,
                                const RunStore& runs);

}  // namespace hone::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "hone/app/tune_plan.h"
#include "hone/base/json/json.h"
#include "hone/cli/verb.h"
#include "hone/domains/domain.h"

// What happens between a plan and the first run.
namespace hone::cli {

// What the workload is, what will be touched and how it is put back, and what to know before.
// Empty where the domain touches nothing.
std::string PreviewText(const app::TunePlan& plan);

// Whether the plan may start: the person said --yes, was asked on the terminal and said yes, or
// there is nothing to ask. A plan that touches the host or was made from a sentence is asked about.
Result<bool> MayStart(Shell& shell, const app::TunePlan& plan, bool is_sure);

// One real run of the workload with nothing changed: what it measured, or how it failed and what it
// printed. nullopt where the workload can be tried only by root, and this is not.
Result<std::optional<RunResult>> TryWorkload(const app::TunePlan& plan);
std::string TrialRunText(const std::optional<RunResult>& tried, const app::TunePlan& plan);
Json TrialRunJson(const std::optional<RunResult>& tried);

// Walks the whole campaign of a rehearsal's plan through on made-up numbers, in a store that is
// thrown away, and says what the real one would cost. Touches nothing.
Result<ExitCode> Rehearse(Shell& shell, const app::TunePlan& plan);

}  // namespace hone::cli

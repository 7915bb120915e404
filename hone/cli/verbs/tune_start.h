// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "hone/app/campaign/local_campaign.h"
#include "hone/app/plan/tune_plan.h"
#include "hone/base/json/json.h"
#include "hone/cli/verb.h"
#include "hone/cli/verbs/dashboard.h"
#include "hone/domains/domain.h"

// What happens between a plan and the first run.
namespace hone::cli {

// Whether and how to start.
struct StartChoices {
  DashboardChoice dashboard;
  bool is_dry_run = false;
  bool has_no_preflight = false;
  bool is_sure = false;
};

// What the workload is, what will be touched and how it is put back, and what to know before.
// Empty where the domain touches nothing.
std::string PreviewText(const app::TunePlan& plan);

// How the time for the whole campaign will be divided, or that it is too short, as far as that can
// be known before the first run; else what it takes to know it. Empty without one.
std::string BudgetText(const app::TunePlan& plan, const StartChoices& choices);

// Whether the plan may start: the person said --yes, was asked on the terminal and said yes, or
// there is nothing to ask. A plan that touches the host or was made from a sentence is asked about.
Result<bool> MayStart(Shell& shell, const app::TunePlan& plan, bool is_sure);

// One real run of the workload with nothing changed: what it measured, or how it failed and what it
// printed. nullopt where the workload can be tried only by root, and this is not.
Result<std::optional<RunResult>> TryWorkload(const app::TunePlan& plan);
std::string TrialRunText(const std::optional<RunResult>& tried, const app::TunePlan& plan);
Json TrialRunJson(const std::optional<RunResult>& tried);
ExitCode ExitCodeOfTrial(const std::optional<RunResult>& tried);

// Walks the whole campaign of a rehearsal's plan through on made-up numbers, in a store that is
// thrown away, and says what the real one would cost where a run takes `each`; 0: not known.
// Touches nothing.
Result<ExitCode> Rehearse(Shell& shell, const app::TunePlan& plan, std::chrono::microseconds each);

// What a dry run tells: the plan, one real run of the benchmark, a rehearsal of the search.
Result<ExitCode> TellPlan(Shell& shell, const app::TunePlan& plan, const StartChoices& choices,
                          const std::string& text);

// How a verb is named and what it tells before its first run.
struct StartTexts {
  std::string verb;
  std::string plan;
};

// Tells the plan, asks where that is due, stores the campaign and runs it to its verdict. Where
// only a run can say whether the budget is long enough, one is made first, with nothing changed.
Result<ExitCode> StartCampaign(Shell& shell, const app::TunePlan& plan, const StartChoices& choices,
                               app::LocalSettings settings, const StartTexts& texts);

}  // namespace hone::cli

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <utility>

#include "hone/app/checkup.h"
#include "hone/app/tune_plan.h"
#include "hone/app/tune_target.h"
#include "hone/app/warm_start.h"
#include "hone/base/json/json.h"
#include "hone/base/json/parse_values.h"
#include "hone/base/json/records.h"
#include "hone/cli/text/campaign_text.h"
#include "hone/cli/text/target_help.h"
#include "hone/cli/verbs.h"
#include "hone/cli/verbs/campaign_run.h"
#include "hone/cli/verbs/dashboard.h"
#include "hone/cli/verbs/local_flags.h"
#include "hone/cli/verbs/tune_start.h"

namespace hone::cli {
namespace {

struct TuneArguments {
  app::TuneRequest request;
  app::LocalSettings local;
  DashboardChoice dashboard;
  bool is_dry_run = false;
  bool has_no_preflight = false;
  bool is_sure = false;
};

Result<RewardRule::Formula> ParseFormula(const std::string& flag, const std::string& text) {
  if (text == "gain") return RewardRule::Formula::kGain;
  if (text == "performance_and_stability") return RewardRule::Formula::kPerformanceAndStability;
  return Error{
      Errc::kInvalidArgument,
      fmt::format("{}: expected gain or performance_and_stability, found \"{}\"", flag, text)};
}

std::vector<Flag> TuneGoalFlags(app::TuneRequest& request) {
  return {
      {.names = "-o,--option",
       .value = "NAME=VALUE",
       .help = "A setting of the domain; hone tune DOMAIN --help lists them.",
       .set = StoreSetting("--option", request.options),
       .is_repeatable = true},
      {.names = "--objective",
       .value = "METRIC[:WEIGHT]",
       .help = "What to improve; more than once for several. Default: the domain's first metric.",
       .set = Parsed("--objective", ParseObjective,
                     [&](const Objective& objective) { request.objectives.push_back(objective); }),
       .is_repeatable = true},
      {.names = "--limit",
       .value = "LIMIT",
       .help = "What must hold: 'p99_ms<=20', or 'p99_ms<=1.05x' of the baseline's.",
       .set = Parsed("--limit", ParseLimit,
                     [&](const Limit& limit) { request.limits.push_back(limit); }),
       .is_repeatable = true},
      {.names = "--reward",
       .value = "RULE",
       .help = "gain (default) or performance_and_stability.",
       .set = StoreParsed("--reward", ParseFormula, request.formula),
       .completes = Completes::kChoices,
       .choices = {"gain", "performance_and_stability"}},
      {.names = "--allow-unknown",
       .value = "",
       .help = "Tune parameters that Hone does not know; each needs a range in the file.",
       .set = Raise(request.allows_unknown)},
      {.names = "--front",
       .value = "",
       .help = "Find the trade-off between the objectives instead of one winner.",
       .set = Raise(request.wants_front)},
  };
}

std::vector<Flag> SearchFlags(app::TuneRequest& request, const app::Builtins& builtins) {
  return {
      {.names = "--engine",
       .value = "NAME",
       .help = "Who proposes: bayes (default), ppo or random.",
       .set = [&](const std::string& text) -> Result<void> {
         request.engine = text;
         return {};
       },
       .completes = Completes::kChoices,
       .choices = app::NamesIn(builtins.proposers)},
      {.names = "--engine-option",
       .value = "NAME=VALUE",
       .help = "Sets an option of the engine.",
       .set = StoreSetting("--engine-option", request.engine_options),
       .is_repeatable = true},
      {.names = "--warm-start",
       .value = "RUN",
       .help = "Begin with what a stored campaign has learnt; for ppo.",
       .set = Store(request.warm_start),
       .completes = Completes::kRun},
      {.names = "--trials",
       .value = "N",
       .help = "Candidates to try, at most (40).",
       .set = StoreCount("--trials", request.trials, 1)},
      {.names = "--pairs",
       .value = "N",
       .help = "Pairs of runs for the whole search, at most (no limit).",
       .set = StoreCount("--pairs", request.pairs, 1)},
      {.names = "--time",
       .value = "TIME",
       .help = "Measuring time of gate and search together, at most: 90s, 10m, 1.5h (no limit).",
       .set = StoreParsed("--time", ParseDuration, request.time)},
      {.names = "--batch",
       .value = "N",
       .help = "Candidates asked for at a time (1). It shapes the decisions.",
       .set = StoreCount("--batch", request.batch, 1)},
      {.names = "--seed",
       .value = "N",
       .help = "The same seed and samples give the same decisions (1).",
       .set = StoreParsed("--seed", ParseSeed, request.seed)},
  };
}

std::vector<Flag> ProofFlags(app::TuneRequest& request) {
  return {
      {.names = "--confidence",
       .value = "SHARE",
       .help = "Of the proof (0.95).",
       .set = StoreParsed("--confidence", ParseShare, request.confidence)},
      {.names = "--least-gain",
       .value = "SHARE",
       .help = "A smaller gain is of no interest (1%).",
       .set = StoreParsed("--least-gain", ParseShare, request.min_gain)},
      {.names = "--no-ablation",
       .value = "",
       .help = "Do not find out what each change is worth.",
       .set = Raise(request.has_no_ablation)},
      {.names = "--run-limit",
       .value = "TIME",
       .help = "A run that takes longer has timed out (60s).",
       .set = StoreParsed("--run-limit", ParseDuration, request.run_timeout)},
  };
}

std::vector<Flag> StartFlags(TuneArguments& arguments) {
  return {
      DashboardFlag(arguments.dashboard),
      {.names = "--dry-run",
       .value = "",
       .help = "Check everything, show what would be touched, run the benchmark once with nothing "
               "changed, rehearse on made-up numbers.",
       .set = Raise(arguments.is_dry_run)},
      {.names = "--no-preflight",
       .value = "",
       .help = "With --dry-run: do not run the benchmark.",
       .set = Raise(arguments.has_no_preflight)},
      {.names = "-y,--yes",
       .value = "",
       .help = "Start without asking, even if it changes this machine.",
       .set = Raise(arguments.is_sure)},
  };
}

std::vector<Flag> AllFlags(TuneArguments& arguments, const app::Builtins& builtins) {
  std::vector<Flag> flags{{.names = "TARGET",
                           .value = "",
                           .help = "A preset, a workload file, a campaign file, a domain, or a "
                                   "sentence in quotes.",
                           .set = Store(arguments.request.target),
                           .is_required = true,
                           .completes = Completes::kFile,
                           .choices = app::TargetNames(builtins.domains)}};
  for (auto&& more :
       {TuneGoalFlags(arguments.request), SearchFlags(arguments.request, builtins),
        ProofFlags(arguments.request), LocalFlags(arguments.local), StartFlags(arguments)}) {
    flags.insert(flags.end(), more.begin(), more.end());
  }
  return flags;
}

Json PlannedChangesOf(const app::TunePlan& plan) {
  Json planned_changes = Json::array();
  for (const PlannedChange& change : plan.domain->PreviewChanges().planned_changes) {
    planned_changes.push_back({{"what", change.what},
                               {"now", change.now},
                               {"tries", change.range},
                               {"risk", change.risk}});
  }
  return planned_changes;
}

Json PlanJson(const Shell& shell, const app::TunePlan& plan) {
  return {{"spec", ToJson(plan.spec)},
          {"space", ToJson(plan.domain->SearchSpace())},
          {"baseline", ToJson(plan.domain->Baseline())},
          {"touches", PlannedChangesOf(plan)},
          {"store", shell.store.string()}};
}

ExitCode ExitCodeOf(const std::optional<RunResult>& tried) {
  const bool runs = !tried || tried->outcome == Outcome::kAccepted;
  return runs ? ExitCode::kYes : ExitCode::kDoesNotRun;
}

Result<ExitCode> TellPlanJson(Shell& shell, const app::TunePlan& plan, bool wants_trial) {
  Json json = PlanJson(shell, plan);
  ExitCode code = ExitCode::kYes;
  if (wants_trial) {
    const auto tried = TryWorkload(plan);
    if (!tried) return tried.error();
    json["preflight"] = TrialRunJson(*tried);
    code = ExitCodeOf(*tried);
  }
  shell.console.out << Dump(json) << '\n';
  return code;
}

Result<ExitCode> TellPlan(Shell& shell, const app::TunePlan& plan, const TuneArguments& arguments) {
  const bool wants_trial = plan.workload && !arguments.has_no_preflight;
  if (shell.wants_json) return TellPlanJson(shell, plan, wants_trial);
  shell.console.out << PlanText(plan.spec, plan.domain->SearchSpace(), plan.domain->Facts().metrics,
                                arguments.local.workers)
                    << PreviewText(plan) << std::flush;
  ExitCode code = ExitCode::kYes;
  if (const std::string journal = app::DescribeJournal(); plan.workload && !journal.empty()) {
    shell.console.out << "  note: " << journal << '\n';
  }
  if (wants_trial) {
    const auto tried = TryWorkload(plan);
    if (!tried) return tried.error();
    shell.console.out << TrialRunText(*tried, plan);
    code = ExitCodeOf(*tried);
  }
  if (plan.workload && code == ExitCode::kYes) {
    if (auto rehearsed = Rehearse(shell, plan); !rehearsed) return rehearsed;
  }
  shell.console.out << "No campaign was started and no parameter was touched: a dry run.\n";
  return code;
}

// Plan and preview, before the first run.
void TellStart(Shell& shell, const app::TunePlan& plan, const TuneArguments& arguments) {
  if (shell.is_quiet) return;
  if (!plan.choice.empty()) shell.console.err << plan.choice;
  shell.console.err << PlanText(plan.spec, plan.domain->SearchSpace(), plan.domain->Facts().metrics,
                                arguments.local.workers)
                    << PreviewText(plan) << std::flush;
}

Error CannotStart(const app::TunePlan& plan, const std::string& missing) {
  return {Errc::kUnsupported,
          fmt::format("{}: {}; nothing was touched. As root: sudo hone tune …; without root: hone "
                      "tune tcp, or --dry-run",
                      plan.workload ? plan.workload->name : plan.spec.domain, missing)};
}

Result<ExitCode> TellRefusal(Shell& shell) {
  shell.console.err << "Nothing was started and nothing was touched. To start without being asked: "
                       "--yes\n";
  return ExitCode::kNo;
}

Result<ExitCode> Tune(Shell& shell, const TuneArguments& arguments) {
  app::TuneRequest request = arguments.request;
  request.is_rehearsal = arguments.is_dry_run;
  auto plan = app::MakePlan(request, shell.builtins);
  if (!plan) return plan.error();
  if (!request.warm_start.empty()) {
    const auto warm = app::WarmStart(shell.store, shell.clock, request.warm_start, *plan);
    if (!warm) return warm.error();
    if (!shell.is_quiet) shell.console.err << *warm << std::flush;
    if (auto fits = app::CheckEngine(*plan, shell.builtins.proposers); !fits) return fits.error();
  }
  if (arguments.is_dry_run) return TellPlan(shell, *plan, arguments);
  const std::string missing =
      app::WhatIsMissing(plan->domain->Facts().needs, app::LocalCapabilities());
  if (!missing.empty()) return CannotStart(*plan, missing);
  TellStart(shell, *plan, arguments);
  const auto may_start = MayStart(shell, *plan, arguments.is_sure);
  if (!may_start) return may_start.error();
  if (!*may_start) return TellRefusal(shell);
  auto store = tune::CampaignStore::Open(shell.store, shell.clock);
  if (!store) return store.error();
  auto dashboard = MaybeOpenDashboard(shell, arguments.dashboard);
  if (!dashboard) return dashboard.error();
  const auto id = app::CreateCampaign(*store, *plan);
  if (!id) return id.error();
  if (!shell.is_quiet) {
    shell.console.err << fmt::format("Stored as {} in {}\n", *id, shell.store.string())
                      << std::flush;
  }
  app::LocalSettings settings = arguments.local;
  settings.store = shell.store;
  return RunAndTell(shell, *store, *id, settings, dashboard->get());
}

}  // namespace

Verb MakeTuneVerb(const app::Builtins& builtins) {
  const auto arguments = std::make_shared<TuneArguments>();
  Verb verb;
  verb.name = "tune";
  verb.summary = "finds a better configuration and proves the gain";
  verb.description =
      "Measures the baseline against itself first and says how small a gain can be\n"
      "seen. Then tries candidates, each in pairs of runs against the baseline, so that\n"
      "drift cancels. The winner is measured again on fresh runs, and each of its\n"
      "changes alone. \"No gain\" is a complete answer too (exit status 1); so is a search\n"
      "that was cut short too early to say (4), a gain that is suspicious because the\n"
      "benchmark reads what is tuned (5), and a benchmark that does not run (6).\n"
      "\n"
      "Everything is stored as it happens. Ctrl-C ends the search and still gives the\n"
      "verdict on what there is; a second one stops at once, and hone resume goes on.";
  verb.flags = AllFlags(*arguments, builtins);
  verb.examples = {
      {"hone tune memory", "This host's huge pages for a program with a large memory."},
      {"hone tune nginx --dry-run", "What it would touch, and a rehearsal; no root."},
      {"hone tune tcp", "In private network namespaces, without root."},
      {"hone tune workload.json --limit 'p99_ms<=20'",
       "Your own benchmark (docs/howto/write-a-workload.md), with a hard limit."},
      {"hone tune 'optimise for memory-intensive workloads'",
       "A sentence chooses a preset and parameters, and asks before it starts."},
      {"hone tune toy --objective throughput --objective stability --front",
       "The trade-off between two objectives, on a made-up system."}};
  verb.more_help = [arguments, &builtins] {
    return TargetHelp(arguments->request.target, builtins.domains);
  };
  verb.run = [arguments](Shell& shell) { return Tune(shell, *arguments); };
  return verb;
}

}  // namespace hone::cli

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <utility>

#include "hone/app/plan/tune_plan.h"
#include "hone/app/plan/tune_target.h"
#include "hone/app/plan/warm_start.h"
#include "hone/base/json/parse_values.h"
#include "hone/cli/text/campaign_text.h"
#include "hone/cli/text/target_help.h"
#include "hone/cli/verbs.h"
#include "hone/cli/verbs/chat_flags.h"
#include "hone/cli/verbs/local_flags.h"
#include "hone/cli/verbs/tune_flags.h"
#include "hone/cli/verbs/tune_start.h"

namespace hone::cli {
namespace {

struct TuneArguments {
  app::TuneRequest request;
  app::LocalSettings local;
  StartChoices start;
};

std::vector<Flag> SearchFlags(app::TuneRequest& request, const app::Builtins& builtins) {
  return {
      {.names = "--engine",
       .value = "NAME",
       .help = "Who proposes: bayes (default), llm (a language model, with bayes), ppo or random.",
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
       .help = "Begin with what a stored campaign of the same domain and goal measured; for bayes, "
               "llm and ppo.",
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
       .help = "Measuring time of gate and search together, at most; the proof comes on top: 90s, "
               "10m, 1.5h (no limit).",
       .set = StoreParsed("--time", ParseDuration, request.time)},
      {.names = "--batch",
       .value = "N",
       .help = "Candidates asked for at a time (1). It shapes the decisions.",
       .set = StoreCount("--batch", request.batch, 1)},
      {.names = "--front",
       .value = "",
       .help = "Find the trade-off between the objectives instead of one winner.",
       .set = Raise(request.wants_front)},
      {.names = "--no-ablation",
       .value = "",
       .help = "Do not find out what each change is worth.",
       .set = Raise(request.has_no_ablation)},
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
  for (auto&& more : {GoalFlags(arguments.request), SearchFlags(arguments.request, builtins),
                      ProofFlags(arguments.request), LocalFlags(arguments.local),
                      StartFlags(arguments.start), ChatFlags(arguments.request.chat)}) {
    flags.insert(flags.end(), more.begin(), more.end());
  }
  return flags;
}

Result<ExitCode> Tune(Shell& shell, const TuneArguments& arguments) {
  app::TuneRequest request = arguments.request;
  request.is_rehearsal = arguments.start.is_dry_run;
  auto plan = app::MakePlan(request, shell.builtins);
  if (!plan) return plan.error();
  if (!request.warm_start.empty()) {
    const auto warm = app::WarmStart(shell.store, shell.clock, request.warm_start, *plan);
    if (!warm) return warm.error();
    if (!shell.is_quiet) shell.console.err << *warm << std::flush;
    if (auto fits = app::CheckEngine(*plan, shell.builtins.proposers); !fits) return fits.error();
  }
  const std::string text = plan->choice +
                           PlanText(plan->spec, plan->domain->SearchSpace(),
                                    plan->domain->Facts().metrics, arguments.local.workers) +
                           BudgetText(*plan, arguments.start) + PreviewText(*plan);
  if (arguments.start.is_dry_run) return TellPlan(shell, *plan, arguments.start, text);
  return StartCampaign(shell, *plan, arguments.start, arguments.local, {"tune", text});
}

}  // namespace

Verb MakeTuneVerb(const app::Builtins& builtins) {
  const auto arguments = std::make_shared<TuneArguments>();
  Verb verb;
  verb.name = "tune";
  verb.summary = "finds a better configuration and proves the gain";
  verb.description =
      "Measures the baseline against itself first and says how small a gain can be\n"
      "proven. Then tries candidates, each in pairs of runs against the baseline, so that\n"
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
      {"hone tune nginx --engine llm --llm http://127.0.0.1:8000/v1",
       "A language model proposes; what it is worth is measured."},
      {"hone tune toy --objective throughput --objective stability --front",
       "The trade-off between two objectives, on a made-up system."}};
  verb.more_help = [arguments, &builtins] {
    return TargetHelp(arguments->request.target, builtins.domains);
  };
  verb.run = [arguments](Shell& shell) { return Tune(shell, *arguments); };
  return verb;
}

}  // namespace hone::cli

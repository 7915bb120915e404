// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "hone/app/plan/compare_plan.h"
#include "hone/app/plan/tune_target.h"
#include "hone/cli/text/campaign_text.h"
#include "hone/cli/verbs.h"
#include "hone/cli/verbs/tune_flags.h"
#include "hone/cli/verbs/tune_start.h"

namespace hone::cli {
namespace {

struct CompareArguments {
  app::CompareRequest request;
  app::LocalSettings local;
  StartChoices start;
};

Flag SideFlag(const char* name, const char* help, std::string& side) {
  return {.names = name,
          .value = "",
          .help = help,
          .set = Store(side),
          .is_required = true,
          .completes = Completes::kFile,
          .choices = {"now"}};
}

std::vector<Flag> CompareFlags(CompareArguments& arguments, const app::Builtins& builtins) {
  app::CompareRequest& request = arguments.request;
  std::vector<Flag> flags{
      SideFlag("A", "now, a file of settings (sysctl.d, tmpfiles.d, tuned, hone's), or a run.",
               request.a),
      SideFlag("B", "The same; what it does not mention is as it is now.", request.b),
      {.names = "--on",
       .value = "TARGET",
       .help = "What to measure: a preset, a workload file or a domain, as hone tune takes them.",
       .set = Store(request.tune.target),
       .is_required = true,
       .completes = Completes::kFile,
       .choices = app::TargetNames(builtins.domains)},
      {.names = "--pairs",
       .value = "N",
       .help = "Exactly so many pairs (12 to 60, as the noise asks for).",
       .set = StoreCount("--pairs", request.pairs, 1)}};
  for (auto&& more :
       {GoalFlags(request.tune), ProofFlags(request.tune), StartFlags(arguments.start)}) {
    flags.insert(flags.end(), more.begin(), more.end());
  }
  return flags;
}

Result<ExitCode> Compare(Shell& shell, const CompareArguments& arguments) {
  app::CompareRequest request = arguments.request;
  request.tune.is_rehearsal = arguments.start.is_dry_run;
  const auto plan =
      app::MakeComparison(request, shell.builtins, app::RunStore{shell.store, shell.clock});
  if (!plan) return plan.error();
  const std::string differs = plan->domain->PreviewChanges().planned_changes.empty()
                                  ? ComparedText(plan->spec, *plan->baseline)
                                  : "";
  const std::string text =
      plan->choice +
      PlanText(plan->spec, plan->domain->SearchSpace(), plan->domain->Facts().metrics, 1) +
      BudgetText(*plan, arguments.start) + differs + PreviewText(*plan);
  if (arguments.start.is_dry_run) return TellPlan(shell, *plan, arguments.start, text);
  return StartCampaign(shell, *plan, arguments.start, arguments.local, {"compare", text});
}

}  // namespace

Verb MakeCompareVerb(const app::Builtins& builtins) {
  const auto arguments = std::make_shared<CompareArguments>();
  Verb verb;
  verb.name = "compare";
  verb.summary = "says which of two settings is better, and by how much";
  verb.description =
      "A paired A/B without a search. Measures A against itself first, which says how small\n"
      "a difference can be seen and fixes the number of pairs; then B against A on fresh\n"
      "pairs of runs whose order is random, so that drift cancels. The answer is the change\n"
      "from A to B with its interval. On the host everything goes through the journal and\n"
      "the guardian, and is put back.\n"
      "\n"
      "Exit status: 0 B is better; 1 it is not (worse, equal, no difference shown, a limit\n"
      "broken, or B does not run; --json says which as answer); 4 stopped before all pairs\n"
      "were made; 5 better, but suspicious; 6 the benchmark does not run with A.\n"
      "\n"
      "It is stored like a campaign: hone show, report, replay, resume and export take it.";
  verb.flags = CompareFlags(*arguments, builtins);
  verb.examples = {
      {"hone compare now 90-tuned.conf --on nginx", "Whether a sysctl.d file helps this host."},
      {"hone compare old.conf new.conf --on workload.json --limit 'p99_ms<=1.05x'",
       "Two files, by your own benchmark, with a limit relative to A."},
      {"hone compare now memory-3 --on memory", "What a stored run found, on another workload."},
      {"hone compare now b.conf --on tcp --pairs 100", "In private network namespaces, no root."}};
  verb.run = [arguments](Shell& shell) { return Compare(shell, *arguments); };
  return verb;
}

}  // namespace hone::cli

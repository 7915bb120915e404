// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/verbs/tune_flags.h"

#include <fmt/format.h>

#include "hone/base/json/parse_values.h"

namespace hone::cli {
namespace {

Result<RewardRule::Formula> ParseFormula(const std::string& flag, const std::string& text) {
  if (text == "gain") return RewardRule::Formula::kGain;
  if (text == "performance_and_stability") return RewardRule::Formula::kPerformanceAndStability;
  return Error{
      Errc::kInvalidArgument,
      fmt::format("{}: expected gain or performance_and_stability, found \"{}\"", flag, text)};
}

}  // namespace

std::vector<Flag> GoalFlags(app::TuneRequest& request) {
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
      {.names = "-p,--parameter",
       .value = "NAME",
       .help = "Tune this instead of what the workload names: vm.swappiness, "
               "/sys/block/vda/queue/scheduler, nginx:worker_connections.",
       .set = [&](const std::string& text) -> Result<void> {
         if (!request.parameters) request.parameters.emplace();
         request.parameters->emplace_back().name = text;
         return {};
       },
       .is_repeatable = true},
      {.names = "--service",
       .value = "NAME|FILE",
       .help = "Tune the configuration of this service too: nginx, postgresql, redis, or the file "
               "of a declaration. All of its keys, or those named with --parameter.",
       .set = [&](const std::string& text) -> Result<void> {
         request.services.push_back(text);
         return {};
       },
       .is_repeatable = true,
       .completes = Completes::kFile,
       .choices = sysctl::ServiceNames()},
      {.names = "--allow-unknown",
       .value = "",
       .help = "Tune parameters that Hone does not know; each needs a range in the file.",
       .set = Raise(request.allows_unknown)},
      {.names = "--allow-disruptive",
       .value = "",
       .help = "Tune also what resets a network link when it is changed: rings, channels, some "
               "offloads.",
       .set = Raise(request.allows_disruption)},
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
      {.names = "--proof-over",
       .value = "TIME",
       .help = "Spread the pairs of the proof over this time, and say how the gain moved: 1h (one "
               "after the other). Waiting is no measuring time.",
       .set = StoreParsed("--proof-over", ParseDuration, request.proof_over)},
      {.names = "--budget",
       .value = "TIME",
       .help =
           "Measuring time for all of it, from the gate to the ablation, which is planned to fit: "
           "10m (no limit).",
       .set = StoreParsed("--budget", ParseDuration, request.budget)},
      {.names = "--run-limit",
       .value = "TIME",
       .help = "A run that takes longer has timed out (60s).",
       .set = StoreParsed("--run-limit", ParseDuration, request.run_timeout)},
      {.names = "--seed",
       .value = "N",
       .help = "The same seed and samples give the same decisions (1).",
       .set = StoreParsed("--seed", ParseSeed, request.seed)},
  };
}

std::vector<Flag> StartFlags(StartChoices& choices) {
  return {
      DashboardFlag(choices.dashboard),
      {.names = "--dry-run",
       .value = "",
       .help = "Check everything, show what would be touched, run the benchmark once with nothing "
               "changed; a search is rehearsed on made-up numbers.",
       .set = Raise(choices.is_dry_run)},
      {.names = "--no-preflight",
       .value = "",
       .help = "Do not run the benchmark once beforehand: for --dry-run, or to divide a --budget.",
       .set = Raise(choices.has_no_preflight)},
      {.names = "-y,--yes",
       .value = "",
       .help = "Start without asking, even if it changes this machine.",
       .set = Raise(choices.is_sure)},
  };
}

}  // namespace hone::cli

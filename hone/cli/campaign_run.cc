// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/campaign_run.h"

#include <fmt/format.h>

#include <ostream>
#include <utility>

#include "hone/cli/interrupts.h"
#include "hone/cli/progress_display.h"
#include "hone/eval/evaluation_store.h"

namespace hone {
namespace {

std::string InterruptText(int count, const std::string& id) {
  if (count == 1) {
    return "Interrupted: the search ends here; what it found so far is proven now. Once more: "
           "stop at once.\n";
  }
  return fmt::format("Stopping at once; nothing measured is lost: hone resume {}\n", id);
}

std::string NextSteps(const std::string& id, const Shell& shell, bool has_policy) {
  return fmt::format(
      "\nStored as {} in {}\nNext:\n"
      "  hone show {}\n"
      "  hone report {} -o {}.html\n"
      "  hone replay {}\n{}",
      id, shell.store.string(), id, id, id, id,
      has_policy ? fmt::format("  hone tune … --engine ppo --warm-start {}\n", id) : "");
}

// What was measured is stored; an error ends this process, not the campaign.
Error WithWayOn(const Error& error, const std::string& id) {
  if (error.code == Errc::kStale) return error;
  return {error.code, fmt::format("{}\nNothing measured is lost; go on with: hone resume {}",
                                  error.message, id)};
}

}  // namespace

Json JsonOf(const CampaignSummary& summary, const std::filesystem::path& store) {
  Json idle = Json::object();
  for (const IdleParameter& parameter : summary.idle) idle[parameter.name] = parameter.candidates;
  return {{"id", summary.id},
          {"store", store.string()},
          {"spec", ToJson(summary.spec)},
          {"gate", summary.gate ? ToJson(*summary.gate) : Json(nullptr)},
          {"verdict", summary.verdict ? ToJson(*summary.verdict) : Json(nullptr)},
          {"trials", summary.trials},
          {"runs", summary.runs},
          {"measured_us", summary.measured.count()},
          {"tried_in_vain", idle},
          {"suspicions", summary.suspicions},
          {"aftermath", summary.aftermath}};
}

Result<ExitCode> TellVerdict(Shell& shell, CampaignStore& store, const std::string& id) {
  auto evaluations = EvaluationStore::Open(shell.store);
  if (!evaluations) return evaluations.error();
  const auto history = LoadHistory(store, *evaluations, id);
  if (!history) return history.error();
  const CampaignSummary summary = Summarise(*history);
  if (shell.wants_json) {
    shell.console.out << Dump(JsonOf(summary, shell.store)) << '\n';
  } else {
    const auto policy = store.Policy(id);
    if (!policy) return policy.error();
    shell.console.out << VerdictText(summary, shell.console.out_ink)
                      << NextSteps(summary.id, shell, policy->has_value());
  }
  const bool is_no = summary.verdict && summary.verdict->kind == Verdict::Kind::kNoGain;
  return is_no ? ExitCode::kNo : ExitCode::kYes;
}

Result<ExitCode> RunAndTell(Shell& shell, CampaignStore& store, const std::string& id,
                            LocalSettings settings) {
  const auto campaign = store.Find(id);
  if (!campaign) return campaign.error();
  const CampaignSpec& spec = campaign->start.spec;
  {
    ProgressDisplay display(shell.console, shell.clock, RewardWords(spec.rule));
    const auto interrupts =
        Interrupts::Watch([&display, &id](int count) { display.Say(InterruptText(count, id)); });
    if (!interrupts) return interrupts.error();
    settings.wrap_up = (*interrupts)->wrap_up();
    settings.abandon = (*interrupts)->abandon();
    if (!shell.is_quiet) {
      settings.on_progress = [&display](const Progress& progress) { display.Show(progress); };
      settings.on_gate = [&](const GateReport& gate) {
        display.Say(GateText(spec, gate, shell.console.err_ink));
      };
    }
    const auto verdict = RunLocally(id, store, shell.builtins, shell.clock, settings);
    if (!verdict) return WithWayOn(verdict.error(), id);
  }
  return TellVerdict(shell, store, id);
}

}  // namespace hone

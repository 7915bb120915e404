// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <ostream>

#include "hone/app/stored/stored_run.h"
#include "hone/base/json/records.h"
#include "hone/cli/text/campaign_text.h"
#include "hone/cli/text/readable.h"
#include "hone/cli/verbs.h"
#include "hone/cli/verbs/campaign_run.h"
#include "hone/cli/verbs/run_flags.h"
#include "hone/tune/campaign/words.h"

namespace hone::cli {
namespace {

constexpr std::size_t kUsualTrials = 10;

struct ShowArguments {
  std::string run;
  bool wants_all = false;
};

double RankOf(const tune::TrialHistory& trial) {
  return trial.reward ? trial.reward->mean : -std::numeric_limits<double>::infinity();
}

std::vector<std::string> TrialRow(const tune::TrialHistory& trial, const CampaignSummary& summary) {
  const tune::RewardWords words(summary.spec.rule);
  std::string gain(NameOf(trial.outcome));
  std::string range = trial.reason;
  if (trial.reward) {
    const double reach = 2 * trial.reward->standard_error;
    gain = words.MetricChange(trial.reward->mean);
    range = words.MetricRange({trial.reward->mean - reach, trial.reward->mean + reach});
    if (!trial.is_within_limits) range += " beyond a limit";
  }
  return {fmt::format("{}", trial.number), fmt::format("{}", trial.numbers.rewards.size()), gain,
          range, ReadableChange(summary.baseline, trial.candidate)};
}

// What changed: of one objective its metric, which may be better when it falls.
std::string ChangeHead(const RewardRule& rule) {
  const tune::RewardWords words(rule);
  const bool is_mean = rule.formula == RewardRule::Formula::kGain && rule.objectives.size() > 1;
  return is_mean ? "gain " + words.subject() : words.subject();
}

std::string TrialsText(const tune::CampaignHistory& history, const CampaignSummary& summary,
                       const Invocation& invocation, bool wants_all) {
  std::vector<tune::TrialHistory> trials = tune::TrialsOf(history);
  if (trials.empty()) return "";
  std::stable_sort(trials.begin(), trials.end(),
                   [](const auto& a, const auto& b) { return RankOf(a) > RankOf(b); });
  const std::size_t shown = wants_all ? trials.size() : std::min(trials.size(), kUsualTrials);
  TableRows rows{{"trial", "pairs", ChangeHead(summary.spec.rule), "±2 se", "change"}};
  for (std::size_t i = 0; i < shown; ++i) rows.push_back(TrialRow(trials[i], summary));
  std::string text = "\nTrials, best first, as the search saw them (estimates, not proofs)\n";
  text += TableText(rows);
  if (shown < trials.size()) {
    text += fmt::format("  … and {} more: {}\n", trials.size() - shown,
                        invocation.Typed(fmt::format("show {} --all", summary.id)));
  }
  return text;
}

std::string MachineText(const tune::CampaignStart& start) {
  TableRows rows{{"hone", start.version}};
  for (const auto& [name, value] : start.machine) rows.push_back({name, value});
  return "\nMachine, as it was then\n" + TableText(rows);
}

Result<tune::CampaignLabel> LabelOfRun(Shell& shell, const std::string& id) {
  auto store = app::OpenForReading(shell.store, shell.clock);
  if (!store) return store.error();
  const auto labels = store->Labels();
  if (!labels) return labels.error();
  const auto found = labels->find(id);
  return found == labels->end() ? tune::CampaignLabel{} : found->second;
}

Result<ExitCode> Show(Shell& shell, const ShowArguments& arguments) {
  const auto history = app::LoadRun(shell.store, shell.clock, arguments.run);
  if (!history) return history.error();
  const auto label = LabelOfRun(shell, history->campaign.id);
  if (!label) return label.error();
  const auto summed = SummaryOf(shell, *history);
  if (!summed) return summed.error();
  const CampaignSummary& summary = *summed;
  if (shell.wants_json) {
    Json document = JsonOf(summary, shell.store);
    document["machine"] = history->campaign.start.machine;
    document["created"] = ToText(history->campaign.created);
    document["last_error"] = summary.last_error;
    document["label"] = label->label;
    document["note"] = label->note;
    shell.console.out << Dump(document) << '\n';
    return ExitCode::kYes;
  }
  std::string text =
      fmt::format("{}{}, started {}\n{}\n{}", summary.id,
                  label->label.empty() ? "" : fmt::format(" ({})", label->label),
                  ToText(history->campaign.created), label->note.empty() ? "" : label->note + "\n",
                  VerdictText(summary, shell.console.out_ink));
  if (summary.gate) {
    text += "\n" + GateText(history->campaign.start, *summary.gate, shell.console.out_ink);
  }
  text += TrialsText(*history, summary, shell.invocation, arguments.wants_all);
  if (arguments.wants_all) text += MachineText(history->campaign.start);
  shell.console.out << text;
  return ExitCode::kYes;
}

}  // namespace

Verb MakeShowVerb() {
  const auto arguments = std::make_shared<ShowArguments>();
  Verb verb;
  verb.name = "show";
  verb.summary = "tells what a campaign found, and its best trials";
  verb.description = "The verdict, the gate's findings and the trials, also of a running campaign.";
  verb.flags = {RunOperand(arguments->run),
                {.names = "--all",
                 .value = "",
                 .help = "All trials, and the machine's facts.",
                 .set = Raise(arguments->wants_all)}};
  verb.examples = {{"hone show last", "The newest campaign."},
                   {"hone show toy-7 --all", "Every trial of toy-7, and the machine."}};
  verb.run = [arguments](Shell& shell) { return Show(shell, *arguments); };
  return verb;
}

}  // namespace hone::cli

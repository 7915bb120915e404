// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/tune_start.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <iostream>
#include <ostream>
#include <utility>

#include "hone/base/temp_dir.h"
#include "hone/cli/campaign_text.h"
#include "hone/cli/help.h"
#include "hone/cli/local_campaign.h"
#include "hone/cli/readable.h"
#include "hone/domains/sysctl/apply/hold.h"
#include "hone/eval/evaluation_store.h"
#include "hone/tune/campaign_history.h"

namespace hone {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kWidth = 80;

bool IsOnHost(const TunePlan& plan) {
  return plan.workload && plan.workload->place == sysctl::Place::kHost;
}

Rows TouchRows(const Preview& preview) {
  Rows rows{{"parameter", "now", "tries", "risk"}};
  for (const Touch& touch : preview.touches) {
    rows.push_back({touch.what, touch.now, touch.range, touch.risk});
  }
  return rows;
}

// The name and the first sentence; hone tune PRESET --help has the rest.
std::string WorkloadText(const sysctl::WorkloadSpec& workload) {
  const auto lines = Wrap(
      fmt::format("Workload {}: {}", workload.name, FirstSentence(workload.description)), kWidth);
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

std::string PlaceText(const TunePlan& plan) {
  if (!IsOnHost(plan)) {
    return "In private network namespaces, which vanish afterwards; the host is not touched:\n";
  }
  return fmt::format(
      "On this host. What is in force now goes to a journal in {}\n"
      "before the first write, and is put back at the end, on Ctrl-C, and by a guardian\n"
      "process if hone is killed:\n",
      sysctl::DefaultHoldFolder().string());
}

bool NeedsConsent(const TunePlan& plan) {
  return plan.domain->Facts().needs.names.contains("root") || !plan.choice.empty();
}

// What the campaign would cost, from what the rehearsal planned.
std::string CostText(const CampaignSummary& summary, const TunePlan& plan) {
  if (!summary.gate) return "";
  const std::int64_t runs = summary.gate->planned_runs;
  if (!plan.workload || !plan.workload->budget.expected_run) {
    return fmt::format("  the real one would take about {} runs\n", runs);
  }
  const auto each = *plan.workload->budget.expected_run;
  return fmt::format("  the real one would take about {} runs of {}: {}\n", runs,
                     ReadableDuration(each), ReadableDuration(each * runs));
}

std::string RehearsalText(const CampaignSummary& summary, const TunePlan& plan) {
  std::string text = fmt::format(
      "\nRehearsal, on made-up numbers over the same parameters\n"
      "  the loop went through: gate, search, proof, verdict ({} candidates, {} runs)\n",
      summary.trials, summary.runs);
  if (summary.verdict) {
    text += fmt::format("  its verdict (made up) {}\n", Headline(summary.spec, *summary.verdict));
  }
  return text + CostText(summary, plan);
}

}  // namespace

std::string PreviewText(const TunePlan& plan) {
  const Preview preview = plan.domain->Foresee();
  std::string text;
  if (plan.workload) {
    text += WorkloadText(*plan.workload);
  }
  if (!preview.touches.empty()) text += PlaceText(plan) + TableText(TouchRows(preview));
  for (const std::string& note : preview.notes) text += fmt::format("  note: {}\n", note);
  return text;
}

Result<bool> MayStart(Shell& shell, const TunePlan& plan, bool is_sure) {
  if (is_sure || !NeedsConsent(plan)) return true;
  if (::isatty(STDIN_FILENO) == 0 || !shell.console.is_err_terminal || shell.wants_json) {
    return false;
  }
  shell.console.err << "Start? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

Result<ExitCode> Rehearse(Shell& shell, const TunePlan& plan) {
  const auto folder = TempDir::Make();
  if (!folder) return folder.error();
  LocalSettings settings;
  settings.store = folder->path() / "rehearsal.db";
  auto store = CampaignStore::Open(settings.store, shell.clock);
  if (!store) return store.error();
  const auto id = CreateCampaign(*store, plan);
  if (!id) return id.error();
  const auto verdict = RunLocally(*id, *store, shell.builtins, shell.clock, settings);
  if (!verdict) return verdict.error();
  auto evaluations = EvaluationStore::Open(settings.store);
  if (!evaluations) return evaluations.error();
  const auto history = LoadHistory(*store, *evaluations, *id);
  if (!history) return history.error();
  shell.console.out << RehearsalText(Summarise(*history), plan);
  return ExitCode::kYes;
}

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/verbs/tune_start.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <iostream>
#include <ostream>
#include <utility>

#include "hone/app/local_campaign.h"
#include "hone/base/temp_dir.h"
#include "hone/cli/text/campaign_text.h"
#include "hone/cli/text/help.h"
#include "hone/cli/text/readable.h"
#include "hone/domains/sysctl/apply/transaction.h"
#include "hone/domains/sysctl/preflight.h"
#include "hone/eval/sqlite/evaluation_store.h"
#include "hone/tune/campaign/campaign_history.h"
#include "hone/tune/campaign/words.h"

namespace hone::cli {
namespace {

bool IsOnHost(const app::TunePlan& plan) {
  return plan.workload && plan.workload->place == sysctl::Place::kHost;
}

TableRows PlannedChangeRows(const Preview& preview) {
  TableRows rows{{"parameter", "now", "tries", "risk"}};
  for (const PlannedChange& change : preview.planned_changes) {
    rows.push_back({change.what, change.now, change.range, change.risk});
  }
  return rows;
}

// The name and the first sentence; hone tune PRESET --help has the rest.
std::string WorkloadText(const sysctl::WorkloadSpec& workload) {
  const auto lines =
      Wrap(fmt::format("Workload {}: {}", workload.name, FirstSentence(workload.description)),
           kTextWidth);
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

std::string PlaceText(const app::TunePlan& plan) {
  if (!IsOnHost(plan)) {
    return "In private network namespaces, which vanish afterwards; the host is not touched:\n";
  }
  return fmt::format(
      "On this host. What is in force now goes to a journal in {}\n"
      "before the first write, and is put back at the end, on Ctrl-C, and by a guardian\n"
      "process if hone is killed:\n",
      sysctl::DefaultTransactionFolder().string());
}

bool NeedsConsent(const app::TunePlan& plan) {
  return plan.domain->Facts().needs.names.contains("root") || !plan.choice.empty();
}

// What the campaign would cost, from what the rehearsal planned.
std::string CostText(const CampaignSummary& summary, const app::TunePlan& plan) {
  if (!summary.gate) return "";
  const std::int64_t runs = summary.gate->planned_runs;
  if (!plan.workload || !plan.workload->budget.expected_run) {
    return fmt::format("  the real one would take about {} runs\n", runs);
  }
  const auto each = *plan.workload->budget.expected_run;
  return fmt::format("  the real one would take about {} runs of {}: {}\n", runs,
                     tune::DurationText(each), tune::DurationText(each * runs));
}

std::string RehearsalText(const CampaignSummary& summary, const app::TunePlan& plan) {
  std::string text = fmt::format(
      "\nRehearsal, on made-up numbers over the same parameters\n"
      "  the loop went through: gate, search, proof, verdict ({} candidates, {} runs)\n",
      summary.trials, summary.runs);
  if (summary.verdict) {
    text +=
        fmt::format("  its verdict (made up) {}\n", tune::Headline(summary.spec, *summary.verdict));
  }
  return text + CostText(summary, plan);
}

}  // namespace

std::string PreviewText(const app::TunePlan& plan) {
  const Preview preview = plan.domain->PreviewChanges();
  std::string text;
  if (plan.workload) {
    text += WorkloadText(*plan.workload);
  }
  if (!preview.planned_changes.empty())
    text += PlaceText(plan) + TableText(PlannedChangeRows(preview));
  for (const std::string& note : preview.notes) text += fmt::format("  note: {}\n", note);
  return text;
}

Result<bool> MayStart(Shell& shell, const app::TunePlan& plan, bool is_sure) {
  if (is_sure || !NeedsConsent(plan)) return true;
  if (::isatty(STDIN_FILENO) == 0 || !shell.console.is_err_terminal || shell.wants_json) {
    return false;
  }
  shell.console.err << "Start? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

Result<std::optional<RunResult>> TryWorkload(const app::TunePlan& plan) {
  if (IsOnHost(plan) && ::geteuid() != 0) return std::optional<RunResult>();
  auto tried = sysctl::RunUnchanged(*plan.workload);
  if (!tried) return tried.error();
  return std::optional(std::move(*tried));
}

std::string TrialRunText(const std::optional<RunResult>& tried, const app::TunePlan& plan) {
  const std::string title = "\nOne real run, with nothing changed\n";
  if (!tried) return title + "  not made: the campaign needs root, and so does this run\n";
  if (tried->outcome != Outcome::kAccepted) {
    return fmt::format("{}  it does not run: {} ({})\n{}", title, tried->reason,
                       NameOf(tried->outcome), EvidenceText(tried->evidence));
  }
  TableRows rows;
  for (const MetricFacts& metric : plan.domain->Facts().metrics) {
    const auto found = tried->sample.metrics.find(metric.name);
    if (found == tried->sample.metrics.end()) continue;
    rows.push_back({metric.name, fmt::format("{:g} {}", found->second.value, metric.unit)});
  }
  rows.push_back({"it took", tune::DurationText(tried->sample.duration)});
  for (const std::string& mark : tried->sample.marks) rows.push_back({"marked", mark});
  return title + TableText(rows);
}

Json TrialRunJson(const std::optional<RunResult>& tried) {
  if (!tried) return nullptr;
  Json metrics = Json::object();
  for (const auto& [name, reading] : tried->sample.metrics) metrics[name] = reading.value;
  Json output = Json::array();
  for (const Evidence& evidence : tried->evidence) {
    output.push_back({{"what", evidence.what}, {"text", evidence.text}});
  }
  return {{"outcome", NameOf(tried->outcome)},
          {"reason", tried->reason},
          {"metrics", std::move(metrics)},
          {"duration_us", tried->sample.duration.count()},
          {"output", std::move(output)}};
}

Result<ExitCode> Rehearse(Shell& shell, const app::TunePlan& plan) {
  const auto folder = TempDir::Make();
  if (!folder) return folder.error();
  app::LocalSettings settings;
  settings.store = folder->path() / "rehearsal.db";
  auto store = tune::CampaignStore::Open(settings.store, shell.clock);
  if (!store) return store.error();
  const auto id = app::CreateCampaign(*store, plan);
  if (!id) return id.error();
  const auto verdict = app::RunLocally(*id, *store, shell.builtins, shell.clock, settings);
  if (!verdict) return verdict.error();
  auto evaluations = EvaluationStore::Open(settings.store);
  if (!evaluations) return evaluations.error();
  const auto history = tune::LoadHistory(*store, *evaluations, *id);
  if (!history) return history.error();
  shell.console.out << RehearsalText(Summarise(*history), plan);
  return ExitCode::kYes;
}

}  // namespace hone::cli

// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/verbs/tune_start.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <ostream>
#include <utility>

#include "hone/app/checkup/checkup.h"
#include "hone/base/temp_dir.h"
#include "hone/cli/text/campaign_text.h"
#include "hone/cli/text/help.h"
#include "hone/cli/text/readable.h"
#include "hone/cli/verbs/campaign_run.h"
#include "hone/domains/sysctl/apply/transaction.h"
#include "hone/domains/sysctl/preflight.h"
#include "hone/eval/sqlite/evaluation_store.h"
#include "hone/tune/campaign/campaign_history.h"
#include "hone/tune/campaign/time_plan.h"
#include "hone/tune/campaign/words.h"

namespace hone::cli {
namespace {

bool IsOnHost(const app::TunePlan& plan) {
  return plan.workload && plan.workload->place == sysctl::Place::kHost;
}

std::string TextIn(const Candidate& candidate, const std::string& name) {
  const auto found = candidate.assignment.find(name);
  return found == candidate.assignment.end() ? "" : ReadableValue(found->second);
}

TableRows ComparedRows(const app::TunePlan& plan, const Preview& preview) {
  TableRows rows{{"parameter", "now", "A", "B", "risk"}};
  for (const PlannedChange& change : preview.planned_changes) {
    rows.push_back({change.what, change.now, TextIn(*plan.baseline, change.what),
                    TextIn(plan.spec.comparison->candidate, change.what), change.risk});
  }
  return rows;
}

TableRows PlannedChangeRows(const app::TunePlan& plan, const Preview& preview) {
  if (plan.spec.comparison) return ComparedRows(plan, preview);
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

// What the campaign would cost, from what the rehearsal planned; `each` is what a run takes, 0
// where that is not known.
std::string CostText(const CampaignSummary& summary, std::chrono::microseconds each) {
  if (!summary.gate) return "";
  const std::int64_t runs = summary.gate->planned_runs;
  if (each.count() == 0) {
    return fmt::format("  the real one would take about {}\n", tune::CountText(runs, "run"));
  }
  return fmt::format("  the real one would take about {} of {}: {}\n", tune::CountText(runs, "run"),
                     tune::DurationText(each), tune::DurationText(each * runs));
}

std::string RehearsalText(const CampaignSummary& summary, std::chrono::microseconds each) {
  std::string text = fmt::format(
      "\nRehearsal, on made-up numbers over the same parameters\n"
      "  the loop went through: gate, search, proof, verdict ({}, {})\n",
      tune::CountText(summary.trials, "candidate"), tune::CountText(summary.runs, "run"));
  if (summary.verdict) {
    text +=
        fmt::format("  its verdict (made up) {}\n", tune::Headline(summary.spec, *summary.verdict));
  }
  return text + CostText(summary, each);
}

Error CannotStart(const app::TunePlan& plan, const std::string& missing, const std::string& verb,
                  const std::string& program) {
  return {
      Errc::kUnsupported,
      fmt::format("{}: {}; nothing was touched. As root: sudo {} {} …; without root: the "
                  "preset tcp, or --dry-run",
                  plan.workload ? plan.workload->name : plan.spec.domain, missing, program, verb)};
}

Result<ExitCode> TellRefusal(Shell& shell) {
  shell.console.err << "Nothing was started and nothing was touched. To start without being asked: "
                       "--yes\n";
  return ExitCode::kNo;
}

Json PlannedChangesOf(const Preview& preview) {
  Json planned_changes = Json::array();
  for (const PlannedChange& change : preview.planned_changes) {
    planned_changes.push_back({{"what", change.what},
                               {"now", change.now},
                               {"tries", change.range},
                               {"risk", change.risk},
                               {"caution", change.caution}});
  }
  return planned_changes;
}

// Each caution once, however many devices have it.
std::string CautionsText(const Preview& preview) {
  TwoColumnRows rows;
  for (const PlannedChange& change : preview.planned_changes) {
    const bool is_said = std::any_of(rows.begin(), rows.end(),
                                     [&](const auto& row) { return row.second == change.caution; });
    if (!change.caution.empty() && !is_said) rows.emplace_back(change.what, change.caution);
  }
  return rows.empty() ? "" : "\nCautions\n" + TwoColumns(rows);
}

bool IsSideBySide(const app::TunePlan& plan) {
  return plan.workload && plan.workload->place == sysctl::Place::kNamespace;
}

// That a tuner is at work, or left something when it was killed; empty where the plan is not about
// this host's parameters.
std::string JournalOf(const app::TunePlan& plan) {
  return plan.workload ? app::DescribeJournal() : "";
}

// Whether only a run of the benchmark tells if the budget is long enough. None is made beside a
// tuner that is at work.
bool NeedsTrial(const app::TunePlan& plan, const StartChoices& choices) {
  return plan.spec.max_time.count() > 0 && plan.workload && !choices.has_no_preflight &&
         plan.domain->Facts().expected_run.count() == 0 && JournalOf(plan).empty();
}

// What a run takes, as the plan says or as one that went well has shown; 0 where neither does.
std::chrono::microseconds RunTimeOf(const app::TunePlan& plan,
                                    const std::optional<RunResult>& tried) {
  const auto expected = plan.domain->Facts().expected_run;
  const bool is_shown = tried && tried->outcome == Outcome::kAccepted;
  return expected.count() > 0 || !is_shown ? expected : tried->sample.duration;
}

// "at about 2.0 s a run, room for 150 pairs: …"; empty without a budget, or where nobody knows.
std::string DivisionBy(const app::TunePlan& plan, const std::optional<RunResult>& tried) {
  const auto run = RunTimeOf(plan, tried);
  if (plan.spec.max_time.count() == 0 || run.count() == 0) return "";
  const bool is_short = run < std::chrono::milliseconds(50);  // "under 0.1 s"
  return fmt::format("at {}{} a run, {}", is_short ? "" : "about ", tune::DurationText(run),
                     tune::DivisionText(plan.spec, IsSideBySide(plan) ? run : 2 * run));
}

// What one run has shown of the budget that the plan could not say.
std::string BudgetAfterTrial(const app::TunePlan& plan, const std::optional<RunResult>& tried) {
  const std::string division = DivisionBy(plan, tried);
  if (division.empty() || !DivisionBy(plan, std::nullopt).empty()) return "";
  return fmt::format("  budget    {}: {}\n", tune::DurationText(plan.spec.max_time), division);
}

Json PlanJson(const Shell& shell, const app::TunePlan& plan) {
  const Preview preview = plan.domain->PreviewChanges();
  return {{"spec", ToJson(plan.spec)},
          {"space", ToJson(plan.domain->SearchSpace())},
          {"baseline", ToJson(plan.baseline.value_or(plan.domain->Baseline()))},
          {"touches", PlannedChangesOf(preview)},
          {"notes", preview.notes},
          {"store", shell.store.string()}};
}

}  // namespace

std::string PreviewText(const app::TunePlan& plan) {
  const Preview preview = plan.domain->PreviewChanges();
  std::string text = plan.workload ? WorkloadText(*plan.workload) : "";
  if (!preview.planned_changes.empty()) {
    text += PlaceText(plan) + TableText(PlannedChangeRows(plan, preview));
  }
  for (const std::string& note : plan.notes) text += fmt::format("  note: {}\n", note);
  for (const std::string& note : preview.notes) text += fmt::format("  note: {}\n", note);
  return text;
}

std::string BudgetText(const app::TunePlan& plan, const StartChoices& choices) {
  if (plan.spec.max_time.count() == 0) return "";
  const std::string when = NeedsTrial(plan, choices) ? "one run with nothing changed" : "the gate";
  const std::string division = DivisionBy(plan, std::nullopt);
  return fmt::format("  budget    {} of measuring for all of it; {}\n",
                     tune::DurationText(plan.spec.max_time),
                     division.empty() ? "how it is divided is said after " + when : division);
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

ExitCode ExitCodeOfTrial(const std::optional<RunResult>& tried) {
  const bool runs = !tried || tried->outcome == Outcome::kAccepted;
  return runs ? ExitCode::kYes : ExitCode::kDoesNotRun;
}

Result<ExitCode> Rehearse(Shell& shell, const app::TunePlan& plan, std::chrono::microseconds each) {
  const auto folder = TempDir::Make();
  if (!folder) return folder.error();
  app::LocalSettings settings;
  settings.store = folder->path() / "rehearsal.db";
  settings.asks_nobody = true;
  auto store = tune::CampaignStore::Open(settings.store, shell.clock);
  if (!store) return store.error();
  const auto id = app::CreateCampaign(*store, plan, settings.store, shell.clock);
  if (!id) return id.error();
  const auto verdict = app::RunLocally(*id, *store, shell.builtins, shell.clock, settings);
  if (!verdict) return verdict.error();
  auto evaluations = EvaluationStore::Open(settings.store);
  if (!evaluations) return evaluations.error();
  const auto history = tune::LoadHistory(*store, *evaluations, *id);
  if (!history) return history.error();
  shell.console.out << RehearsalText(Summarise(*history), each);
  return ExitCode::kYes;
}

namespace {

Result<ExitCode> TellPlanJson(Shell& shell, const app::TunePlan& plan, bool wants_trial) {
  Json json = PlanJson(shell, plan);
  json["journal"] = JournalOf(plan);
  std::optional<RunResult> run;
  if (wants_trial) {
    const auto tried = TryWorkload(plan);
    if (!tried) return tried.error();
    json["preflight"] = TrialRunJson(*tried);
    run = *tried;
  }
  if (plan.spec.max_time.count() > 0) json["budget"] = DivisionBy(plan, run);
  shell.console.out << Dump(json) << '\n';
  return ExitCodeOfTrial(run);
}

}  // namespace

Result<ExitCode> TellPlan(Shell& shell, const app::TunePlan& plan, const StartChoices& choices,
                          const std::string& text) {
  const bool wants_trial = plan.workload && !choices.has_no_preflight;
  if (shell.wants_json) return TellPlanJson(shell, plan, wants_trial);
  shell.console.out << text << std::flush;
  if (const std::string journal = JournalOf(plan); !journal.empty()) {
    shell.console.out << "  note: " << journal << '\n';
  }
  shell.console.out << CautionsText(plan.domain->PreviewChanges()) << std::flush;
  std::optional<RunResult> run;
  if (wants_trial) {
    const auto tried = TryWorkload(plan);
    if (!tried) return tried.error();
    shell.console.out << TrialRunText(*tried, plan) << BudgetAfterTrial(plan, *tried);
    run = *tried;
  }
  const ExitCode code = ExitCodeOfTrial(run);
  if (plan.workload && !plan.spec.comparison && code == ExitCode::kYes) {
    if (auto rehearsed = Rehearse(shell, plan, RunTimeOf(plan, run)); !rehearsed) return rehearsed;
  }
  shell.console.out << "Nothing was started and no parameter was touched: a dry run.\n";
  return code;
}

Result<ExitCode> StartCampaign(Shell& shell, const app::TunePlan& plan, const StartChoices& choices,
                               app::LocalSettings settings, const StartTexts& texts) {
  const std::string missing =
      app::WhatIsMissing(plan.domain->Facts().needs, app::LocalCapabilities());
  if (!missing.empty()) {
    return CannotStart(plan, missing, texts.verb, shell.invocation.program);
  }
  if (!shell.is_quiet) shell.console.err << texts.plan << std::flush;
  const auto may_start = MayStart(shell, plan, choices.is_sure);
  if (!may_start) return may_start.error();
  if (!*may_start) return TellRefusal(shell);
  if (!shell.is_quiet && NeedsTrial(plan, choices)) {
    // Where it fails, the gate says how.
    if (const auto tried = TryWorkload(plan)) {
      shell.console.err << BudgetAfterTrial(plan, *tried) << std::flush;
    }
  }
  auto store = tune::CampaignStore::Open(shell.store, shell.clock);
  if (!store) return store.error();
  auto dashboard = MaybeOpenDashboard(shell, choices.dashboard);
  if (!dashboard) return dashboard.error();
  const auto id = app::CreateCampaign(*store, plan, shell.store, shell.clock);
  if (!id) return id.error();
  if (!shell.is_quiet) {
    shell.console.err << fmt::format("Stored as {} in {}\n", *id, shell.store.string())
                      << std::flush;
  }
  settings.store = shell.store;
  return RunAndTell(shell, *store, *id, settings, dashboard->get());
}

}  // namespace hone::cli

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <ostream>
#include <utility>

#include "hone/app/campaign/local_campaign.h"
#include "hone/app/plan/tune_plan.h"
#include "hone/app/version.h"
#include "hone/base/json/parse_values.h"
#include "hone/cli/interrupts.h"
#include "hone/cli/text/watch_text.h"
#include "hone/cli/verbs.h"
#include "hone/cli/verbs/tune_start.h"
#include "hone/eval/worker/live_session.h"
#include "hone/tune/watch/watch.h"
#include "hone/tune/watch/watch_log.h"

namespace hone::cli {
namespace {

using std::chrono::milliseconds;

struct WatchArguments {
  app::TuneRequest request;
  tune::WatchSettings settings;
  milliseconds every{30'000};
  std::optional<milliseconds> length;
  std::string log;
  bool wants_kept = false;
  bool is_sure = false;
};

Setter TurnedShare(const std::string& flag, double& target, double (*turn)(double)) {
  return Parsed(flag, ParseShare, [&target, turn](double value) { target = turn(value); });
}

double GainOf(double share) { return std::log1p(share); }
double LossOf(double share) { return -std::log1p(-share); }

std::vector<Flag> WatchGoalFlags(app::TuneRequest& request) {
  return {{.names = "TARGET",
           .value = "",
           .help = "What to watch, as for hone tune: a domain, or a file.",
           .set = Store(request.target),
           .is_required = true,
           .completes = Completes::kFile},
          {.names = "-o,--option",
           .value = "NAME=VALUE",
           .help = "A setting of the domain; hone tune DOMAIN --help lists them.",
           .set = StoreSetting("--option", request.options),
           .is_repeatable = true},
          {.names = "--limit",
           .value = "LIMIT",
           .help = "What must hold: 'p99_ms<=20' in every run, or 'p99_ms<=1.05x' of the "
                   "originals'.",
           .set = Parsed("--limit", ParseLimit,
                         [&](const Limit& limit) { request.limits.push_back(limit); }),
           .is_repeatable = true}};
}

std::vector<Flag> TimeFlags(WatchArguments& arguments) {
  return {{.names = "--every",
           .value = "TIME",
           .help = "At rest, measure this often (30s).",
           .set = StoreParsed("--every", ParseDuration, arguments.every)},
          {.names = "--for",
           .value = "TIME",
           .help = "End after this long: 2h, 30m (never).",
           .set = StoreParsed("--for", ParseDuration, arguments.length)},
          {.names = "--rounds",
           .value = "N",
           .help = "End after so many rounds: a step tried, a comparison with the originals, or a "
                   "run at rest (never).",
           .set = StoreCount("--rounds", arguments.settings.max_rounds, 1)}};
}

std::vector<Flag> StepFlags(tune::WatchSettings& settings) {
  return {{.names = "--least-gain",
           .value = "SHARE",
           .help = "A step that gains less is of no interest (1%).",
           .set = TurnedShare("--least-gain", settings.min_gain, GainOf)},
          {.names = "--most-loss",
           .value = "SHARE",
           .help = "A single run that loses more, and more than noise does, is harm (9%).",
           .set = TurnedShare("--most-loss", settings.max_loss, LossOf)},
          {.names = "--radius",
           .value = "SHARE",
           .help = "How far a value may get from where it is now, of its range (25%).",
           .set = StoreParsed("--radius", ParseShare, settings.steps.radius)},
          {.names = "--step",
           .value = "SHARE",
           .help = "Of a range at a time; at least to the next value (8%).",
           .set = StoreParsed("--step", ParseShare, settings.steps.length)},
          {.names = "--seed",
           .value = "N",
           .help = "The same seed and samples give the same decisions (1).",
           .set = StoreParsed("--seed", ParseSeed, settings.seed)}};
}

std::vector<Flag> EndFlags(WatchArguments& arguments) {
  return {{.names = "--log",
           .value = "FILE",
           .help = "Where every event goes at once (watch.jsonl beside the store).",
           .set = Store(arguments.log),
           .completes = Completes::kFile},
          {.names = "--keep",
           .value = "",
           .help = "At the end, print what is in force as settings to install.",
           .set = Raise(arguments.wants_kept)},
          {.names = "-y,--yes",
           .value = "",
           .help = "Start even if the domain changes this machine.",
           .set = Raise(arguments.is_sure)}};
}

tune::WatchSubject SubjectOf(const app::TunePlan& plan) {
  return {.domain = plan.spec.domain,
          .options = plan.spec.options,
          .needs = plan.domain->Facts().needs,
          .space = plan.domain->SearchSpace(),
          .originals = plan.domain->Baseline(),
          .rule = plan.spec.rule,
          .run_timeout = plan.spec.run_timeout};
}

// When a watch is over, and the pauses in between.
class Timetable {
 public:
  Timetable(Clock& clock, const WatchArguments& arguments, std::stop_token stop)
      : clock_(clock), every_(arguments.every), stop_(std::move(stop)) {
    due_ = clock_.Now() + every_;
    if (arguments.length) end_ = clock_.Now() + *arguments.length;
  }

  bool IsOver() const { return stop_.stop_requested() || (end_ && clock_.Now() >= *end_); }

  // Runs at rest begin this far apart; if one takes longer, the next follows at once.
  void Rest() {
    const auto until = end_ ? std::min(due_, *end_) : due_;
    SleepUntilStop(clock_, until - clock_.Now(), stop_);
    due_ = clock_.Now() + every_;
  }

 private:
  Clock& clock_;
  milliseconds every_;
  std::stop_token stop_;
  Clock::Monotonic due_;
  std::optional<Clock::Monotonic> end_;
};

// Keeps an event, then tells it.
Result<void> Record(Shell& shell, tune::WatchLog& log, tune::WatchEvent event,
                    const tune::WatchSubject& subject) {
  event.time = shell.clock.Wall();
  if (auto kept = log.Append(event); !kept) return kept;
  if (shell.is_quiet) return {};
  const bool is_answer = !shell.wants_json;
  std::ostream& to = is_answer ? shell.console.out : shell.console.err;
  const Ink& ink = is_answer ? shell.console.out_ink : shell.console.err_ink;
  to << EventLine(event, subject.originals, tune::RewardWords(subject.rule), ink) << std::flush;
  return {};
}

Result<tune::WatchSummary> WatchLive(Shell& shell, Domain& domain, tune::WatchLog& log,
                                     const tune::WatchSubject& subject,
                                     const WatchArguments& arguments) {
  const auto interrupts = Interrupts::Watch([&shell](int count) {
    if (count > 1) return;
    shell.console.err << "Interrupted: the run in hand ends, and the originals go back.\n"
                      << std::flush;
  });
  if (!interrupts) return interrupts.error();
  const std::stop_token stop = (*interrupts)->wrap_up();
  Timetable timetable(shell.clock, arguments, stop);
  LiveSession session(domain, shell.clock, app::Version());
  return tune::WatchOver(
      subject, arguments.settings,
      {.measure = [&](const Task& task) { return session.Evaluate(task, stop); },
       .record = [&](const tune::WatchEvent& event) { return Record(shell, log, event, subject); },
       .rest = [&] { timetable.Rest(); },
       .is_over = [&] { return timetable.IsOver(); }});
}

void TellEnd(Shell& shell, const tune::WatchSubject& subject, const tune::WatchSummary& summary,
             const std::string& restore_text, const WatchArguments& arguments) {
  if (shell.wants_json) {
    Json json = ToJson(summary);
    json["log"] = arguments.log;
    json["aftermath"] = restore_text;
    shell.console.out << Dump(json) << '\n';
    return;
  }
  std::ostream& out = shell.console.out;
  out << WatchSummaryText(summary, tune::RewardWords(subject.rule), shell.console.out_ink);
  if (!restore_text.empty()) out << "  " << restore_text << '\n';
  out << fmt::format("  every event is in {}\n", arguments.log);
  if (arguments.wants_kept) {
    out << "Settings to install (the originals are in force now):\n" << SettingsText(summary);
  }
}

ExitCode ExitCodeOfWatch(const tune::WatchSummary& summary) {
  if (!summary.does_not_run.empty()) return ExitCode::kDoesNotRun;
  return summary.suspicions.empty() ? ExitCode::kYes : ExitCode::kSuspicious;
}

Result<void> CheckMachine(const app::TunePlan& plan) {
  const std::string missing =
      app::WhatIsMissing(plan.domain->Facts().needs, app::LocalCapabilities());
  if (missing.empty()) return {};
  return Error{Errc::kUnsupported, fmt::format("domain {}: {}", plan.spec.domain, missing)};
}

Result<ExitCode> Watch(Shell& shell, WatchArguments arguments) {
  if (auto valid = tune::Validate(arguments.settings); !valid) return valid.error();
  const auto plan = app::MakePlan(arguments.request, shell.builtins);
  if (!plan) return plan.error();
  if (arguments.log.empty()) arguments.log = (shell.store.parent_path() / "watch.jsonl").string();
  const tune::WatchSubject subject = SubjectOf(*plan);
  const std::string text =
      plan->choice + WatchPlanText(subject, arguments.settings) + PreviewText(*plan);
  if (!shell.is_quiet) shell.console.err << text << std::flush;
  const auto may_start = MayStart(shell, *plan, arguments.is_sure);
  if (!may_start) return may_start.error();
  if (!*may_start) {
    shell.console.err << "Nothing was started and nothing was touched. To start without being "
                         "asked: --yes\n";
    return ExitCode::kNo;
  }
  if (auto able = CheckMachine(*plan); !able) return able.error();
  auto log = tune::WatchLog::Open(arguments.log);
  if (!log) return log.error();
  const auto summary = WatchLive(shell, *plan->domain, *log, subject, arguments);
  const std::string restore_text = plan->domain->DescribeRestore();
  if (!summary) {
    if (!restore_text.empty()) shell.console.err << restore_text << '\n';
    return summary.error();
  }
  TellEnd(shell, subject, *summary, restore_text, arguments);
  return ExitCodeOfWatch(*summary);
}

}  // namespace

Verb MakeWatchVerb() {
  const auto arguments = std::make_shared<WatchArguments>();
  Verb verb;
  verb.name = "watch";
  verb.summary = "keeps a live metric in view, and tunes in small steps within limits";
  verb.description =
      "Measures what is in force, then tries small steps from there, one parameter at a\n"
      "time, never farther than the radius, each in pairs of runs against what is in\n"
      "force. A step that is surely better is adopted; one that breaks a limit, fails or\n"
      "loses is reverted at once. Where nothing is to be gained it only measures. When\n"
      "the workload shifts, what was adopted must prove itself against the originals\n"
      "again, and tuning starts anew.\n"
      "\n"
      "Every event is on disk before the next. Ctrl-C ends the watch and puts the\n"
      "originals back. While the benchmark is seen to read what is tuned, nothing is\n"
      "tried.\n"
      "\n"
      "Exit status 0: it ended as it was asked to; 5: the benchmark reads what is tuned;\n"
      "6: it does not run with nothing changed, and the end of its output is shown.\n"
      "docs/howto/watch-a-live-service.md";
  for (auto&& more : {WatchGoalFlags(arguments->request), TimeFlags(*arguments),
                      StepFlags(arguments->settings), EndFlags(*arguments)}) {
    verb.flags.insert(verb.flags.end(), more.begin(), more.end());
  }
  verb.examples = {{"hone watch toy --rounds 40 --every 0s", "A made-up service, without pauses."},
                   {"hone watch service.json --limit 'p99_ms<=20' --for 8h --yes",
                    "A service for a working day, its latency never above 20 ms."},
                   {"hone watch toy --radius 10% --step 2% --keep",
                    "Close to what is in force now; print what was found."}};
  verb.run = [arguments](Shell& shell) { return Watch(shell, *arguments); };
  return verb;
}

}  // namespace hone::cli

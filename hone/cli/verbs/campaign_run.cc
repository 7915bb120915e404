// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/verbs/campaign_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <ostream>
#include <utility>

#include "hone/app/campaign/campaign_control.h"
#include "hone/app/campaign/campaign_show.h"
#include "hone/base/announce.h"
#include "hone/cli/interrupts.h"
#include "hone/cli/text/interrupt_text.h"
#include "hone/cli/text/next_steps.h"
#include "hone/cli/text/progress_display.h"
#include "hone/cli/verbs/dashboard.h"
#include "hone/domains/sysctl/apply/transaction.h"
#include "hone/domains/sysctl/sysctl_domain.h"
#include "hone/eval/sqlite/evaluation_store.h"
#include "hone/tune/campaign/comparison.h"

namespace hone::cli {
namespace {

void ShowGate(app::CampaignShow& show, const tune::GateReport& gate) {
  show.Say("info", fmt::format("A/A gate: noise {:.1f} % a pair; a gain of {:.1f} % can be proven",
                               tune::ToPercent(gate.noise), tune::ToPercent(gate.detectable)));
  for (const std::string& warning : gate.warnings) show.Say("warning", warning);
}

// What a comparison says of B, in a word.
std::string_view AnswerOf(const CampaignSummary& summary) {
  const tune::Verdict& verdict = *summary.verdict;
  const bool is_told =
      verdict.kind == tune::Verdict::Kind::kGain || verdict.kind == tune::Verdict::Kind::kNoGain;
  if (!is_told || !verdict.proof) return NameOf(verdict.kind);
  return NameOf(tune::StandingOf(summary.spec.proof, *verdict.proof));
}

ExitCode ExitCodeOf(tune::Verdict::Kind kind) {
  switch (kind) {
    case tune::Verdict::Kind::kGain:
    case tune::Verdict::Kind::kFront:
      return ExitCode::kYes;
    case tune::Verdict::Kind::kNoGain:
      return ExitCode::kNo;
    case tune::Verdict::Kind::kNotEnough:
      return ExitCode::kNotEnough;
    case tune::Verdict::Kind::kSuspicious:
      return ExitCode::kSuspicious;
    case tune::Verdict::Kind::kDoesNotRun:
      return ExitCode::kDoesNotRun;
  }
  return ExitCode::kFailed;
}

// What was measured is stored; an error ends this process, not the campaign.
Error WithWayOn(const Error& error, const std::string& way_on) {
  if (error.code == Errc::kStale) return error;
  return {error.code,
          fmt::format("{}\nNothing measured is lost; go on with: {}", error.message, way_on)};
}

// The campaign's parts that a dashboard shows and its buttons reach. Empty without a dashboard.
struct Shown {
  std::shared_ptr<app::LocalControl> control;
  std::unique_ptr<app::CampaignShow> show;
};

Shown ShowOn(server::DashboardServer* dashboard, const tune::StoredCampaign& campaign,
             Clock& clock) {
  if (dashboard == nullptr) return {};
  Shown shown{std::make_shared<app::LocalControl>(clock), nullptr};
  std::function<Json()> journal;
  if (campaign.start.spec.domain == sysctl::kDomainName) {
    journal = [] { return app::JournalJson(sysctl::DefaultTransactionFolder()); };
  }
  shown.show =
      std::make_unique<app::CampaignShow>(dashboard->board().Register(campaign.id, shown.control),
                                          campaign.start.spec.rule, clock, std::move(journal));
  return shown;
}

// Runs the campaign with all that looks on. What was measured is stored, whatever comes.
Result<void> RunShown(Shell& shell, tune::CampaignStore& store,
                      const tune::StoredCampaign& campaign, app::LocalSettings settings,
                      const Shown& shown) {
  const tune::CampaignSpec& spec = campaign.start.spec;
  const std::string& id = campaign.id;
  ProgressDisplay display(shell.console, shell.clock, tune::RewardWords(spec.rule));
  const auto say = [&](std::string_view level, const std::string& text) {
    if (shown.show) shown.show->Say(level, text);
    display.Say(text);
  };
  const AnnouncementListener listener([&](std::string_view text) {
    if (!shell.is_quiet) say("info", fmt::format("{}\n", text));
  });
  const std::string way_on = shell.invocation.Typed("resume " + id);
  std::atomic<tune::Phase> phase{tune::Phase::kGate};  // Interrupts come on a thread of their own.
  const auto say_interrupt = [&](int count) {
    say("warning", InterruptText(count, spec.comparison.has_value(), phase, way_on));
  };
  const auto interrupts = Interrupts::Watch([&](int count) {
    if (shown.control) shown.control->NoteStop();
    say_interrupt(count);
  });
  if (!interrupts) return interrupts.error();
  settings.wrap_up = (*interrupts)->wrap_up();
  settings.abandon = (*interrupts)->abandon();
  if (shown.control) {
    settings.gate = &shown.control->gate();
    shown.control->Begin({[&] {
                            (*interrupts)->WrapUp();
                            say_interrupt(1);
                          },
                          [&] {
                            (*interrupts)->Abandon();
                            say_interrupt(2);
                          },
                          [&] { shown.show->ShowState(); }});
  }
  settings.on_progress = [&](const tune::Progress& progress) {
    phase = progress.phase;
    if (!shell.is_quiet) display.Show(progress);
    if (shown.show) shown.show->Show(progress);
  };
  settings.on_gate = [&](const tune::GateReport& gate) {
    if (shown.show) ShowGate(*shown.show, gate);
    if (!shell.is_quiet) display.Say(GateText(campaign.start, gate, shell.console.err_ink));
  };
  const auto verdict = app::RunLocally(id, store, shell.builtins, shell.clock, settings);
  if (shown.control) shown.control->End();
  if (verdict) return {};
  if (shown.show) shown.show->Say("error", verdict.error().message);
  return WithWayOn(verdict.error(), way_on);
}

}  // namespace

Json JsonOf(const CampaignSummary& summary, const std::filesystem::path& store) {
  Json idle = Json::object();
  for (const tune::IdleParameter& parameter : summary.idle)
    idle[parameter.name] = parameter.candidates;
  Json failed = Json::object();
  for (const auto& [outcome, count] : summary.candidates.failed) {
    failed[std::string(NameOf(outcome))] = count;
  }
  Json reasons = Json::object();
  for (const auto& [outcome, reason] : summary.candidates.reasons) {
    reasons[std::string(NameOf(outcome))] = reason;
  }
  Json json{{"id", summary.id},
            {"store", store.string()},
            {"spec", ToJson(summary.spec)},
            {"gate", summary.gate ? ToJson(*summary.gate) : Json(nullptr)},
            {"verdict", summary.verdict ? ToJson(*summary.verdict) : Json(nullptr)},
            {"trials", summary.trials},
            {"candidates",
             {{"tried", summary.candidates.tried},
              {"ran", summary.candidates.ran},
              {"failed", failed},
              {"reasons", reasons}}},
            {"runs", summary.runs},
            {"measured_us", summary.measured.count()},
            {"tried_in_vain", idle},
            {"suspicions", summary.suspicions},
            {"counters", ToJson(summary.counters)},
            {"aftermath", summary.restore_text}};
  if (summary.chat) json["language_model"] = app::ChatJson(*summary.chat);
  if (summary.spec.comparison && summary.verdict) json["answer"] = AnswerOf(summary);
  return json;
}

Result<CampaignSummary> SummaryOf(const Shell& shell, const tune::CampaignHistory& history) {
  CampaignSummary summary = Summarise(history);
  const auto chat = app::TallyChat(shell.store, summary.id, shell.clock);
  if (!chat) return chat.error();
  if (chat->asked > 0) summary.chat = *chat;
  return summary;
}

Result<ExitCode> TellVerdict(Shell& shell, tune::CampaignStore& store, const std::string& id) {
  auto evaluations = EvaluationStore::Open(shell.store);
  if (!evaluations) return evaluations.error();
  const auto history = tune::LoadHistory(store, *evaluations, id);
  if (!history) return history.error();
  const auto summed = SummaryOf(shell, *history);
  if (!summed) return summed.error();
  const CampaignSummary& summary = *summed;
  if (shell.wants_json) {
    shell.console.out << Dump(JsonOf(summary, shell.store)) << '\n';
  } else {
    const auto policy = store.Policy(id);
    if (!policy) return policy.error();
    shell.console.out << VerdictText(summary, shell.console.out_ink)
                      << fmt::format("\nStored as {} in {}\n", id, shell.store.string())
                      << NextSteps(summary, shell.invocation, policy->has_value());
  }
  return summary.verdict ? ExitCodeOf(summary.verdict->kind) : ExitCode::kYes;
}

Result<ExitCode> RunAndTell(Shell& shell, tune::CampaignStore& store, const std::string& id,
                            app::LocalSettings settings, server::DashboardServer* dashboard) {
  const auto campaign = store.Find(id);
  if (!campaign) return campaign.error();
  Shown shown = ShowOn(dashboard, *campaign, shell.clock);
  auto ran = RunShown(shell, store, *campaign, std::move(settings), shown);
  shown.show.reset();  // Shows how it ended.
  if (!ran) {
    // The page must still show, after "Restore now", that all is back.
    if (shown.control && shown.control->was_abandoned()) KeepShowing(shell);
    return ran.error();
  }
  auto told = TellVerdict(shell, store, id);
  if (told && dashboard != nullptr) KeepShowing(shell);
  return told;
}

}  // namespace hone::cli

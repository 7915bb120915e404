// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "hone/app/campaign/replay.h"
#include "hone/app/plan/campaign_chat.h"
#include "hone/app/stored/stored_run.h"
#include "hone/base/json/json.h"
#include "hone/cli/verbs.h"
#include "hone/cli/verbs/run_flags.h"
#include "hone/tune/campaign/words.h"

namespace hone::cli {
namespace {

std::string DecisionsText(std::size_t count) {
  return tune::CountText(static_cast<std::int64_t>(count), "decision");
}

std::string ReplayText(const std::string& id, const app::ReplayResult& replay, const Ink& ink) {
  if (!replay.divergence.empty()) {
    return fmt::format("{} {} of {} of {} came out the same; then: {}\n", ink.Bad("Diverged:"),
                       replay.reproduced, DecisionsText(replay.stored), id, replay.divergence);
  }
  return fmt::format("{} all {} of {} came out the same{}.\n", ink.Good("Reproduced:"),
                     DecisionsText(replay.stored), id,
                     replay.is_done ? "" : ", as far as it got; it has no verdict yet");
}

Result<ExitCode> TellReplay(Shell& shell, const std::string& run) {
  const auto history = app::LoadRun(shell.store, shell.clock, run);
  if (!history) return history.error();
  auto evaluations = EvaluationStore::Open(shell.store);
  if (!evaluations) return evaluations.error();
  const auto replay = app::Replay(
      *history, *evaluations,
      app::WithRecordedChat(shell.builtins.proposers,
                            {.store = shell.store, .campaign = history->campaign.id}, shell.clock));
  if (!replay) return replay.error();
  const std::string& id = history->campaign.id;
  if (shell.wants_json) {
    shell.console.out << Dump({{"id", id},
                               {"stored", replay->stored},
                               {"reproduced", replay->reproduced},
                               {"is_done", replay->is_done},
                               {"divergence", replay->divergence}})
                      << '\n';
  } else {
    shell.console.out << ReplayText(id, *replay, shell.console.out_ink);
  }
  return replay->divergence.empty() ? ExitCode::kYes : ExitCode::kNo;
}

}  // namespace

Verb MakeReplayVerb() {
  const auto run = std::make_shared<std::string>();
  Verb verb;
  verb.name = "replay";
  verb.summary = "decides a campaign again from its seed and stored samples";
  verb.description =
      "Runs nothing: a fresh proposer with the same seed sees the stored samples and must\n"
      "decide the same. Exit status 1 if it does not; both decisions are then shown. What a\n"
      "language model answered is read from the store: no endpoint is asked.";
  verb.flags = {RunOperand(*run)};
  verb.examples = {{"hone replay last", "Check that the newest campaign can be reproduced."}};
  verb.run = [run](Shell& shell) { return TellReplay(shell, *run); };
  return verb;
}

}  // namespace hone::cli

// SPDX-License-Identifier: Apache-2.0
#include "hone/app/campaign/replay.h"

#include <algorithm>
#include <map>
#include <utility>

#include "hone/app/campaign/local_campaign.h"
#include "hone/tune/campaign/campaign.h"
#include "hone/tune/campaign/recorded_queue.h"

namespace hone::app {
namespace {

using Settlements = std::map<TaskId, Settlement>;

void AddDrop(Settlements& settled, const TaskId& task) {
  settled.emplace(task, Settlement{Settlement::Drop{Dropped::kCancelled, "it was interrupted"}});
}

// "toy-7/proof/0~2" was tried under two other ids before, which ended without an evaluation.
void AddEarlierLives(Settlements& settled, const TaskId& task) {
  const auto [first, lives] = tune::LifeOf(task);
  for (int life = 0; life < lives; ++life) AddDrop(settled, tune::InLife(first, life));
}

// The round of each trial that was ordered but not finished, because of a Ctrl-C.
Result<void> AddInterrupted(Settlements& settled, const tune::CampaignHistory& history,
                            EvaluationStore& evaluations) {
  std::map<std::int64_t, std::int64_t> rounds;
  for (std::int64_t trial = 0; trial < tune::CountAsked(history); ++trial) rounds[trial] = 0;
  for (const tune::HistoryBlock& block : history.blocks) {
    const auto id = tune::ParseBlockId(block.name);
    if (id && id->phase == tune::BlockPhase::kTrial) ++rounds[id->number];
  }
  for (const auto& [trial, round] : rounds) {
    const TaskId id = tune::TaskIdOf(history.campaign.id, {tune::BlockPhase::kTrial, trial, round});
    const auto task = evaluations.FindTask(id);
    if (!task) return task.error();
    if (*task) AddDrop(settled, id);
  }
  return {};
}

Result<Settlements> SettlementsOf(const tune::CampaignHistory& history,
                                  EvaluationStore& evaluations) {
  Settlements settled;
  for (const tune::HistoryBlock& block : history.blocks) {
    settled.emplace(block.evaluation.task, Settlement{block.evaluation});
    AddEarlierLives(settled, block.evaluation.task);
  }
  if (auto added = AddInterrupted(settled, history, evaluations); !added) return added.error();
  return settled;
}

}  // namespace

Result<ReplayResult> Replay(const tune::CampaignHistory& history, EvaluationStore& evaluations,
                            const tune::ProposerTable& proposers) {
  const tune::CampaignStart& start = history.campaign.start;
  auto settled = SettlementsOf(history, evaluations);
  if (!settled) return settled.error();
  const auto queue = tune::MakeRecordedQueue(std::move(*settled));
  auto proposer = MakeProposer(proposers, start);
  if (!proposer) return proposer.error();
  std::vector<tune::Decision> decisions;
  for (const tune::StoredDecision& stored : history.decisions) decisions.push_back(stored.decision);

  ReplayResult result;
  result.stored = decisions.size();
  result.is_done = history.campaign.state == tune::CampaignState::kDone;
  tune::Ledger ledger(std::move(decisions));
  const auto verdict = tune::RunCampaign({.id = history.campaign.id,
                                          .spec = start.spec,
                                          .space = start.space,
                                          .baseline = start.baseline,
                                          .needs = start.needs,
                                          .proposer = **proposer,
                                          .queue = *queue,
                                          .ledger = ledger,
                                          .progress = nullptr,
                                          .wrap_up = {},
                                          .abandon = {},
                                          .has_prices = !start.prices.empty()});
  result.reproduced = std::min(ledger.position(), result.stored);
  // An unfinished campaign ends where its evaluations end.
  const bool is_at_end = !result.is_done && ledger.IsPastStored();
  if (!verdict && !is_at_end) result.divergence = verdict.error().message;
  return result;
}

}  // namespace hone::app

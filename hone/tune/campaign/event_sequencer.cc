// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/event_sequencer.h"

#include <algorithm>
#include <utility>

namespace hone::tune {
namespace {

constexpr std::int64_t kFinals = -1;

std::int64_t RoundIn(const BlockId& id) {
  return id.phase == BlockPhase::kFinals ? kFinals : id.round;
}

}  // namespace

void EventSequencer::Add(HistoryBlock block) {
  const std::int64_t position = block.position;
  waiting_.emplace(position, std::move(block));
}

void EventSequencer::Add(const StoredDecision& stored) {
  const Decision& decision = stored.decision;
  if (Is(decision, DecisionKind::kStop)) is_stopped_ = true;
  if (const auto ask = ReadAsk(decision)) {
    TrialHistory& trial = trials_[ask->trial];
    trial.number = ask->trial;
    AddTo(trial, decision);
  } else if (const auto race = ReadRace(decision)) {
    judgements_.insert_or_assign(Key{race->trial, race->round}, stored);
  } else if (const auto favourite = ReadFinal(decision)) {
    judgements_.insert_or_assign(Key{favourite->trial, kFinals}, stored);
  }
}

void EventSequencer::Emit(const Visit& visit) {
  bool goes_on = true;
  while (goes_on) goes_on = awaited_ ? TellTrial(visit) : TellBlock(visit);
  if (!is_done_ || is_told_) return;
  is_told_ = true;
  visit({.kind = CampaignEvent::Kind::kVerdict});
}

bool EventSequencer::TellTrial(const Visit& visit) {
  const auto found = judgements_.find(*awaited_);
  if (found == judgements_.end()) {
    const bool is_of_search = awaited_->second != kFinals;
    if (!is_done_ && !(is_stopped_ && is_of_search)) return false;
    awaited_.reset();  // The search was stopped before it looked at the block.
    return true;
  }
  TrialHistory& trial = trials_[awaited_->first];
  AddTo(trial, found->second.decision);
  TrialHistory shown = trial;
  const bool is_sound = shown.outcome == Outcome::kAccepted && !shown.numbers.rewards.empty();
  if (!is_sound) shown.reward.reset();
  best_.Add(shown.number, shown.is_within_limits ? shown.reward : std::nullopt);
  visit({.kind = CampaignEvent::Kind::kTrial,
         .trial = &shown,
         .at = found->second.at,
         .best = best_.trial()});
  judgements_.erase(found);
  awaited_.reset();
  return true;
}

bool EventSequencer::TellBlock(const Visit& visit) {
  if (waiting_.empty()) return false;
  const auto first = waiting_.begin();
  const bool is_next = first->first <= position_;
  if (!is_next && !is_stopped_ && !is_done_) return false;
  const HistoryBlock block = std::move(first->second);
  waiting_.erase(first);
  position_ = std::max(position_, block.position + block.runs);
  visit({.kind = CampaignEvent::Kind::kBlock, .block = &block});
  const auto id = ParseBlockId(block.name);
  if (const auto number = id ? id->Trial() : std::nullopt) {
    TrialHistory& trial = trials_[*number];
    trial.number = *number;
    AddTo(trial, rule_, block);
    awaited_ = {*number, RoundIn(*id)};
  }
  return true;
}

}  // namespace hone::tune

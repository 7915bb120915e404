// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/event_sequencer.h"

#include <charconv>
#include <utility>

namespace hone::tune {
namespace {

constexpr std::int64_t kFinals = -1;

// 2 of "trial/7/2".
std::int64_t RoundOf(const HistoryBlock& block) {
  if (PhaseOf(block) == "finals") return kFinals;
  std::int64_t round = 0;
  const auto slash = block.name.rfind('/');
  std::from_chars(block.name.data() + slash + 1, block.name.data() + block.name.size(), round);
  return round;
}

}  // namespace

void EventSequencer::Add(HistoryBlock block) {
  const std::int64_t position = block.position;
  waiting_.emplace(position, std::move(block));
}

void EventSequencer::Add(const StoredDecision& stored) {
  const Decision& decision = stored.decision;
  if (decision.kind == "stop") is_stopped_ = true;
  const auto number = TrialOf(decision);
  if (!number) return;
  if (decision.kind == "ask") {
    TrialHistory& trial = trials_[*number];
    trial.number = *number;
    AddTo(trial, decision);
    return;
  }
  JsonReader choice(decision.choice, decision.kind);
  const std::int64_t round = decision.kind == "final" ? kFinals : choice.At("round").Integer();
  if (choice.Finish()) judgements_.insert_or_assign(Key{*number, round}, stored);
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
  visit({.kind = CampaignEvent::Kind::kTrial, .trial = &shown, .at = found->second.at});
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
  if (const auto number = TrialOf(block)) {
    TrialHistory& trial = trials_[*number];
    trial.number = *number;
    AddTo(trial, rule_, block);
    awaited_ = {*number, RoundOf(block)};
  }
  return true;
}

}  // namespace hone::tune

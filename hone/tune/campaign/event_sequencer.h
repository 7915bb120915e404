// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "hone/tune/campaign/best_so_far.h"
#include "hone/tune/campaign/campaign_history.h"

namespace hone::tune {

// Something that happened in a campaign, for those who look on.
struct CampaignEvent {
  enum class Kind { kBlock, kTrial, kVerdict };
  Kind kind = Kind::kBlock;
  const HistoryBlock* block = nullptr;    // Of kBlock.
  const TrialHistory* trial = nullptr;    // Of kTrial: as the campaign judged it then.
  WallTime at = {};                       // Of kTrial: when.
  std::optional<std::int64_t> best = {};  // Of kTrial: the best trial so far, with this one.
};

// Tells what happened in a campaign, in the one order that follows from what is stored, however
// often and however much at a time it is read: comparisons in the order in which they were planned,
// and behind each one what the campaign made of its trial. What was told never changes its place.
//
// Evaluations may be settled in another order, by several workers: one whose predecessor is missing
// waits, unless the predecessor was called off. Not safe for concurrent use.
class EventSequencer {
 public:
  using Visit = std::function<void(const CampaignEvent&)>;

  explicit EventSequencer(RewardRule rule) : rule_(std::move(rule)) {}

  // Everything that is stored is added once, decisions in their order. Before Tell is called, all
  // evaluations that were stored when the newest decision was must have been added.
  void Add(HistoryBlock block);
  void Add(const StoredDecision& decision);
  void Finish() { is_done_ = true; }  // There is a verdict, and all before it was added.

  // Tells what can be told now and was not.
  void Emit(const Visit& visit);

 private:
  using Key = std::pair<std::int64_t, std::int64_t>;  // A trial and its round; -1: the finals.

  bool TellTrial(const Visit& visit);  // False: the decision has yet to come.
  bool TellBlock(const Visit& visit);

  const RewardRule rule_;
  std::multimap<std::int64_t, HistoryBlock> waiting_;  // By position.
  std::map<Key, StoredDecision> judgements_;           // Not told yet.
  std::map<std::int64_t, TrialHistory> trials_;
  BestSoFar best_;
  std::optional<Key> awaited_;  // The judgement that comes next.
  std::int64_t position_ = 0;   // Of the block that comes next.
  bool is_stopped_ = false;     // The search has ended: what is missing of it was called off.
  bool is_done_ = false;
  bool is_told_ = false;  // The verdict.
};

}  // namespace hone::tune

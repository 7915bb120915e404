// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "hone/core/space.h"
#include "hone/tune/campaign/best_so_far.h"
#include "hone/tune/campaign/conclusion.h"
#include "hone/tune/campaign/search_book.h"
#include "hone/tune/campaign/stage.h"
#include "hone/tune/proposers/proposer.h"

namespace hone::tune {

// Before so many trials a search does not believe that little more is to be expected: a model that
// has seen little is sure of much.
inline constexpr std::int64_t kMinTrials = 12;

// A search over this space that was cut short before so many of the planned trials has not tried
// enough to say that there is no gain: the trials that show each coordinate at other values, but no
// more than half of the plan, and no fewer than kMinTrials.
std::int64_t EnoughTrials(const Space& space, std::int64_t planned);

// Asks the proposer, races its candidates in pairs against the baseline, tells it what came out,
// until there is a reason to stop. Not safe for concurrent use.
class Search {
 public:
  // `wrap_up` ends the search between two blocks and keeps what there is.
  Search(Stage& stage, Proposer& proposer, std::vector<double> gate_rewards,
         std::stop_token wrap_up);

  // Records why it stopped; an Error is a failure of the service.
  Result<void> Run();

  // More pairs for the proposer's favourites, so that the choice among them is a good one. Then
  // the best by belief, best first; empty if none is believed to beat the baseline.
  Result<std::vector<Recommendation>> ChooseFinalists();

  const SearchBook& book() const { return book_; }

  // What it did. It is enough to say that there is no gain unless the search was cut short before
  // it had tried as much as it takes to believe that there is little more to be expected.
  SearchTally Tally() const;

 private:
  bool was_interrupted() const;
  Result<std::optional<std::string>> ReasonToStop();
  Result<std::vector<std::int64_t>> AskBatch();
  // False if it was interrupted.
  Result<bool> RaceBatch(std::vector<std::int64_t> numbers);
  // Those that get more pairs; nullopt if it was interrupted.
  Result<std::optional<std::vector<std::int64_t>>> FinishRound(
      const std::vector<std::int64_t>& numbers, int round);
  Result<void> Stop(const std::string& reason);
  Result<void> KeepLearnt();
  std::int64_t NumberOf(const Candidate& candidate);
  void ShowCurrent(std::int64_t number, const Trial& trial, const PairBlock& block);
  void UpdateBest(std::int64_t number, const Trial& trial);

  Stage& stage_;
  Proposer& proposer_;
  SearchBook book_;
  BestSoFar best_;
  std::stop_token wrap_up_;
  std::string stop_reason_;
  std::string kept_;     // Of what the proposer learnt, as last handed on.
  SearchTally tally_;    // But for how it ended.
  int dull_rounds_ = 0;  // In a row in which little more was expected.
};

}  // namespace hone::tune

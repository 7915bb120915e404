// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hone/core/reward.h"
#include "hone/tune/campaign/pair_runner.h"
#include "hone/tune/proposers/proposer.h"

namespace hone::tune {

// The paired numbers of one comparison: what a rule makes of its pairs.
struct PairNumbers {
  std::vector<double> rewards;                  // One a pair.
  std::vector<std::vector<double>> objectives;  // By objective, one log-ratio a pair.
  std::vector<std::vector<double>> margins;     // By limit, one a pair.

  void Append(const PairNumbers& more);
};

// An Error names a metric without which the rule cannot be computed.
Result<PairNumbers> NumbersOf(const RewardRule& rule, const std::vector<SamplePair>& pairs);

// What the search has seen so far: every trial's pairs, and the noise over all of them.
//
// The standard error of a trial of two pairs cannot come from those two; it comes from the spread
// of all pairs around their own trial's centre, the A/A gate's included.
class SearchBook {
 public:
  // `gate_rewards` are the rewards of the A/A pairs.
  SearchBook(RewardRule rule, std::vector<double> gate_rewards);

  // Opens a trial and returns its number, counted from 0.
  std::int64_t Open(const Candidate& candidate);

  // Adds a block of pairs to the trial. A candidate whose metrics the rule cannot use is `wrong`.
  void Add(std::int64_t number, const PairBlock& block);

  Trial Get(std::int64_t number) const;
  std::int64_t size() const { return static_cast<std::int64_t>(entries_.size()); }
  const PairNumbers& NumbersFor(std::int64_t number) const;
  std::int64_t pairs() const { return pairs_; }  // Of all trials.

  // The standard deviation of one pair's reward, robust and never 0.
  double Noise() const { return noise_; }

  // The same of the noisiest objective, over the trials.
  double ObjectiveNoise() const;

  std::vector<Estimate> Rewards() const;  // Of the trials that ran.

  // The highest reward that a trial other than `number` surely reaches (mean less one standard
  // error); at least 0, which is the baseline's.
  double SureBest(std::int64_t number) const;

  // Whether anything moves the metric: the p-value of the hypothesis that all trials and the A/A
  // pairs come from one distribution (Kruskal and Wallis). 0 if a candidate failed.
  double SensitivityP() const;

 private:
  struct Entry {
    Candidate candidate;
    Outcome outcome = Outcome::kAccepted;
    std::string reason;  // Of that outcome.
    PairNumbers numbers;
    std::map<std::string, double> observation_sums;
    std::int64_t runs = 0;
  };

  static bool IsSound(const Entry& entry);  // Accepted, and measured at least once.
  static bool IsWithinLimits(const Entry& entry);
  void UpdateNoise();

  RewardRule rule_;
  std::vector<double> gate_rewards_;
  std::vector<Entry> entries_;
  std::int64_t pairs_ = 0;
  double noise_ = 0;
  std::vector<double> objective_noise_;
};

}  // namespace hone::tune

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hone/tune/campaign/search_book.h"
#include "hone/tune/campaign/stage.h"
#include "hone/tune/campaign/verdict.h"

namespace hone::tune {

// Pairs measured for one comparison, in blocks small enough that a kill loses little.
struct Measured {
  PairNumbers numbers;
  std::string failure;          // Why the candidate was not accepted; empty if it was.
  bool is_interrupted = false;  // It was stopped; what there was before is kept.
};

// Measures `pairs` fresh pairs, in blocks that count the rounds of the order's id. `enough`, if
// given, is asked after each block and may end it early; it must be a test that stays valid when
// looked at continuously.
Result<Measured> MeasurePairs(Stage& stage, const PairOrder& order,
                              const std::function<bool(const PairNumbers&)>& enough = nullptr);

// What the pairs say of the candidate.
Proof JudgeProof(const RewardRule& rule, const Measured& measured, double confidence);

// Measures the candidate against the baseline on fresh pairs and judges it. The number of pairs is
// fixed beforehand, so the p-value means what it says.
// `id` without its round, which counts the blocks.
Result<Proof> Prove(Stage& stage, const BlockId& id, const Candidate& candidate, std::int64_t pairs,
                    const ProofSettings& settings);

// What was measured first, in between and last, side by side, and whether it differs by more than
// chance explains: one sentence or two. Empty where there are too few pairs to say.
std::string MovedText(const RewardRule& rule, const std::vector<double>& rewards,
                      std::chrono::milliseconds over);

// How many pairs prove a gain of `expected` (a log-ratio, taken with caution) at this noise.
std::int64_t ProofPairs(const ProofSettings& settings, double expected, double noise);

// How many pairs each point of a front gets.
std::int64_t FrontPairs(const ProofSettings& settings);

// The smallest gain in one objective that the proofs of a front find in 8 of 10 such fronts, where
// so many points are proven and the noisiest objective has this noise: each is looked at, and each
// objective of each.
double DetectableInFront(const CampaignSpec& spec, std::int64_t points, double noise);

// How many pairs a comparison gets: enough to see the least gain of interest, within the bounds.
std::int64_t ComparisonPairs(const ProofSettings& settings, double noise);

}  // namespace hone::tune

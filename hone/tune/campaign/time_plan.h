// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "hone/tune/campaign/campaign_spec.h"

namespace hone::tune {

// How the time for a whole campaign (CampaignSpec::max_time) is divided, once it is known or
// guessed what a pair of runs takes. All of it follows from the spec and the gate's measurements.
struct TimePlan {
  bool fits = true;                         // The gate, the smallest search and the smallest proof.
  std::chrono::microseconds needed{0};      // For these three.
  std::int64_t pairs = 0;                   // In all, the gate's included.
  std::int64_t search_pairs = 0;            // About; the rest is for finals, proof and ablation.
  std::chrono::microseconds search_end{0};  // Measuring time at which the search ends.
};

TimePlan PlanTime(const CampaignSpec& spec, std::chrono::microseconds pair_time);

// How many more pairs fit after so much measuring.
std::int64_t PairsLeft(const CampaignSpec& spec, std::chrono::microseconds pair_time,
                       std::chrono::microseconds measured);

// The settings of finals and proof that fit into so many pairs; never below the smallest.
ProofSettings FitFinals(const CampaignSpec& spec, std::int64_t pairs_left);
ProofSettings FitProof(const CampaignSpec& spec, std::int64_t pairs_left);

// The same for the ablation of so many changes and the second proof after it, of `proof_pairs`. It
// is left out where it does not fit.
ProofSettings FitAblation(const CampaignSpec& spec, std::int64_t pairs_left, std::int64_t changes,
                          std::int64_t proof_pairs);

// "the gate, 12 candidates and a proof": what needs at least TimePlan::needed.
std::string SmallestText(const CampaignSpec& spec);

// How the time is divided, or that it is too short, for people; `pair_time` as far as known.
std::string DivisionText(const CampaignSpec& spec, std::chrono::microseconds pair_time);

}  // namespace hone::tune

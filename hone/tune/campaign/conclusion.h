// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hone/core/reward.h"
#include "hone/tune/campaign/campaign_power.h"
#include "hone/tune/campaign/verdict.h"

// The sentences of a verdict, each made of what was done and of nothing else.
namespace hone::tune {

// What a search did.
struct SearchTally {
  std::int64_t planned = 0;   // Candidates, at most.
  std::int64_t finished = 0;  // Those whose race was run to its end.
  std::int64_t failed = 0;    // Of these, how many did not run,
  std::int64_t outside = 0;   // and how many ran but broke a limit.
  std::string cut_short_by;   // "the search was interrupted"; empty if it did what it set out to.
  bool is_enough = true;      // To say that there is no gain.
};

// Kind and reason where nothing was worth proving.
void ConcludeUnproven(const SearchTally& tally, const RewardRule& rule, Verdict& verdict);

// Kind and reason where the proof of the winner failed for the reason `why`.
void ConcludeUnshown(const SearchTally& tally, const std::string& why, Verdict& verdict);

// What is to be said of the limits where no proof says it: "Limits: p99_ms <= 20; kept by 3 of 12
// candidates.". Empty if there are none.
std::string LimitsNote(const SearchTally& tally, const RewardRule& rule);

// "The search was interrupted after 3 of at most 40 candidates."; empty if it was not cut short.
std::string CutShortText(const SearchTally& tally);

// What such campaigns can find at all.
std::string FindableText(const RewardRule& rule, const FindableOptimum& findable);

// Whether every limit was shown to hold.
bool KeepsLimits(const Proof& proof);

// Why no point of a front is a gain: none beats the baseline, or those that do break limits.
std::string WhyNoPoint(const std::vector<Proof>& front, double confidence);

// Takes out of a front what another of its points beats: at least as good in every objective,
// better in one, within the limits. A proven gain only yields to another proven gain. Returns how
// many went.
std::int64_t DropDominated(std::vector<Proof>& front);
std::string DominatedNote(std::int64_t dropped);

// What it means that candidates could not be told from the baseline run again and again.
struct Insensitivity {
  double p_value = 1;
  std::vector<Estimate> rewards;  // Of every candidate.
  double min_gain = 0;            // A smaller one is of no interest.
  bool is_enough = true;          // Enough was tried to say something of the parameters.
};
std::string InsensitivityText(const RewardRule& rule, const Insensitivity& found);

}  // namespace hone::tune

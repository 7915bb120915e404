// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/rng.h"
#include "hone/tune/campaign/campaign_history.h"
#include "hone/tune/campaign/verdict.h"

namespace hone::tune {

// Makes up histories of campaigns, for the tests of what shows them. The runs of a block have noise
// of 2 %, and the candidate's throughput is exp(gain) times the baseline's.
class HistoryBuilder {
 public:
  // One objective, throughput, unless a second one is asked for: latency, lower is better.
  explicit HistoryBuilder(bool has_latency = false);

  static Candidate CandidateWith(std::int64_t threads);

  HistoryBlock& AddBlock(const std::string& name, const Candidate& candidate, double gain,
                         std::int64_t pairs);
  // The block, and what the campaign records about it.
  void AddTrial(std::int64_t number, double gain);
  void AddFailedTrial(std::int64_t number, Outcome outcome, const std::string& reason);
  void Decide(const std::string& kind, Json choice, Json grounds);

  // A proof with the pairs of the phase's blocks.
  Proof ProofFrom(BlockPhase phase, const Candidate& candidate) const;
  void Finish(const Verdict& verdict);

  CampaignHistory& history() { return history_; }

  // A gate, five trials of which one failed, a proof, an ablation, a gain.
  static CampaignHistory Gain();

 private:
  Sample MakeSample(Arm arm, double gain);

  CampaignHistory history_;
  Rng rng_{7};
  bool has_latency_;
  std::int64_t position_ = 0;
};

}  // namespace hone::tune

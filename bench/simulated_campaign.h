// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hone/core/space.h"
#include "hone/tune/campaign/campaign_spec.h"
#include "hone/tune/campaign/gate.h"
#include "hone/tune/campaign/verdict.h"

namespace hone {

// Metrics without noise; none: the run crashes.
using SimulatedTruth = std::function<std::map<std::string, double>(const Assignment&)>;

// A campaign with `bayes` on a system whose truth is known. No process, no thread; only the parts
// of a proof that is spread over time look at a clock, and nothing waits for it.
struct SimulatedCampaign {
  Space space;
  SimulatedTruth truth;
  SimulatedTruth truth_in_proof = nullptr;  // From the proof of a winner on; null: the same.
  double noise = 0;   // Standard deviation of the logarithm of a run's metrics, each its own.
  double drift = 0;   // Logarithm by which all metrics rise over the gate's runs; then they stay.
  double wander = 0;  // Standard deviation of a level that neighbouring runs share.
  std::chrono::milliseconds run_time{1};
  tune::CampaignSpec spec;
  int wrap_up_after = -1;  // Interrupted after so many evaluations; -1: never.
  std::string mark;        // Of this share of the runs.
  double marked_share = 1;
};

struct SimulatedOutcome {
  tune::Verdict verdict;
  std::vector<Assignment> tried;         // Other than the baseline, each once, search and proof.
  std::optional<tune::GateReport> gate;  // None where the benchmark does not run.
  std::int64_t races = 0;                // Candidates whose race came to its end.
  std::optional<Assignment> winner;      // As it was put to its first proof.
  bool was_reduced = false;              // A second proof was made, of a part of it.
  std::vector<Assignment> front;         // What was put to the proof of a front.
};

SimulatedOutcome Simulate(const SimulatedCampaign& campaign);

// work(0) to work(count - 1), on all processors.
void ForEachAtOnce(int count, const std::function<void(int)>& work);

}  // namespace hone

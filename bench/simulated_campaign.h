// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "hone/core/space.h"
#include "hone/tune/campaign/campaign_spec.h"
#include "hone/tune/campaign/verdict.h"

namespace hone {

// A campaign with `bayes` on a system whose truth is known. No process, no thread, no clock.
struct SimulatedCampaign {
  Space space;
  std::function<std::map<std::string, double>(const Assignment&)> truth;  // Metrics without noise.
  double noise = 0;  // Standard deviation of the logarithm of a run's metrics, each its own.
  tune::CampaignSpec spec;
  int wrap_up_after = -1;  // Interrupted after so many evaluations; -1: never.
  std::string mark;        // Of every run.
};

struct SimulatedOutcome {
  tune::Verdict verdict;
  std::vector<Assignment> tried;      // Other than the baseline, each once, search and proof.
  std::vector<std::string> warnings;  // Of the gate.
  std::int64_t races = 0;             // Candidates whose race came to its end.
};

SimulatedOutcome Simulate(const SimulatedCampaign& campaign);

// work(0) to work(count - 1), on all processors.
void ForEachAtOnce(int count, const std::function<void(int)>& work);

}  // namespace hone

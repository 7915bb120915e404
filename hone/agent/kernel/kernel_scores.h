// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hone/agent/kernel/kernel_attempt.h"

namespace hone::agent {

// The chance that at least one of k samples is right, of which c among n were:
//   1 - C(n - c, k) / C(n, k)
// without bias (Chen et al., "Evaluating large language models trained on code", 2021). k is at
// most n.
double PassAtK(std::int64_t n, std::int64_t c, std::int64_t k);

// How many of the lines had a kernel at least so fast by the end of a round.
struct FastShare {
  double threshold = 1;
  double by_estimate = 0;     // As KernelBench counts it.
  double by_lower_bound = 0;  // Where that is sure.
};

struct RoundScores {
  std::int64_t round = 0;
  double accepted = 0;  // The share of lines with an accepted attempt by then.
  std::vector<FastShare> fast = {};
};

struct KernelScores {
  std::int64_t attempts = 0;
  double with_source = 0;  // Of the attempts: an answer with code in it.
  double built = 0;        // That compiled.
  double accepted = 0;
  std::vector<RoundScores> rounds;
  std::vector<double> pass_at;  // [k - 1], over the first round's samples of each problem.
};

// Of the searches of several problems; each is one line of attempts per sample. `thresholds` are
// speedups: 1, 1.2, 1.5, 2, 3.
KernelScores ScoresOf(const std::vector<std::vector<KernelAttempt>>& problems,
                      const std::vector<double>& thresholds);

}  // namespace hone::agent

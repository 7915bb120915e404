// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hone/core/evaluation.h"
#include "hone/core/result.h"
#include "hone/eval/queue/queue_words.h"

// The rewards and selections of Dr.Kernel (hkust-nlp/KernelGYM, drkernel/) by their names, fed by
// our evaluations. All are pure. Where a number is missing the result is an Error, never 0. They
// are here whole, for whoever trains: Hone itself puts PR into episodes and audits the rewards and
// PRS.
namespace hone::agent {

// What its rewards read.
struct KernelFacts {
  bool is_compiled = false;
  bool is_correct = false;
  bool is_decoy = false;                             // It was caught cheating.
  std::optional<double> speedup = std::nullopt;      // Over the reference; none if not timed.
  std::optional<double> speedup_low = std::nullopt;  // Two standard errors below.
  std::optional<double> coverage = std::nullopt;     // Of the run time by its own kernels, 0 to 1;
                                                     // none where nothing was profiled.
  bool operator==(const KernelFacts&) const = default;
};

// Reads the metrics "speedup" and "coverage" of the evaluation. kInvalidArgument: rejected before
// it was judged; kCorrupt: a number that cannot be.
Result<KernelFacts> KernelFactsOf(const Evaluation& evaluation);

// kUnavailable: the task ended without an evaluation; the service failed, not the kernel.
Result<KernelFacts> KernelFactsOf(const Settlement& settlement);

// Weights of PR, as released.
struct PrSettings {
  double correct = 0.5;
  double speedup = 0.5;
  double coverage = 0.5;
  double max_speedup = 3;
  double min_speedup = 0;         // Below it the speedup counts 0.
  double failure_reward = 0;      // Not compiled, crashed, or a decoy.
  bool uses_lower_bound = false;  // Ours: the speedup that is shown takes the estimate's place.
};

// PR (profiling-based reward):
//   r = a [correct] + b min(speedup, 3) + c [correct] coverage; a = b = c = 0.5, at most 2.5
// kUnsupported: a correct kernel without a coverage while c > 0; one that was not timed while b >
// 0.
Result<double> PrReward(const KernelFacts& facts, const PrSettings& settings = {});

// calculate_reward_weighted: 0.5 [correct] + 0.5 [speedup >= 1.01]; a failure or a decoy 0.
Result<double> WeightedReward(const KernelFacts& facts);

// calculate_reward_like_kernel: -1 a decoy, -0.5 not compiled, -0.3 wrong, -0.1 slower than the
// reference, then 0.2, 0.4, 0.6, 0.8, 1 from 1, 1.2, 1.5, 2 and 3 times its speed on.
Result<double> LadderReward(const KernelFacts& facts);

// PRS (profiling-based rejection sampling): the chance with which a turn is kept for training,
//   clip((coverage - 0.3) / 0.1, 0, 1) if it is correct and no decoy; else 1.
// kUnsupported: correct, but not profiled.
Result<double> PrsKeepProbability(const KernelFacts& facts, double threshold = 0.3,
                                  double width = 0.1);

// Which turns of an episode are trained on: the first always; a later one unless an earlier one had
// a reward above 0 and this has none. What is dropped gets reward 0 before returns are formed.
std::vector<bool> TurnLossMask(const std::vector<double>& rewards);

// G_k = r_k + gamma G_(k+1)
std::vector<double> ReturnsOf(const std::vector<double>& rewards, double gamma = 1);

// One turn of one sample.
struct TurnReturn {
  std::string prompt;      // Which problem: samples of one prompt are compared.
  std::int64_t turn = 0;   // Turns of one number are compared.
  double value = 0;        // G_k
  bool is_counted = true;  // By the mask; what is not has no advantage and is in no baseline.
};

// TRLOO (turn-level REINFORCE leave-one-out): in the group of one prompt and one turn
//   A = G - mean of the others = n / (n - 1) (G - mean); the only one of its group keeps G.
// In the order given; 0 for what is not counted.
std::vector<double> TrlooAdvantages(const std::vector<TurnReturn>& turns);

// Log-probabilities of the sampled tokens of one turn: by the trainer, and by the sampler.
struct TurnTokens {
  std::vector<double> trainer;
  std::vector<double> sampler;
};

struct MrsSettings {
  double lowest = 0.999;
  double highest = 1.001;
  double veto = 1e-4;  // One token less likely than this by the trainer drops its turn.
};

// MRS (mismatch rejection sampling): with rho = exp(mean over all tokens of all turns of
// (trainer - sampler)), the exponent within 20, all turns are dropped unless lowest <= rho <=
// highest; a turn with a vetoed token is dropped alone. kInvalidArgument: lengths differ, a number
// is not finite, there is no token.
Result<std::vector<bool>> MrsKeep(const std::vector<TurnTokens>& turns,
                                  const MrsSettings& settings = {});

// Groups whose last rewards hardly differ (standard deviation, n - 1, below the limit) teach
// nothing and are left out; a group of one too.
bool IsGroupKept(const std::vector<double>& last_rewards, double min_deviation = 1e-3);

}  // namespace hone::agent

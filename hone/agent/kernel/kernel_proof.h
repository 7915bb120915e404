// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "hone/agent/kernel/kernel_attempt.h"
#include "hone/agent/kernel/kernel_search.h"
#include "hone/base/json/json.h"

namespace hone::agent {

// So many attempts are judged again at most, until one is accepted again.
inline constexpr std::size_t kMaxProofs = 3;

// An attempt that the search accepted and its fresh judgement did not.
struct FallenKernel {
  KernelAttempt attempt;
  KernelVerdict fresh;
};

// The best of a search, judged again on fresh runs: only these count.
struct KernelProof {
  // With what the search saw of it, which is too good on average. None: the search accepted
  // nothing, or all that were judged again fell.
  std::optional<KernelAttempt> winner = std::nullopt;
  std::optional<KernelVerdict> fresh = std::nullopt;  // Of the winner; none: it was not judged.
  std::string why_not = {};                           // It was not judged.
  std::vector<FallenKernel> fallen = {};              // Were better in the search; best first.

  bool IsGain() const { return winner && fresh && fresh->speedup && fresh->speedup->low > 1; }
};

// Judges the best attempt again, and the next best of another source where that falls. A verdict
// that the judge does not give, or that `stop` takes away, leaves the winner without one.
KernelProof ProveBest(const KernelSearchResult& result, const KernelJudging& judge,
                      const std::stop_token& stop);

// As the line `proof` of a log has it.
Json ToJson(const KernelProof& proof);

}  // namespace hone::agent

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "hone/app/builtins.h"
#include "hone/core/result.h"
#include "hone/eval/sqlite/evaluation_store.h"
#include "hone/tune/campaign/campaign_history.h"

namespace hone::app {

struct ReplayResult {
  std::size_t stored = 0;      // Decisions.
  std::size_t reproduced = 0;  // The first so many came out the same.
  bool is_done = false;        // The campaign had reached its verdict.
  std::string divergence;      // What came out otherwise; empty if nothing did.
};

// Decides everything again from the stored evaluations, with a fresh proposer; nothing is run.
Result<ReplayResult> Replay(const tune::CampaignHistory& history, EvaluationStore& evaluations,
                            const tune::ProposerTable& proposers);

}  // namespace hone::app

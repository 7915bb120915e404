// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bench/proposers_arena.h"
#include "hone/core/result.h"
#include "hone/tune/proposers/proposer.h"

namespace hone {

struct ArenaCampaign {
  std::vector<tune::Trial> trials;
  std::chrono::nanoseconds spent{0};  // In asking and telling.
};

// All trials of one proposer on one surface, one run each.
Result<ArenaCampaign> PlayIn(Arena& arena, tune::Proposer& proposer, int budget);

// What the proposer may depend on. The arena outlives it.
tune::ProposerSettings SettingsFor(const Arena& arena, std::uint64_t seed, int budget,
                                   std::map<std::string, std::string> options = {});

// The true value of what the proposer recommends now; 0, that of the baseline, if that is nothing.
Result<double> JudgeIn(const Arena& arena, tune::Proposer& proposer);

}  // namespace hone

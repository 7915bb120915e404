// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hone/core/result.h"
#include "hone/learn/campaign_policy.h"
#include "hone/learn/ppo_settings.h"
#include "hone/tune/proposers/proposer.h"

namespace hone::learn {

// How the proposer ppo is set up; ppo_proposer.h names its options.
struct TuningOptions {
  PpoSettings ppo;
  std::int64_t steps_per_episode = 0;  // 0: one episode.
  std::int64_t wait_timeout = 6;       // Updates; 0: without end.
  std::optional<CampaignPolicy> initial_policy;
  std::string history;  // As HistoryText writes it; empty: none.
};

// An Error names the option, what was found and what is allowed.
Result<TuningOptions> ReadTuningOptions(const tune::ProposerSettings& settings);

}  // namespace hone::learn

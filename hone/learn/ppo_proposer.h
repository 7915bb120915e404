// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hone/core/result.h"
#include "hone/tune/proposers/proposer.h"

namespace hone::learn {

// A policy that learns by PPO during a campaign: a Beta distribution for every number, a
// categorical one for every choice; a trial is a step. Its options are those of PPO (the older
// autotuner's n_steps, batch_size, n_epochs, learning_rate, gamma, total_timesteps among them), and
//   max_steps_per_episode   after so many steps the policy starts from the baseline again
//   patience                updates without a better mean reward until no further gain is expected
//   initial_policy          what an earlier campaign's policy learnt (Learnt): the policy begins
//                           there; its space must be that of the campaign
//   history                 trials of earlier campaigns, as HistoryText writes them: the policy is
//                           first trained on a surrogate that is fitted to them
// It recommends among what was tried, by the posterior of random search. docs/algorithms/ppo.md
Result<std::unique_ptr<tune::Proposer>> MakePpoProposer(const tune::ProposerSettings& settings);

tune::ProposerEntry PpoProposerEntry();

}  // namespace hone::learn

// SPDX-License-Identifier: Apache-2.0
#include "bench/arena_campaign.h"

#include <utility>

namespace hone {

Result<ArenaCampaign> PlayIn(Arena& arena, tune::Proposer& proposer, int budget) {
  using Clock = std::chrono::steady_clock;
  ArenaCampaign campaign;
  for (int number = 0; number < budget; ++number) {
    const auto start = Clock::now();
    auto asked = proposer.Ask();
    campaign.spent += Clock::now() - start;
    if (!asked) return asked.error();
    const Arena::Reply reply = arena.Evaluate(asked->assignment);
    tune::Trial trial;
    trial.number = number;
    trial.candidate = *asked;
    trial.outcome = reply.is_failed ? Outcome::kCrashed : Outcome::kAccepted;
    trial.reward = {.mean = reply.reward, .standard_error = arena.noise(), .count = 1};
    const auto resumed = Clock::now();
    if (auto told = proposer.Tell(trial); !told) return told.error();
    campaign.spent += Clock::now() - resumed;
    campaign.trials.push_back(std::move(trial));
  }
  return campaign;
}

tune::ProposerSettings SettingsFor(const Arena& arena, std::uint64_t seed, int budget,
                                   std::map<std::string, std::string> options) {
  return {.space = arena.space(),
          .baseline = {.assignment = arena.space().Defaults(), .source = {}},
          .seed = seed,
          .planned_trials = budget,
          .wants_front = false,
          .options = std::move(options)};
}

Result<double> JudgeIn(const Arena& arena, tune::Proposer& proposer) {
  const auto best = proposer.Recommend(1);
  if (!best) return best.error();
  return best->empty() ? 0 : arena.Judge(best->front().candidate.assignment);
}

}  // namespace hone

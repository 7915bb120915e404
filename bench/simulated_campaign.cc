// SPDX-License-Identifier: Apache-2.0
#include "bench/simulated_campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "hone/tune/campaign/campaign.h"
#include "hone/tune/campaign/decisions.h"
#include "hone/tune/campaign/gate.h"
#include "hone/tune/campaign/simulated_queue_for_test.h"
#include "hone/tune/proposers/bayes.h"

namespace hone {
namespace {

template <typename Found>
auto OrExit(Found found) {
  if (found) return *std::move(found);
  fmt::print(stderr, "a simulated campaign: {}\n", found.error().message);
  std::exit(3);
}

void ReadLedger(const tune::Ledger& ledger, SimulatedOutcome& outcome) {
  for (const tune::Decision& decision : ledger.decisions()) {
    if (const auto race = tune::ReadRace(decision)) {
      outcome.races += race->step == tune::RaceStep::kMore ? 0 : 1;
    }
    if (const auto gate = tune::ReadGate(decision)) outcome.warnings = gate->warnings;
  }
}

}  // namespace

SimulatedOutcome Simulate(const SimulatedCampaign& campaign) {
  const Candidate baseline{campaign.space.Defaults(), ""};
  SimulatedOutcome outcome;
  tune::SimulatedQueue queue([&](const Candidate& candidate, std::int64_t, Rng rng) {
    const bool is_new =
        candidate.assignment != baseline.assignment &&
        std::ranges::find(outcome.tried, candidate.assignment) == outcome.tried.end();
    if (is_new) outcome.tried.push_back(candidate.assignment);
    auto metrics = campaign.truth(candidate.assignment);
    for (auto& [name, value] : metrics) value *= std::exp(campaign.noise * rng.Normal());
    return metrics;
  });
  std::stop_source wrap_up;
  if (campaign.wrap_up_after >= 0) {
    queue.CallAfter(campaign.wrap_up_after, [&] { wrap_up.request_stop(); });
  }
  if (!campaign.mark.empty()) queue.MarkRunsAs(campaign.mark);
  const auto proposer = OrExit(
      tune::MakeBayes({campaign.space, baseline, campaign.spec.seed,
                       campaign.spec.search.max_trials, false, campaign.spec.search.options}));
  tune::Ledger ledger;
  outcome.verdict = OrExit(tune::RunCampaign({.id = "sim",
                                              .spec = campaign.spec,
                                              .space = campaign.space,
                                              .baseline = baseline,
                                              .proposer = *proposer,
                                              .queue = queue,
                                              .ledger = ledger,
                                              .wrap_up = wrap_up.get_token()}));
  ReadLedger(ledger, outcome);
  return outcome;
}

void ForEachAtOnce(int count, const std::function<void(int)>& work) {
  std::atomic<int> next = 0;
  std::vector<std::jthread> threads;
  const unsigned processors = std::max(1U, std::thread::hardware_concurrency());
  threads.reserve(processors);
  for (unsigned t = 0; t < processors; ++t) {
    threads.emplace_back([&] {
      for (int i = next++; i < count; i = next++) work(i);
    });
  }
}

}  // namespace hone

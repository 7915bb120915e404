// SPDX-License-Identifier: Apache-2.0
#include "bench/simulated_campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "hone/tune/campaign/block_id.h"
#include "hone/tune/campaign/campaign.h"
#include "hone/tune/campaign/decisions.h"
#include "hone/tune/campaign/simulated_queue_for_test.h"
#include "hone/tune/proposers/bayes.h"

namespace hone {
namespace {

constexpr const char* kSimulated = "sim";
constexpr double kWanderMemory = 0.9;  // Of a run's shared level, in that of the next.

template <typename Found>
auto OrExit(Found found) {
  if (found) return *std::move(found);
  fmt::print(stderr, "a simulated campaign: {}\n", found.error().message);
  std::exit(3);
}

// The system under test: from its truth to what its runs report.
class SimulatedSystem {
 public:
  SimulatedSystem(const SimulatedCampaign& campaign, const tune::Ledger& ledger)
      : campaign_(campaign), ledger_(ledger), defaults_(campaign.space.Defaults()) {}

  std::map<std::string, double> Run(const Candidate& candidate, std::int64_t position, Rng rng) {
    Note(candidate.assignment);
    auto metrics = Truth()(candidate.assignment);
    const double level = Level(position, rng);
    for (auto& [name, value] : metrics) {
      value *= std::exp(level + campaign_.noise * rng.Normal());
    }
    return metrics;
  }

  const std::vector<Assignment>& tried() const { return tried_; }

 private:
  void Note(const Assignment& assignment) {
    const bool is_new =
        assignment != defaults_ && std::ranges::find(tried_, assignment) == tried_.end();
    if (is_new) tried_.push_back(assignment);
  }

  const SimulatedTruth& Truth() {
    const auto& decisions = ledger_.decisions();
    is_proof_ =
        is_proof_ || (!decisions.empty() && tune::Is(decisions.back(), tune::DecisionKind::kProve));
    return is_proof_ && campaign_.truth_in_proof ? campaign_.truth_in_proof : campaign_.truth;
  }

  double Level(std::int64_t position, const Rng& rng) {
    const auto gate = static_cast<double>(2 * campaign_.spec.gate_pairs);
    const double fresh = rng.Split("wander").Normal();
    wander_ = kWanderMemory * wander_ + std::sqrt(1 - kWanderMemory * kWanderMemory) * fresh;
    return campaign_.drift * std::min(1.0, static_cast<double>(position) / gate) +
           campaign_.wander * wander_;
  }

  const SimulatedCampaign& campaign_;
  const tune::Ledger& ledger_;
  const Assignment defaults_;
  std::vector<Assignment> tried_;
  bool is_proof_ = false;
  double wander_ = 0;
};

void ReadLedger(const tune::Ledger& ledger, SimulatedOutcome& outcome) {
  for (const tune::Decision& decision : ledger.decisions()) {
    if (const auto race = tune::ReadRace(decision)) {
      outcome.races += race->step == tune::RaceStep::kMore ? 0 : 1;
    }
  }
  outcome.gate = tune::FindGate(ledger.decisions());
}

void ReadProofs(const tune::SimulatedQueue& queue, SimulatedOutcome& outcome) {
  const std::string prefix = std::string(kSimulated) + "/";
  for (const auto& [task_id, task] : queue.tasks()) {
    const auto block =
        OrExit(tune::ParseBlockId(tune::LifeOf(task_id).first.substr(prefix.size())));
    const Assignment& assignment = task.candidate.assignment;
    if (block.phase == tune::BlockPhase::kProof) outcome.winner = assignment;
    if (block.phase == tune::BlockPhase::kProofReduced) outcome.was_reduced = true;
    if (block.phase == tune::BlockPhase::kFront && block.round == 0) {
      outcome.front.push_back(assignment);
    }
  }
}

}  // namespace

SimulatedOutcome Simulate(const SimulatedCampaign& campaign) {
  const Candidate baseline{campaign.space.Defaults(), ""};
  tune::Ledger ledger;
  SimulatedSystem system(campaign, ledger);
  tune::SimulatedQueue queue([&](const Candidate& candidate, std::int64_t position, Rng rng) {
    return system.Run(candidate, position, rng);
  });
  queue.LetRunsTake(campaign.run_time);
  std::stop_source wrap_up;
  if (campaign.wrap_up_after >= 0) {
    queue.CallAfter(campaign.wrap_up_after, [&] { wrap_up.request_stop(); });
  }
  if (!campaign.mark.empty()) queue.MarkRunsAs(campaign.mark, campaign.marked_share);
  const auto& spec = campaign.spec;
  const auto proposer =
      OrExit(tune::MakeBayes({campaign.space, baseline, spec.seed, spec.search.max_trials,
                              spec.wants_front, spec.search.options}));
  SimulatedOutcome outcome;
  outcome.verdict = OrExit(tune::RunCampaign(
      {.id = kSimulated,
       .spec = spec,
       .space = campaign.space,
       .baseline = baseline,
       .proposer = *proposer,
       .queue = queue,
       .ledger = ledger,
       .wrap_up = wrap_up.get_token(),
       .pause = [](std::chrono::nanoseconds, const std::stop_token&) { return true; }}));
  outcome.tried = system.tried();
  ReadLedger(ledger, outcome);
  ReadProofs(queue, outcome);
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

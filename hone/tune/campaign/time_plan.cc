// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/time_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "hone/tune/campaign/search.h"
#include "hone/tune/campaign/words.h"

namespace hone::tune {
namespace {

// Of what is left after the smallest of everything, the search gets so much: what it finds must
// still be proven.
constexpr double kSearchShare = 0.5;

// A proof gets so much of what is left, where an ablation with a proof of its own may follow.
constexpr double kProofShare = 0.5;

// Dropping changes by halves takes at most two comparisons a change, confirming that and measuring
// each alone one more each.
constexpr std::int64_t kComparisonsPerChange = 4;

std::int64_t SmallestSearch(const CampaignSpec& spec) {
  if (spec.comparison) return 0;
  return std::min(kMinTrials, spec.search.max_trials) * spec.race.first_pairs;
}

// Finals of one favourite and the shortest proof; on a front, of every point.
std::int64_t SmallestAfter(const CampaignSpec& spec) {
  if (spec.comparison) return spec.proof.min_pairs;
  const std::int64_t points = spec.wants_front ? spec.proof.finalists : 1;
  return points * (spec.race.max_pairs + spec.proof.min_pairs);
}

std::int64_t PairsIn(std::chrono::microseconds time, std::chrono::microseconds pair_time) {
  if (time.count() <= 0) return 0;
  return time.count() / std::max<std::int64_t>(1, pair_time.count());
}

}  // namespace

TimePlan PlanTime(const CampaignSpec& spec, std::chrono::microseconds pair_time) {
  TimePlan plan;
  const std::int64_t smallest = SmallestSearch(spec) + SmallestAfter(spec);
  plan.pairs = PairsIn(spec.max_time, pair_time);
  plan.needed = pair_time * (spec.gate_pairs + smallest);
  plan.fits = plan.pairs >= spec.gate_pairs + smallest;
  if (!plan.fits || spec.comparison) return plan;
  const auto spare = static_cast<double>(plan.pairs - spec.gate_pairs - smallest);
  plan.search_pairs = SmallestSearch(spec) + static_cast<std::int64_t>(kSearchShare * spare);
  // A race that has begun is run to its end.
  const std::int64_t last_race = spec.search.batch * (spec.race.max_pairs - spec.race.first_pairs);
  const std::int64_t end = std::max(SmallestSearch(spec), plan.search_pairs - last_race);
  plan.search_end = pair_time * (spec.gate_pairs + end);
  return plan;
}

std::int64_t PairsLeft(const CampaignSpec& spec, std::chrono::microseconds pair_time,
                       std::chrono::microseconds measured) {
  return PairsIn(spec.max_time - measured, pair_time);
}

ProofSettings FitFinals(const CampaignSpec& spec, std::int64_t pairs_left) {
  ProofSettings proof = spec.proof;
  if (spec.wants_front) {
    const std::int64_t each = spec.race.max_pairs + proof.min_pairs;
    proof.finalists = std::clamp<std::int64_t>(pairs_left / each, 1, proof.finalists);
    return proof;
  }
  const std::int64_t room = (pairs_left - proof.min_pairs) / 2 / spec.race.max_pairs;
  proof.finalists = std::clamp<std::int64_t>(room, 1, proof.finalists);
  return proof;
}

ProofSettings FitProof(const CampaignSpec& spec, std::int64_t pairs_left) {
  ProofSettings proof = spec.proof;
  auto room = static_cast<double>(pairs_left);
  if (spec.wants_front) room /= static_cast<double>(std::max<std::int64_t>(1, proof.finalists));
  if (proof.has_ablation && !spec.wants_front && !spec.comparison) room *= kProofShare;
  proof.max_pairs = std::clamp(static_cast<std::int64_t>(room), proof.min_pairs, proof.max_pairs);
  return proof;
}

ProofSettings FitAblation(const CampaignSpec& spec, std::int64_t pairs_left, std::int64_t changes,
                          std::int64_t proof_pairs) {
  ProofSettings proof = spec.proof;
  const std::int64_t comparisons = kComparisonsPerChange * std::max<std::int64_t>(1, changes);
  const std::int64_t each = (pairs_left - proof_pairs) / comparisons;
  proof.has_ablation = proof.has_ablation && each >= proof.min_pairs;
  if (proof.has_ablation) proof.max_pairs = std::min(proof.max_pairs, each);
  return proof;
}

std::string SmallestText(const CampaignSpec& spec) {
  if (spec.comparison) {
    return fmt::format("the gate and {}", CountText(spec.proof.min_pairs, "pair"));
  }
  return fmt::format("the gate, {} and {}",
                     CountText(std::min(kMinTrials, spec.search.max_trials), "candidate"),
                     spec.wants_front ? CountText(spec.proof.finalists, "proof") : "a proof");
}

std::string DivisionText(const CampaignSpec& spec, std::chrono::microseconds pair_time) {
  const TimePlan plan = PlanTime(spec, pair_time);
  if (!plan.fits) {
    return fmt::format("too short: at {} a pair, {} take at least {}", DurationText(pair_time),
                       SmallestText(spec), DurationText(plan.needed));
  }
  if (spec.comparison) {
    return fmt::format("room for {}, the gate's {} among them", CountText(plan.pairs, "pair"),
                       spec.gate_pairs);
  }
  return fmt::format("room for {}: gate {}, search about {}, finals, proof{} the rest",
                     CountText(plan.pairs, "pair"), spec.gate_pairs, plan.search_pairs,
                     spec.proof.has_ablation && !spec.wants_front ? " and ablation" : "");
}

}  // namespace hone::tune

// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/race.h"

#include "hone/measure/sequential.h"

namespace hone::tune {
namespace {

// The level of the test that ends a candidate's race. Being wrong costs a candidate, not honesty.
constexpr double kHopelessLevel = 0.05;

bool IsHopeless(std::span<const double> rewards, double best, double noise) {
  ConfidenceSequence sequence(kHopelessLevel, noise);
  for (const double reward : rewards) sequence.Add(reward);
  return sequence.EValueBelow(best) >= 1 / kHopelessLevel;
}

}  // namespace

std::string_view NameOf(RaceStep step) {
  switch (step) {
    case RaceStep::kMore:
      return "more";
    case RaceStep::kHopeless:
      return "hopeless";
    case RaceStep::kDull:
      return "dull";
    case RaceStep::kEnough:
      return "enough";
  }
  return "unknown";
}

RaceStep JudgeRace(const RaceSettings& settings, std::span<const double> rewards,
                   const Estimate& estimate, double best, double noise) {
  if (IsHopeless(rewards, best, noise)) return RaceStep::kHopeless;
  if (estimate.mean + estimate.standard_error < best) return RaceStep::kDull;
  if (estimate.count >= settings.max_pairs) return RaceStep::kEnough;
  return RaceStep::kMore;
}

}  // namespace hone::tune

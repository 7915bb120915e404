// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/race.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "hone/measure/sequential.h"

namespace hone::tune {
namespace {

// The level of the test that ends a candidate's race. Being wrong costs a candidate, not honesty.
constexpr double kHopelessLevel = 0.05;

constexpr std::array<std::pair<RaceStep, std::string_view>, 4> kRaceStepNames{{
    {RaceStep::kMore, "more"},
    {RaceStep::kHopeless, "hopeless"},
    {RaceStep::kDull, "dull"},
    {RaceStep::kEnough, "enough"},
}};

bool IsHopeless(std::span<const double> rewards, double best, double noise) {
  ConfidenceSequence sequence(kHopelessLevel, noise);
  for (const double reward : rewards) sequence.Add(reward);
  return sequence.EValueBelow(best) >= 1 / kHopelessLevel;
}

}  // namespace

std::string_view NameOf(RaceStep step) {
  return kRaceStepNames[static_cast<std::size_t>(step)].second;
}

Result<RaceStep> RaceStepNamed(std::string_view name) {
  for (const auto& [step, known] : kRaceStepNames) {
    if (known == name) return step;
  }
  return Error{Errc::kInvalidArgument, fmt::format("step \"{}\": no such step of a race", name)};
}

RaceStep JudgeRace(const RaceSettings& settings, std::span<const double> rewards,
                   const Estimate& estimate, double best, double noise) {
  if (IsHopeless(rewards, best, noise)) return RaceStep::kHopeless;
  if (estimate.mean + estimate.standard_error < best) return RaceStep::kDull;
  if (estimate.count >= settings.max_pairs) return RaceStep::kEnough;
  return RaceStep::kMore;
}

}  // namespace hone::tune

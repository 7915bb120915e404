// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "hone/core/metric.h"
#include "hone/core/result.h"
#include "hone/tune/campaign/campaign_spec.h"

namespace hone::tune {

// What to do with a candidate after some of its pairs.
enum class RaceStep {
  kMore,      // It may be the best: measure more pairs.
  kHopeless,  // It is worse than the best; so says a test that stays valid at every look.
  kDull,      // It is probably not the best; the pairs are better spent on others.
  kEnough,    // It has had all that a candidate gets.
};

std::string_view NameOf(RaceStep step);
Result<RaceStep> RaceStepNamed(std::string_view name);

// `rewards` are the candidate's pairs so far, `estimate` their summary, `best` what another
// candidate or the baseline surely reaches, `noise` the standard deviation of one pair.
RaceStep JudgeRace(const RaceSettings& settings, std::span<const double> rewards,
                   const Estimate& estimate, double best, double noise);

}  // namespace hone::tune

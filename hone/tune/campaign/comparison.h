// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "hone/tune/campaign/stage.h"
#include "hone/tune/campaign/verdict.h"

namespace hone::tune {

// What a comparison has shown of B.
enum class Standing {
  kBetter,
  kWorse,
  kEqual,    // The interval lies within the least gain of interest, on both sides of 0.
  kUnshown,  // No difference was shown, nor that there is none.
  kOutside,  // A limit was not shown to hold.
  kFailed,   // It did not run.
};

// As in JSON: "better", "no_difference_shown".
std::string_view NameOf(Standing standing);

Standing StandingOf(const ProofSettings& settings, const Proof& proof);

// Measures B of the spec's comparison against A, the baseline, and says what that shows. The number
// of pairs is fixed beforehand, from the gate's noise. A stop ends it with what there is, which is
// then not enough to say: who may stop when he likes what he sees has another error rate.
Result<Verdict> RunComparison(Stage& stage, double noise);

}  // namespace hone::tune

// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "hone/measure/power.h"
#include "hone/tune/campaign/proof.h"
#include "hone/tune/campaign/words.h"

namespace hone::tune {
namespace {

std::string BrokenLimit(const Proof& proof) {
  for (const LimitCheck& check : proof.limits) {
    if (!check.holds) return ToText(check.limit);
  }
  return "";
}

std::string WhyStanding(const CampaignSpec& spec, const Proof& proof) {
  const ComparisonSettings& names = *spec.comparison;
  switch (StandingOf(spec.proof, proof)) {
    case Standing::kBetter:
      return fmt::format("{} is better than {}.", names.b, names.a);
    case Standing::kWorse:
      return fmt::format("{} is worse than {}.", names.b, names.a);
    case Standing::kEqual:
      return fmt::format("{} and {} are equal within {:.1f} %.", names.a, names.b,
                         ToPercent(spec.proof.min_gain));
    case Standing::kUnshown:
      return fmt::format("No difference between {} and {} was shown.", names.a, names.b);
    case Standing::kOutside:
      return fmt::format("With {}, the limit {} was not shown to hold.", names.b,
                         BrokenLimit(proof));
    case Standing::kFailed:
      return fmt::format("With {}, the benchmark does not run: {}.", names.b, proof.failure);
  }
  return "";
}

// Notes each block in the ledger, so that a stop between two of them is found there again.
Result<Measured> MeasureParts(Stage& stage, std::int64_t pairs) {
  Result<void> noted;
  const auto note = [&](const PairNumbers& numbers) {
    noted = stage.ledger.Record(ToDecision(PartDecision{std::ssize(numbers.rewards)}));
    return !noted;
  };
  auto measured = MeasurePairs(stage,
                               {{BlockPhase::kProof},
                                stage.baseline,
                                stage.spec.comparison->candidate,
                                pairs,
                                stage.spec.proof.over},
                               note);
  if (!noted) return noted.error();
  return measured;
}

Result<void> NoteStop(Stage& stage, std::int64_t pairs) {
  return stage.ledger.Record(
      ToDecision(StopDecision{.why = "interrupted", .trials = 0, .pairs = pairs}));
}

}  // namespace

std::string_view NameOf(Standing standing) {
  switch (standing) {
    case Standing::kBetter:
      return "better";
    case Standing::kWorse:
      return "worse";
    case Standing::kEqual:
      return "equal";
    case Standing::kUnshown:
      return "no_difference_shown";
    case Standing::kOutside:
      return "outside_limits";
    case Standing::kFailed:
      return "failed";
  }
  return "";
}

Standing StandingOf(const ProofSettings& settings, const Proof& proof) {
  if (!proof.failure.empty()) return Standing::kFailed;
  if (proof.is_gain) return Standing::kBetter;
  const Interval& interval = proof.reward.interval;
  if (interval.high < 0) return Standing::kWorse;
  if (!BrokenLimit(proof).empty()) return Standing::kOutside;
  const bool is_equal = interval.low > -settings.min_gain && interval.high < settings.min_gain;
  return is_equal ? Standing::kEqual : Standing::kUnshown;
}

Result<Verdict> RunComparison(Stage& stage, double noise) {
  const CampaignSpec& spec = stage.spec;
  const Candidate& candidate = spec.comparison->candidate;
  const std::int64_t pairs = ComparisonPairs(spec.proof, noise);
  if (auto recorded = stage.ledger.Record(ToDecision(
          ProveDecision{.phase = BlockPhase::kProof, .candidate = candidate, .pairs = pairs}));
      !recorded) {
    return recorded.error();
  }
  stage.Enter(Phase::kProof, pairs);
  const auto measured = MeasureParts(stage, pairs);
  if (!measured) return measured.error();
  Verdict verdict;
  verdict.proof = JudgeProof(spec.rule, *measured, spec.proof.confidence);
  verdict.proof->candidate = candidate;
  verdict.proof->moved = MovedText(spec.rule, measured->numbers.rewards, spec.proof.over);
  if (measured->is_interrupted) {
    const std::int64_t done = std::ssize(measured->numbers.rewards);
    if (auto noted = NoteStop(stage, done); !noted) return noted.error();
    verdict.proof->is_gain = false;
    verdict.kind = Verdict::Kind::kNotEnough;
    verdict.reason = fmt::format("It was stopped after {} of {}.", done, CountText(pairs, "pair"));
    return verdict;
  }
  verdict.detectable = MinimumDetectableEffect(noise, pairs, 1 - spec.proof.confidence, 0.8);
  verdict.kind = verdict.proof->is_gain ? Verdict::Kind::kGain : Verdict::Kind::kNoGain;
  verdict.reason = WhyStanding(spec, *verdict.proof);
  return verdict;
}

}  // namespace hone::tune

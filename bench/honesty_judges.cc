// SPDX-License-Identifier: Apache-2.0
#include "bench/honesty_judges.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "hone/measure/power.h"
#include "hone/tune/campaign/ablation.h"

namespace hone {
namespace {

using Kind = tune::Verdict::Kind;

constexpr double kLevelOfTests = 0.01;  // Of the gate's, and of parts of a proof.
constexpr double kLevelOfProofs = 0.05;
constexpr double kPowerOfProofs = 0.8;
constexpr double kUnlikelyToMiss = 1.3;  // Times what is found in 8 of 10: in 19 of 20.

Judged Said(bool is_true) { return {.said = 1, .is_true = is_true ? 1 : 0}; }

const tune::Verdict& VerdictOf(const Played& played) { return played.outcome.verdict; }

// Whether a metric with this noise is far enough within the limit for a proof to show it.
bool IsWellWithin(const Played& played, const Assignment& assignment) {
  return played.LatencyOf(assignment) < *played.given.limit * (1 - 1.5 * played.given.noise);
}

bool KeepsLimit(const Played& played, const Assignment& assignment) {
  return !played.given.limit || played.LatencyOf(assignment) <= *played.given.limit;
}

Judged JudgeGain(const Played& played) {
  if (VerdictOf(played).kind != Kind::kGain) return {};
  const Assignment& winner = VerdictOf(played).proof->candidate.assignment;
  return Said(played.ProvenGain(winner) > 0 && !played.given.IsSuspect() &&
              KeepsLimit(played, winner));
}

Judged JudgeInterval(const Played& played) {
  const auto& proof = VerdictOf(played).proof;
  if (!proof || !proof->reward.interval.IsBounded()) return {};
  return Said(proof->reward.interval.Contains(played.ProvenGain(proof->candidate.assignment)));
}

// Of winners that are as good as what a proof of theirs finds in 8 of 10, or somewhat better.
Judged JudgePowerOfProof(const Played& played) {
  const tune::Verdict& verdict = VerdictOf(played);
  if (!played.outcome.winner || verdict.detectable == 0) return {};
  const double gain = played.ProvenGain(*played.outcome.winner);
  if (gain < verdict.detectable || gain > 1.5 * verdict.detectable) return {};
  const bool is_of_winner = verdict.proof && !tune::HasGain(verdict);
  return Said(!is_of_winner || verdict.proof->reward.interval.low > 0);
}

Judged JudgeNotTold(const Played& played) {
  if (!played.Says("the winner could not be told from the baseline")) return {};
  return Said(played.ProvenGain(*played.outcome.winner) <
              kUnlikelyToMiss * VerdictOf(played).detectable);
}

Judged JudgeBelow(const Played& played) {
  if (!played.Says("the winner came out below the baseline")) return {};
  return Said(VerdictOf(played).proof->reward.interval.high < 0 &&
              played.ProvenGain(*played.outcome.winner) < tune::ProofSettings().min_gain);
}

Judged JudgeLimitNotShown(const Played& played) {
  if (!played.Says("was not shown to hold")) return {};
  return Said(!IsWellWithin(played, *played.outcome.winner));
}

Judged JudgeFailedProof(const Played& played) {
  if (!played.Says("The winner failed its proof")) return {};
  return Said(played.given.in_proof == InProof::kCrash);
}

// What is dropped costs less than what its comparison can see: two standard errors, chosen as a
// share of the gain.
Judged JudgeDropped(const Played& played) {
  const tune::Verdict& verdict = VerdictOf(played);
  if (verdict.dropped.empty()) return {};
  constexpr double kStandardError = 0.15;  // Of a comparison, as a share of the gain.
  const double whole = played.ProvenGain(*played.outcome.winner);
  const double loss = whole - played.ProvenGain(verdict.proof->candidate.assignment);
  return Said(loss <= std::max(tune::ProofSettings().min_gain, 2 * kStandardError * whole));
}

Judged JudgeStay(const Played& played) {
  if (!played.Says("the gain could not be shown again, so they stay")) return {};
  return Said(played.outcome.was_reduced &&
              VerdictOf(played).proof->candidate.assignment == *played.outcome.winner);
}

Judged JudgeWorth(const Played& played) {
  Judged judged;
  const Candidate baseline{played.surface.space().Defaults(), ""};
  for (const tune::ParameterEffect& effect : VerdictOf(played).effects) {
    const Candidate& winner = VerdictOf(played).proof->candidate;
    const auto less = tune::PutBack(played.surface.space(), baseline, winner, {effect.name});
    if (!less || !effect.effect.interval.IsBounded()) continue;
    const double worth = played.ProvenGain(winner.assignment) - played.ProvenGain(less->assignment);
    ++judged.said;
    judged.is_true += effect.effect.interval.Contains(worth) ? 1 : 0;
  }
  return judged;
}

Judged JudgeMoved(const Played& played) {
  if (!played.Says("The pairs were spread over")) return {};
  return Said(!played.Says("They differ by more than chance explains"));
}

Judged JudgeNoneBelieved(const Played& played) {
  if (!played.Says("none is believed to beat")) return {};
  return Said(played.LargestGain() < played.PairNoise());
}

Judged JudgeNoneRan(const Played& played) {
  if (!played.Says("tried, none ran")) return {};
  return Said(played.given.only_baseline_runs);
}

Judged JudgeNoGain(const Played& played) {
  if (VerdictOf(played).kind != Kind::kNoGain) return {};
  // A search may also end by itself, where little more was to be expected.
  return Said(!played.Says(" of at most ") || played.HasTriedEnough());
}

Judged JudgeNotEnough(const Played& played) {
  if (VerdictOf(played).kind != Kind::kNotEnough) return {};
  const bool is_cut = played.given.MayBeCutShort() && !played.HasTriedEnough();
  return Said(is_cut || played.given.has_no_time);
}

Judged JudgeTooShort(const Played& played) {
  if (!played.Says("too short: at ")) return {};
  return Said(played.campaign.spec.max_time < played.SmallestBudget());
}

Judged JudgeCutShort(const Played& played) {
  const auto said = played.NumberBefore(" of at most ");
  if (!said) return {};
  return Said(played.given.MayBeCutShort() && *said == static_cast<double>(played.outcome.races));
}

Judged JudgeWhyCutShort(const Played& played) {
  const HonestyCase& given = played.given;
  const auto was = [&](std::string_view why) {
    std::string text = played.Text();
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text.find(why) != std::string::npos;
  };
  if (was("the search was interrupted")) return Said(given.is_interrupted);
  if (was("the budget of pairs was spent")) return Said(given.has_few_pairs);
  if (was("the time was spent")) return Said(given.has_time || given.has_budget);
  return {};
}

Judged JudgeMayNotMatter(const Played& played) {
  if (!played.Says("may not matter")) return {};
  const bool is_enough = !played.Says(" of at most ") || played.HasTriedEnough();
  return Said(is_enough && played.TypicalEffect() <= 2 * tune::ProofSettings().min_gain);
}

Judged JudgeUnseen(const Played& played) {
  const auto said = played.NumberBefore(" % cannot be seen");
  return said ? Said(played.TypicalEffect() <= std::log1p(*said / 100)) : Judged();
}

// Candidates whose latency lies within the noise of the bound may be counted either way.
Judged JudgeKept(const Played& played) {
  const std::string text = played.Text();
  const auto at = text.find("kept by ");
  if (at == std::string::npos || !played.given.limit) return {};
  const auto said = std::stol(text.substr(at + 8));
  const double noise = 2 * played.given.noise;
  return Said(said >= played.CountKept(*played.given.limit * (1 - noise)) &&
              said <= played.CountKept(*played.given.limit * (1 + noise)));
}

Judged JudgeNoneKept(const Played& played) {
  if (!played.Says("none kept the limits")) return {};
  return Said(played.CountKept(*played.given.limit * (1 - 2 * played.given.noise)) == 0);
}

Judged JudgeBaselineBreaks(const Played& played) {
  if (!played.Says("the baseline itself breaks the limit")) return {};
  return Said(!KeepsLimit(played, played.surface.space().Defaults()));
}

Judged JudgeSuspicious(const Played& played) {
  if (VerdictOf(played).kind != Kind::kSuspicious) return {};
  return Said(played.given.IsSuspect());
}

Judged JudgeDoesNotRun(const Played& played) {
  if (VerdictOf(played).kind != Kind::kDoesNotRun) return {};
  return Said(played.given.nothing_runs);
}

Judged JudgeFront(const Played& played) {
  if (VerdictOf(played).kind != Kind::kFront) return {};
  return Said(std::ranges::all_of(VerdictOf(played).front, [&](const tune::Proof& point) {
    const Assignment& assignment = point.candidate.assignment;
    return !point.is_gain ||
           (std::ranges::max(played.GainsOf(assignment)) > 0 && KeepsLimit(played, assignment));
  }));
}

Judged JudgeFrontIntervals(const Played& played) {
  Judged judged;
  for (const tune::Proof& point : VerdictOf(played).front) {
    const auto gains = played.GainsOf(point.candidate.assignment);
    for (std::size_t i = 0; i < point.objectives.size(); ++i) {
      ++judged.said;
      judged.is_true += point.objectives[i].test.interval.Contains(gains[i]) ? 1 : 0;
    }
  }
  return judged;
}

// Of points that are as good in their best objective as a proof finds in 8 of 10, or somewhat
// better.
Judged JudgePowerOfFront(const Played& played) {
  Judged judged;
  const double detectable = VerdictOf(played).detectable;
  for (const tune::Proof& point : VerdictOf(played).front) {
    const double gain = std::ranges::max(played.GainsOf(point.candidate.assignment));
    if (gain < detectable || gain > 1.5 * detectable) continue;
    ++judged.said;
    judged.is_true += point.adjusted_p <= kLevelOfProofs ? 1 : 0;
  }
  return judged;
}

Judged JudgeNoPoint(const Played& played) {
  if (!played.Says("No point was shown to beat the baseline")) return {};
  return Said(std::ranges::all_of(played.outcome.front, [&](const Assignment& point) {
    return std::ranges::max(played.GainsOf(point)) < kUnlikelyToMiss * VerdictOf(played).detectable;
  }));
}

Judged JudgeNoPointWithinLimits(const Played& played) {
  if (!played.Says("No point that beats the baseline was shown to keep the limits")) return {};
  return Said(std::ranges::none_of(played.outcome.front, [&](const Assignment& point) {
    return IsWellWithin(played, point) &&
           std::ranges::max(played.GainsOf(point)) > kUnlikelyToMiss * VerdictOf(played).detectable;
  }));
}

// "At least as good" as far as proofs of so many pairs can see: two standard errors of a
// difference.
Judged JudgeDominated(const Played& played) {
  const auto& front = VerdictOf(played).front;
  auto said = played.NumberBefore(" point more was proven");
  if (!said) said = played.NumberBefore(" points more were proven");
  if (!said) return {};
  const tune::ProofSettings settings;
  const double pairs = static_cast<double>(settings.max_pairs + settings.min_pairs) / 2;
  const double blur = 2 * std::sqrt(2 / pairs) * played.PairNoise();
  const auto is_as_good = [&](const tune::Proof& other, const Assignment& point) {
    const auto others = played.GainsOf(other.candidate.assignment);
    const auto gains = played.GainsOf(point);
    return others[0] >= gains[0] - blur && others[1] >= gains[1] - blur;
  };
  std::int64_t dropped = 0;
  bool is_true = true;
  for (const Assignment& point : played.outcome.front) {
    const auto is_it = [&](const tune::Proof& one) { return one.candidate.assignment == point; };
    if (std::ranges::any_of(front, is_it)) continue;
    ++dropped;
    is_true = is_true && std::ranges::any_of(front, [&](const tune::Proof& other) {
                return is_as_good(other, point);
              });
  }
  return Said(is_true && *said == static_cast<double>(dropped));
}

// Warnings of what chance does seldom: of gates where nothing of the kind happens.
Judged JudgeUnwarned(const Played& played, bool is_quiet, std::string_view words) {
  if (!played.outcome.gate || !is_quiet) return {};
  return Said(!played.Says(words));
}

Judged JudgeDriftsNot(const Played& played) {
  return JudgeUnwarned(played, played.given.IsStill(), " drifts by ");
}

Judged JudgeDoesNotHangTogether(const Played& played) {
  return JudgeUnwarned(played, played.given.IsStill(), " hang together");
}

Judged JudgeIsItself(const Played& played) {
  return JudgeUnwarned(played, true, "the baseline differs from itself");
}

Judged JudgeHoldsZero(const Played& played) {
  const bool is_said = played.Says("differs from itself") || played.Says("itself leaves out 0");
  return played.outcome.gate ? Said(!is_said) : Judged();
}

Judged JudgeDrift(const Played& played) {
  const auto& gate = played.outcome.gate;
  if (!gate || played.given.drift == 0 || !played.Says(" drifts by ")) return {};
  return Said((gate->drift > 0) == (played.given.drift > 0));
}

Judged JudgeHangsTogether(const Played& played) {
  if (played.given.IsStill() || !played.Says(" hang together")) return {};
  return Said(true);
}

// From so few pairs the noise is known to within a factor of two.
Judged JudgeNoisy(const Played& played) {
  if (!played.Says("so noisy that only a gain above")) return {};
  const auto said = played.NumberBefore(" % can be proven: make");
  const double known = MinimumDetectableEffect(played.PairNoise(), tune::ProofSettings().max_pairs,
                                               kLevelOfProofs, kPowerOfProofs);
  return Said(said && std::log1p(*said / 100) < 2 * known && std::log1p(*said / 100) > known / 2);
}

std::vector<Sentence> SentencesOfProofs() {
  return {{"gain: better, limits kept, not suspected", JudgeGain},
          {"the interval covers the truth", JudgeInterval, 0.95, true},
          {"the proof finds this in 8 of 10", JudgePowerOfProof, kPowerOfProofs, true},
          {"winner: could not be told", JudgeNotTold},
          {"winner: came out below", JudgeBelow},
          {"winner: limit not shown to hold", JudgeLimitNotShown},
          {"winner: failed its proof", JudgeFailedProof},
          {"proof: parts differ by no more than chance", JudgeMoved, 1 - kLevelOfTests, true},
          {"dropped: costs nothing that can be seen", JudgeDropped},
          {"dropped: without them not shown, they stay", JudgeStay},
          {"what a change is worth: interval", JudgeWorth, 0.95, true}};
}

std::vector<Sentence> SentencesOfSearches() {
  return {{"none is believed to beat the baseline", JudgeNoneBelieved},
          {"none ran", JudgeNoneRan},
          {"no gain: enough was tried", JudgeNoGain},
          {"not enough was tried", JudgeNotEnough},
          {"budget: too short", JudgeTooShort},
          {"after N of at most M candidates", JudgeCutShort},
          {"interrupted, pairs or time spent", JudgeWhyCutShort},
          {"the parameters may not matter", JudgeMayNotMatter},
          {"effects below X % cannot be seen", JudgeUnseen},
          {"limits: kept by K candidates", JudgeKept},
          {"none kept the limits", JudgeNoneKept},
          {"the baseline itself breaks the limit", JudgeBaselineBreaks},
          {"suspicious", JudgeSuspicious},
          {"does not run", JudgeDoesNotRun}};
}

std::vector<Sentence> SentencesOfFronts() {
  return {{"front: points beat the baseline in one", JudgeFront},
          {"front: intervals cover the truth", JudgeFrontIntervals, 0.95, true},
          {"front: a proof finds this in 8 of 10", JudgePowerOfFront, kPowerOfProofs, true},
          {"front: no point beats the baseline", JudgeNoPoint},
          {"front: no such point keeps the limits", JudgeNoPointWithinLimits},
          {"front: left out, another is as good", JudgeDominated}};
}

std::vector<Sentence> SentencesOfGates() {
  constexpr double kSeldom = 1 - kLevelOfTests;
  return {{"gate: itself, as 99 % are by chance", JudgeIsItself, kSeldom, true},
          {"gate: interval of itself, as 95 % are", JudgeHoldsZero, 0.95, true},
          {"gate: still, no drift said", JudgeDriftsNot, kSeldom, true},
          {"gate: still, nothing hangs together", JudgeDoesNotHangTogether, kSeldom, true},
          {"gate: drifts, up or down", JudgeDrift},
          {"gate: neighbouring runs hang together", JudgeHangsTogether},
          {"gate: so noisy, only X % (factor 2)", JudgeNoisy}};
}

}  // namespace

std::vector<Sentence> HonestySentences() {
  std::vector<Sentence> sentences;
  for (auto&& more :
       {SentencesOfProofs(), SentencesOfSearches(), SentencesOfFronts(), SentencesOfGates()}) {
    sentences.insert(sentences.end(), more.begin(), more.end());
  }
  return sentences;
}

}  // namespace hone

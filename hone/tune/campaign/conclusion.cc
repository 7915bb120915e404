// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/conclusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "hone/tune/campaign/words.h"

namespace hone::tune {
namespace {

// Effects that may hide below this many times the least gain of interest are worth a word.
constexpr double kTellingEffect = 2;

std::string Sentence(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text + ".";
}

std::string LimitsText(const RewardRule& rule) {
  std::string text;
  for (const Limit& limit : rule.limits) text += (text.empty() ? "" : ", ") + ToText(limit);
  return text;
}

std::string WhyNothingProven(const SearchTally& tally, const RewardRule& rule) {
  const std::string tried = CountText(tally.finished, "candidate");
  if (tally.finished > 0 && tally.failed == tally.finished) {
    return fmt::format("Of {} tried, none ran.", tried);
  }
  if (tally.finished > 0 && tally.failed + tally.outside == tally.finished) {
    return fmt::format("Of {} tried, none kept the limits ({}).", tried, LimitsText(rule));
  }
  return fmt::format("Of {} tried, none is believed to beat the baseline by enough to matter.",
                     tried);
}

// What a typical effect (the root of the mean square) may be at most, at 95 %. The mean square of
// what was estimated exceeds that of the truth by the squared standard errors; each term varies by
// 2 e^4 + 4 e^2 t^2 where e is its standard error and t its truth, which is not known: the bound
// itself stands for it. Candidates that were given up early, mostly bad ones, are known worst: so
// each comes with its own error.
double MaxTypicalEffect(const std::vector<Estimate>& rewards) {
  constexpr double kQuantile = 1.645;
  const auto n = static_cast<double>(rewards.size());
  double excess = 0;
  double squares = 0;
  double fourths = 0;
  for (const Estimate& reward : rewards) {
    const double variance = reward.standard_error * reward.standard_error;
    excess += reward.mean * reward.mean - variance;
    squares += variance;
    fourths += variance * variance;
  }
  double bound = 0;
  for (int i = 0; i < 30; ++i) {
    const double spread = std::sqrt(2 * fourths + 4 * squares * bound);
    bound = (std::max(0.0, excess) + kQuantile * spread) / n;
  }
  return std::sqrt(bound);
}

bool IsBeatenBy(const Proof& other, const Proof& point) {
  if (!KeepsLimits(other) || (point.is_gain && !other.is_gain)) return false;
  bool is_better = false;
  for (std::size_t i = 0; i < point.objectives.size(); ++i) {
    const double more = other.objectives[i].test.effect - point.objectives[i].test.effect;
    if (more < 0) return false;
    is_better = is_better || more > 0;
  }
  return is_better;
}

}  // namespace

std::string CutShortText(const SearchTally& tally) {
  if (tally.cut_short_by.empty()) return "";
  if (tally.finished == 0) {
    return Sentence(fmt::format("{} before a candidate was tried", tally.cut_short_by));
  }
  return Sentence(fmt::format("{} after {} of at most {}", tally.cut_short_by, tally.finished,
                              CountText(tally.planned, "candidate")));
}

std::string LimitsNote(const SearchTally& tally, const RewardRule& rule) {
  if (rule.limits.empty() || tally.finished == 0) return "";
  return fmt::format("Limits: {}; kept by {} of {}.", LimitsText(rule),
                     tally.finished - tally.failed - tally.outside,
                     CountText(tally.finished, "candidate"));
}

void ConcludeUnproven(const SearchTally& tally, const RewardRule& rule, Verdict& verdict) {
  verdict.kind = tally.is_enough ? Verdict::Kind::kNoGain : Verdict::Kind::kNotEnough;
  verdict.reason = tally.finished == 0 ? CutShortText(tally) : WhyNothingProven(tally, rule);
  if (tally.is_enough) return;
  if (tally.finished > 0) verdict.reason += " " + CutShortText(tally);
  verdict.detectable = 0;
}

void ConcludeUnshown(const SearchTally& tally, const std::string& why, Verdict& verdict) {
  verdict.kind = tally.is_enough ? Verdict::Kind::kNoGain : Verdict::Kind::kNotEnough;
  verdict.reason = tally.is_enough ? why : why + " " + CutShortText(tally);
}

std::string FindableText(const RewardRule& rule, const FindableOptimum& findable) {
  const auto percent = [&](double gain) {
    return fmt::format("{:.1f} %", std::abs(GainPercent(rule, gain)));
  };
  return fmt::format(
      "Of simulated campaigns of this size and noise, 8 in 10 found an optimum of {} where the "
      "parameters act in the kindest way, and {} where they hide it best.",
      percent(findable.kindest),
      findable.worst ? "one of " + percent(*findable.worst) : "not even a large one");
}

bool KeepsLimits(const Proof& proof) {
  return std::ranges::all_of(proof.limits, [](const LimitCheck& check) { return check.holds; });
}

std::string WhyNoPoint(const std::vector<Proof>& front, double confidence) {
  const auto is_better = [&](const Proof& point) { return point.adjusted_p <= 1 - confidence; };
  if (std::ranges::any_of(front, is_better)) {
    return "No point that beats the baseline was shown to keep the limits.";
  }
  return "No point was shown to beat the baseline in any objective.";
}

std::int64_t DropDominated(std::vector<Proof>& front) {
  const std::vector<Proof> all = front;
  return static_cast<std::int64_t>(std::erase_if(front, [&](const Proof& point) {
    return std::ranges::any_of(all, [&](const Proof& other) { return IsBeatenBy(other, point); });
  }));
}

std::string DominatedNote(std::int64_t dropped) {
  return fmt::format(
      "{} more {} proven and left out: another point is at least as good in every "
      "objective.",
      CountText(dropped, "point"), dropped == 1 ? "was" : "were");
}

std::string InsensitivityText(const RewardRule& rule, const Insensitivity& found) {
  if (found.rewards.empty()) return "";
  const std::string what = fmt::format("Nothing that was tried moved {} (p = {:.2f} over {})",
                                       rule.objectives.front().metric, found.p_value,
                                       CountText(std::ssize(found.rewards), "candidate"));
  const double hidden = MaxTypicalEffect(found.rewards);
  if (found.is_enough && hidden <= kTellingEffect * found.min_gain) {
    return what + ": the parameters may not matter for this benchmark.";
  }
  return fmt::format(
      "{} by more than noise would; effects below about {:.1f} % cannot be seen in "
      "so few runs.",
      what, std::abs(GainPercent(rule, hidden)));
}

}  // namespace hone::tune

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
constexpr double kTellingResolution = 2;

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

// The typical effect that all candidates together would have shown in 19 of 20 campaigns. The sum
// of n squared z-values has the mean n + s and the variance 2n + 4s, where s is the sum of the
// squared effects in standard errors; it exceeds its 95 % bound so often where s lies as far above
// as both spreads together.
double ResolutionOf(const Insensitivity& found) {
  constexpr double kBound = 1.645;
  const auto n = static_cast<double>(found.candidates);
  double sum = 0;
  for (int i = 0; i < 30; ++i) sum = kBound * (std::sqrt(2 * n) + std::sqrt(2 * n + 4 * sum));
  return found.standard_error * std::sqrt(sum / n);
}

bool KeepsLimits(const Proof& proof) {
  return std::ranges::all_of(proof.limits, [](const LimitCheck& check) { return check.holds; });
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
  if (found.candidates == 0) return "";
  const std::string what = fmt::format("Nothing that was tried moved {} (p = {:.2f} over {})",
                                       rule.objectives.front().metric, found.p_value,
                                       CountText(found.candidates, "candidate"));
  const double resolution = ResolutionOf(found);
  if (resolution <= kTellingResolution * found.min_gain) {
    return what + ": the parameters may not matter for this benchmark.";
  }
  return fmt::format(
      "{} by more than noise would; effects below about {:.1f} % cannot be seen in "
      "so few runs.",
      what, std::abs(GainPercent(rule, resolution)));
}

}  // namespace hone::tune

// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace hone::tune {
namespace {

constexpr const char* kNotKnown = "not known";

// One digit after the point, two for what is small.
int DecimalsFor(double percent) { return std::abs(percent) < 0.95 ? 2 : 1; }

std::string Level(const CampaignSpec& spec) {
  return fmt::format("{:g} %", 100 * spec.proof.confidence);
}

// "[95 %: +8.1 %, +12.4 %]"
std::string LevelRange(const CampaignSpec& spec, const RewardWords& words,
                       const Interval& interval) {
  return fmt::format("[{}: {}", Level(spec), words.MetricRange(interval).substr(1));
}

std::string TestText(const CampaignSpec& spec, const RewardWords& words, const PairedTest& test) {
  return fmt::format("{} {} {}, {}, n = {} pairs", words.MetricChange(test.effect), words.subject(),
                     LevelRange(spec, words, test.interval), PText(test.p_value), test.count);
}

std::string_view WordFor(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::kGain:
      return "Gain";
    case Verdict::Kind::kNoGain:
      return "No gain";
    case Verdict::Kind::kFront:
      return "Front";
    case Verdict::Kind::kNotEnough:
      return "Not enough was tried to say";
    case Verdict::Kind::kSuspicious:
      return "Suspicious";
    case Verdict::Kind::kDoesNotRun:
      return "Does not run";
  }
  return "";
}

std::string Join(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : "; ") + text;
  return joined;
}

}  // namespace

std::string SignedPercent(double percent) {
  if (std::isnan(percent)) return kNotKnown;
  if (!std::isfinite(percent)) return percent < 0 ? "-inf %" : "+inf %";
  std::string text = fmt::format("{:+.1f} %", percent);
  const bool is_zero = text == "-0.0 %" || text == "+0.0 %";
  return is_zero ? "0.0 %" : text;
}

std::string PText(double p_value) {
  if (std::isnan(p_value)) return fmt::format("p {}", kNotKnown);
  return p_value < 0.0001 ? "p < 0.0001" : fmt::format("p = {:.4f}", p_value);
}

std::string DurationText(std::chrono::microseconds duration) {
  const double seconds = std::chrono::duration<double>(duration).count();
  if (seconds < 0.05) return "under 0.1 s";
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string CountText(std::int64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string TypesetPercent(double percent) {
  if (std::isnan(percent)) return kNotKnown;
  if (!std::isfinite(percent)) return "unbounded";
  return fmt::format("{:.{}f}\u00A0%", percent, DecimalsFor(percent));
}

std::string TypesetSignedPercent(double percent) {
  if (std::isnan(percent)) return kNotKnown;
  if (std::isinf(percent)) return percent < 0 ? "−∞" : "+∞";
  const std::string digits = fmt::format("{:.{}f}", std::abs(percent), DecimalsFor(percent));
  const bool is_zero = digits.find_first_not_of("0.") == std::string::npos;
  return fmt::format("{}{}\u00A0%", is_zero ? "±" : percent < 0 ? "−" : "+", digits);
}

std::string TypesetInterval(double low, double high) {
  return fmt::format("{} to {}", TypesetSignedPercent(low), TypesetSignedPercent(high));
}

std::string TypesetP(double p_value) {
  if (std::isnan(p_value) || p_value < 0.0001) return PText(p_value);
  return p_value < 0.1 ? fmt::format("p = {:.2g}", p_value) : fmt::format("p = {:.2f}", p_value);
}

std::string TypesetNumber(double value) {
  if (std::isnan(value)) return kNotKnown;
  if (std::isinf(value)) return value < 0 ? "−∞" : "+∞";
  const double magnitude = std::abs(value);
  if (magnitude >= 1000 && magnitude < 1e7) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

std::string TypesetDuration(std::chrono::microseconds duration) {
  const double seconds = std::chrono::duration<double>(duration).count();
  if (seconds < 1e-3) return fmt::format("{:.0f} µs", 1e6 * seconds);
  if (seconds < 1) return fmt::format("{:.3g} ms", 1e3 * seconds);
  if (seconds < 100) return fmt::format("{:.3g} s", seconds);
  const auto whole = std::llround(seconds);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

double GainPercent(const RewardRule& rule, double reward) {
  return rule.formula == RewardRule::Formula::kGain ? ToPercent(reward) : 100 * reward;
}

RewardWords::RewardWords(const RewardRule& rule) {
  if (rule.formula == RewardRule::Formula::kPerformanceAndStability) {
    is_log_ = false;
    subject_ = "performance and stability";
    return;
  }
  if (rule.objectives.size() == 1) {
    is_turned_ = rule.objectives.front().direction == Direction::kLowerIsBetter;
    subject_ = rule.objectives.front().metric;
    return;
  }
  for (const Objective& objective : rule.objectives) {
    subject_ += (subject_.empty() ? "over " : ", ") + objective.metric;
  }
}

double RewardWords::Percent(double reward) const {
  if (!is_log_) return 100 * reward;
  return 100 * std::expm1(is_turned_ ? -reward : reward);
}

std::string RewardWords::MetricChange(double reward) const {
  return SignedPercent(Percent(reward));
}

std::string RewardWords::MetricRange(const Interval& interval) const {
  double low = interval.low;
  double high = interval.high;
  if (is_turned_) std::swap(low, high);
  return fmt::format("[{}, {}]", MetricChange(low), MetricChange(high));
}

RewardWords WordsFor(const Objective& objective) {
  RewardRule rule;
  rule.objectives = {objective};
  return RewardWords(rule);
}

namespace {

// A comparison names what was compared: "b.conf is better than now: +3.1 % …".
std::string ComparisonHeadline(const CampaignSpec& spec, const Verdict& verdict) {
  const bool is_told =
      verdict.kind == Verdict::Kind::kGain || verdict.kind == Verdict::Kind::kNoGain;
  std::string text =
      is_told ? verdict.reason : fmt::format("{}: {}", WordFor(verdict.kind), verdict.reason);
  if (!verdict.proof || verdict.proof->reward.count == 0) return text;
  const std::string numbers = TestText(spec, RewardWords(spec.rule), verdict.proof->reward);
  if (is_told) return fmt::format("{}: {}", text.substr(0, text.size() - 1), numbers);
  const std::string doubt =
      verdict.kind == Verdict::Kind::kSuspicious ? ", but " + Join(verdict.suspicions) : "";
  return fmt::format("{} ({}){}", text, numbers, doubt);
}

}  // namespace

std::string Headline(const CampaignSpec& spec, const Verdict& verdict) {
  if (spec.comparison) return ComparisonHeadline(spec, verdict);
  const std::string_view word = WordFor(verdict.kind);
  const std::string doubt =
      verdict.kind == Verdict::Kind::kSuspicious ? ", but " + Join(verdict.suspicions) : "";
  if (HasGain(verdict) && !verdict.front.empty()) {
    const auto better = std::count_if(verdict.front.begin(), verdict.front.end(),
                                      [](const Proof& proof) { return proof.is_gain; });
    return fmt::format("{}: {} of {} proven better than the baseline in some objective{}", word,
                       better, CountText(std::ssize(verdict.front), "point"), doubt);
  }
  if (!verdict.proof || verdict.proof->reward.count == 0) {
    return fmt::format("{}: {}{}", word, verdict.reason, doubt);
  }
  const std::string numbers = TestText(spec, RewardWords(spec.rule), verdict.proof->reward);
  if (HasGain(verdict)) return fmt::format("{}: {}{}", word, numbers, doubt);
  return fmt::format("{}: {} ({})", word, verdict.reason, numbers);
}

}  // namespace hone::tune

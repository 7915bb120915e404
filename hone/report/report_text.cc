// SPDX-License-Identifier: Apache-2.0
#include "hone/report/report_text.h"

#include <fmt/format.h>

#include <cmath>

#include "hone/tune/campaign/verdict.h"

namespace hone::report {
namespace {

// One digit after the point, two for what is small.
int DecimalsFor(double percent) { return std::abs(percent) < 0.95 ? 2 : 1; }

}  // namespace

double RewardPercent(const RewardRule& rule, double reward) {
  return rule.formula == RewardRule::Formula::kGain ? tune::ToPercent(reward) : 100 * reward;
}

std::string PercentText(double percent) {
  if (!std::isfinite(percent)) return "unbounded";
  return fmt::format("{:.{}f}\u00A0%", percent, DecimalsFor(percent));
}

std::string SignedPercentText(double percent) {
  if (std::isnan(percent)) return "not known";
  if (std::isinf(percent)) return percent < 0 ? "−∞" : "+∞";
  const std::string digits = fmt::format("{:.{}f}", std::abs(percent), DecimalsFor(percent));
  const bool is_zero = digits.find_first_not_of("0.") == std::string::npos;
  return fmt::format("{}{}\u00A0%", is_zero ? "±" : percent < 0 ? "−" : "+", digits);
}

std::string IntervalText(double low, double high) {
  return fmt::format("{} to {}", SignedPercentText(low), SignedPercentText(high));
}

std::string PValueText(double p) {
  if (p < 0.0001) return "p < 0.0001";
  return p < 0.1 ? fmt::format("p = {:.2g}", p) : fmt::format("p = {:.2f}", p);
}

std::string NumberText(double value) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const double magnitude = std::abs(value);
  if (magnitude >= 1000 && magnitude < 1e7) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

std::string DurationText(std::chrono::microseconds duration) {
  const double seconds = std::chrono::duration<double>(duration).count();
  if (seconds < 1e-3) return fmt::format("{:.0f} µs", 1e6 * seconds);
  if (seconds < 1) return fmt::format("{:.3g} ms", 1e3 * seconds);
  if (seconds < 100) return fmt::format("{:.3g} s", seconds);
  const auto whole = std::llround(seconds);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string CountText(std::int64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace hone::report

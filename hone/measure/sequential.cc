// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/sequential.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "hone/core/check.h"

namespace hone {
namespace {

// The bets, in inverse spreads, with equal shares of the stake. The best bet for an effect of d
// spreads is about d; the largest is nearly a bet on the sign alone.
constexpr std::array kBets = {0.125, 0.25, 0.5, 1.0, 2.0, 4.0};

// From here on the spread is taken from the data rather than from the guess.
constexpr std::size_t kEnoughForSpread = 5;

double SpreadBefore(std::span<const double> past, double expected) {
  if (past.size() >= kEnoughForSpread || (expected == 0 && past.size() >= 2)) {
    const double seen = MedianAbsoluteDeviation(past);
    if (seen > 0) return seen;
  }
  return expected;
}

// log of prod (1 + tanh(y)) over y = bet * sign * (x - mean) / spread. Factors 2 / (1 + e^-2y) are
// gathered into a product and taken to the logarithm only before it could overflow.
double LogWealth(std::span<const double> values, std::span<const double> spreads, double mean,
                 double signed_bet) {
  double log_wealth = 0;
  double divisor = 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (spreads[i] == 0) continue;
    const double exponent = -2 * signed_bet * (values[i] - mean) / spreads[i];
    if (exponent > 200) {  // 1 + e^x is e^x here, and might overflow.
      log_wealth += std::numbers::ln2 - exponent;
      continue;
    }
    divisor *= 0.5 * (1 + std::exp(exponent));
    if (divisor > 1e100 || divisor < 1e-100) {
      log_wealth -= std::log(divisor);
      divisor = 1;
    }
  }
  return log_wealth - std::log(divisor);
}

double MixtureWealth(std::span<const double> values, std::span<const double> spreads, double mean,
                     double sign) {
  double wealth = 0;
  for (const double bet : kBets) {
    wealth += std::exp(LogWealth(values, spreads, mean, sign * bet));
  }
  return wealth / static_cast<double>(kBets.size());
}

// The last centre that is rejected on the way from `outside` to `inside`, which is not; `outside`
// is first moved away until it is. Rejection is monotone. Infinite if it never happens.
template <typename Rejects>
double FindBound(double inside, double outside, double scale, const Rejects& rejects) {
  double step = std::copysign(scale, outside - inside);
  for (int doublings = 0; !rejects(outside); ++doublings) {
    if (doublings > 60) return std::copysign(std::numeric_limits<double>::infinity(), step);
    inside = outside;
    outside += step;
    step *= 2;
  }
  while (std::abs(outside - inside) > 1e-7 * scale) {
    const double middle = 0.5 * (inside + outside);
    if (middle == inside || middle == outside) break;
    (rejects(middle) ? outside : inside) = middle;
  }
  return outside;
}

}  // namespace

ConfidenceSequence::ConfidenceSequence(double alpha, double expected_spread)
    : alpha_(alpha), expected_spread_(expected_spread) {
  HONE_CHECK(0 < alpha && alpha < 1);
  HONE_CHECK(std::isfinite(expected_spread) && expected_spread >= 0);
}

void ConfidenceSequence::Add(double x) {
  HONE_CHECK(std::isfinite(x));
  spreads_.push_back(SpreadBefore(values_, expected_spread_));
  values_.push_back(x);
}

std::int64_t ConfidenceSequence::Count() const { return std::ssize(values_); }

Interval ConfidenceSequence::Current() const {
  const auto bets = std::count_if(spreads_.begin(), spreads_.end(), [](double s) { return s > 0; });
  if (std::exp2(static_cast<double>(bets)) < 2 / alpha_) return {};
  const auto [least, most] = std::minmax_element(values_.begin(), values_.end());
  const double median = Median(values_);
  const double scale = spreads_.back();
  const auto is_below = [&](double mean) { return EValueAbove(mean) >= 2 / alpha_; };
  const auto is_above = [&](double mean) { return EValueBelow(mean) >= 2 / alpha_; };
  return {FindBound(*most + scale, median - scale, scale, is_below),
          FindBound(*least - scale, median + scale, scale, is_above)};
}

double ConfidenceSequence::EValueAgainst(double mean) const {
  return 0.5 * (EValueAbove(mean) + EValueBelow(mean));
}

double ConfidenceSequence::EValueAbove(double mean) const {
  return MixtureWealth(values_, spreads_, mean, 1);
}

double ConfidenceSequence::EValueBelow(double mean) const {
  return MixtureWealth(values_, spreads_, mean, -1);
}

AsymptoticConfidenceSequence::AsymptoticConfidenceSequence(double alpha, std::int64_t tightest_at,
                                                           std::int64_t earliest)
    : alpha_(alpha), earliest_(earliest) {
  HONE_CHECK(0 < alpha && alpha < 1 && tightest_at > 0 && earliest >= 2);
  const double twice = -2 * std::log(alpha);
  rho_squared_ = (twice + std::log(twice + 1)) / static_cast<double>(tightest_at);
}

void AsymptoticConfidenceSequence::Add(double x) {
  HONE_CHECK(std::isfinite(x));
  ++count_;
  const double distance = x - mean_;
  mean_ += distance / static_cast<double>(count_);
  squares_ += distance * (x - mean_);
}

Interval AsymptoticConfidenceSequence::Current() const {
  if (count_ < earliest_) return {};
  const auto n = static_cast<double>(count_);
  const double variance = squares_ / (n - 1);
  const double grown = n * rho_squared_ + 1;
  const double reach = std::sqrt(variance * 2 * grown / (n * n * rho_squared_) *
                                 std::log(std::sqrt(grown) / alpha_));
  return {mean_ - reach, mean_ + reach};
}

}  // namespace hone

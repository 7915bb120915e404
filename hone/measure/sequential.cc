// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/sequential.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "hone/core/check.h"

namespace hone {
namespace {

// The bets, in inverse spreads, with equal shares of the stake: 1/8, 1/4 … 4, each twice the one
// before. The best bet for an effect of d spreads is about d; the largest is nearly a bet on the
// sign alone.
constexpr double kSmallestBet = 0.125;
constexpr std::size_t kBets = 6;

// Distances beyond this many spreads count as this many. Being odd, the cut keeps the symmetry.
constexpr double kFarthest = 40;

// The spread is taken from the data once there are enough, with the guess as a floor at first.
constexpr std::size_t kFewestForSpread = 3;
constexpr std::size_t kEnoughForSpread = 5;

double SpreadBefore(std::span<const double> past, double expected) {
  if (past.size() < kFewestForSpread) return expected;
  const double seen = MeanAbsoluteDeviation(past);
  return past.size() < kEnoughForSpread || seen == 0 ? std::max(seen, expected) : seen;
}

struct Wealth {
  double above = 0;
  double below = 0;
};

// The mixtures of prod (1 + tanh(b z)) and prod (1 - tanh(b z)), z = (x - mean) / spread. One
// exponential a value serves all: 1 + tanh(b z) = 2 / (1 + e) with e = exp(-2 b z), the next bet's
// e is the square of this one's, and 1 - tanh(b z) is e times the first. Products are taken to the
// logarithm only before they could overflow.
Wealth MixtureWealth(std::span<const double> values, std::span<const double> spreads, double mean) {
  std::array<double, kBets> log_divisor{};
  std::array<double, kBets> divisor;
  divisor.fill(1);
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (spreads[i] == 0) continue;
    const double z = std::clamp((values[i] - mean) / spreads[i], -kFarthest, kFarthest);
    sum += z;
    double e = std::exp(-2 * kSmallestBet * z);
    for (std::size_t k = 0; k < kBets; ++k, e *= e) {
      divisor[k] *= 0.5 * (1 + e);
      if (divisor[k] > 1e100 || divisor[k] < 1e-100) {
        log_divisor[k] += std::log(divisor[k]);
        divisor[k] = 1;
      }
    }
  }
  Wealth wealth;
  double bet = kSmallestBet;
  for (std::size_t k = 0; k < kBets; ++k, bet *= 2) {
    const double log_above = -log_divisor[k] - std::log(divisor[k]);
    wealth.above += std::exp(log_above) / kBets;
    wealth.below += std::exp(log_above - 2 * bet * sum) / kBets;
  }
  return wealth;
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
  const auto [min, max] = std::minmax_element(values_.begin(), values_.end());
  const double median = Median(values_);
  const double scale = spreads_.back();
  const auto is_below = [&](double mean) { return EValueAbove(mean) >= 2 / alpha_; };
  const auto is_above = [&](double mean) { return EValueBelow(mean) >= 2 / alpha_; };
  return {FindBound(*max + scale, median - scale, scale, is_below),
          FindBound(*min - scale, median + scale, scale, is_above)};
}

double ConfidenceSequence::EValueAbove(double mean) const {
  return MixtureWealth(values_, spreads_, mean).above;
}

double ConfidenceSequence::EValueBelow(double mean) const {
  return MixtureWealth(values_, spreads_, mean).below;
}

}  // namespace hone

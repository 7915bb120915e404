// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/power.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "hone/core/check.h"
#include "hone/measure/distributions.h"
#include "hone/measure/signed_rank.h"

namespace hone {
namespace {

// Of the signed-rank test to Student's, under normal noise.
constexpr double kEfficiency = 3 / std::numbers::pi;

// Above this the noncentral t and the normal differ by less than anyone can use.
constexpr double kManyDegrees = 2000;

// 0: too few pairs to reject anything.
std::int64_t Depth(std::int64_t pairs, double alpha) {
  return pairs > 0 ? SignedRankDepth(pairs, alpha / 2) : 0;
}

// The largest level that the signed-rank test can attain without going above alpha.
double AttainedLevel(std::int64_t pairs, double alpha, std::int64_t depth) {
  return pairs > kMaxExactPairs ? alpha : 2 * SignedRankCdf(pairs, depth - 1);
}

// The chance that all signs agree, which is all that the fewest pairs can reject by. `shift` is the
// effect in standard deviations.
double ChanceOfOneSign(double shift, double pairs) {
  return std::pow(NormalCdf(shift), pairs) + std::pow(NormalCdf(-shift), pairs);
}

}  // namespace

double PowerOf(double effect, double sd_of_log_ratio, std::int64_t pairs, double alpha) {
  HONE_CHECK(sd_of_log_ratio >= 0 && 0 < alpha && alpha < 1);
  const std::int64_t depth = Depth(pairs, alpha);
  if (depth == 0) return 0;
  const double level = AttainedLevel(pairs, alpha, depth);
  if (sd_of_log_ratio == 0) return effect == 0 ? level : 1;
  const auto n = static_cast<double>(pairs);
  const double relative = std::abs(effect) / sd_of_log_ratio;
  if (depth == 1) return ChanceOfOneSign(relative, n);
  const double shift = relative * std::sqrt(n * kEfficiency);
  if (n > kManyDegrees) {
    const double bound = NormalQuantile(1 - level / 2);
    return NormalCdf(shift - bound) + NormalCdf(-shift - bound);
  }
  const double bound = StudentQuantile(1 - level / 2, n - 1);
  if (shift > 40 + 10 * bound) return 1;  // To all digits; Boost's series throws far out.
  const double inside =
      NoncentralStudentCdf(bound, n - 1, shift) - NoncentralStudentCdf(-bound, n - 1, shift);
  return 1 - inside;
}

double MinimumDetectableEffect(double sd_of_log_ratio, std::int64_t pairs, double alpha,
                               double power) {
  HONE_CHECK(alpha < power && power < 1);
  if (Depth(pairs, alpha) == 0) return std::numeric_limits<double>::infinity();
  if (sd_of_log_ratio == 0) return 0;
  double low = 0;
  double high = sd_of_log_ratio;
  while (PowerOf(high, sd_of_log_ratio, pairs, alpha) < power) {
    low = high;
    high *= 2;
  }
  while (high - low > 1e-9 * high) {
    const double middle = 0.5 * (low + high);
    (PowerOf(middle, sd_of_log_ratio, pairs, alpha) < power ? low : high) = middle;
  }
  return high;
}

std::int64_t PairsNeeded(double effect, double sd_of_log_ratio, double alpha, double power) {
  HONE_CHECK(effect != 0 && alpha < power && power < 1);
  std::int64_t low = 1;  // Too few.
  std::int64_t high = 2;
  while (PowerOf(effect, sd_of_log_ratio, high, alpha) < power) {
    if (high >= kMaxPairs) return kMaxPairs;
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (PowerOf(effect, sd_of_log_ratio, middle, alpha) < power ? low : high) = middle;
  }
  return std::min(high, kMaxPairs);
}

}  // namespace hone

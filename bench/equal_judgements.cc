// SPDX-License-Identifier: Apache-2.0
#include "bench/equal_judgements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "hone/measure/distributions.h"
#include "hone/measure/statistics.h"

namespace hone {
namespace {

constexpr double kSignificance = 0.01;
constexpr std::size_t kMinCalm = 4;  // Fewer say nothing of how much they vary.

// The chance of at most `covered` of `all` if each had the chance `share`.
double ChanceOfSoFew(int covered, int all, double share) {
  double chance = 0;
  for (int i = 0; i <= covered; ++i) {
    const double ways = std::lgamma(all + 1) - std::lgamma(i + 1) - std::lgamma(all - i + 1);
    chance += std::exp(ways + i * std::log(share) + (all - i) * std::log1p(-share));
  }
  return chance;
}

}  // namespace

bool Tally::Count(int right, int rounds) {
  covered += right;
  all += rounds;
  const bool are_few = ChanceOfSoFew(right, rounds, kCoverage) < kSignificance;
  is_short |= are_few;
  return are_few;
}

bool Tally::Holds() const { return !is_short && ChanceOfSoFew(covered, all, kCoverage) >= 0.05; }

std::vector<double> Tally::VariationsFrom(double us) const {
  std::vector<double> found;
  for (const Variation& variation : variations) {
    if (variation.is_known && variation.time_us >= us) found.push_back(variation.share);
  }
  return found;
}

int Tally::RestlessFrom(double us) const {
  return static_cast<int>(std::ranges::count_if(variations, [us](const Variation& variation) {
    return !variation.is_known && variation.time_us >= us;
  }));
}

bool Report(const char* what, double found, double bar, const char* unit, bool holds) {
  fmt::print("{:<60} {:>9.3f} {} (bar {})  {}\n", what, found, unit, bar,
             holds ? "holds" : "FAILS");
  return holds;
}

void PrintEqualHead() {
  fmt::print("  {:<20} {:>12} {:>10} {:>9} {:>10} {:>11} {:>10} {:>6}\n", "problem", "time",
             "variation", "speedup", "half width", "found so", "covers 1", "calm");
}

void JudgeEqual(const std::string& name, const Equal& equal, Judge& judge, int rounds,
                Tally& tally) {
  std::vector<double> all_times;
  std::vector<double> times;  // While the machine was calm.
  std::vector<double> speedups;
  std::vector<double> widths;
  std::vector<double> logs;
  int covered = 0;
  for (int i = 0; i < rounds; ++i) {
    const Judgement one = judge.Once(equal.source, static_cast<std::uint64_t>(i) + 1);
    if (one.outcome != Outcome::kAccepted) GiveUp(name, equal.name + ": " + one.reason);
    all_times.push_back(one.time_ms);
    if (!one.is_unstable) times.push_back(one.time_ms);
    speedups.push_back(one.speedup);
    logs.push_back(std::log(one.speedup));
    widths.push_back(one.interval.high - one.interval.low);
    covered += one.Covers(1) ? 1 : 0;
  }
  const bool is_short = tally.Count(covered, rounds);
  const double median = Median(times.empty() ? all_times : times);
  const bool is_calm = times.size() >= kMinCalm;
  const double variation = is_calm ? StandardDeviation(times) / Mean(times) : 0;
  tally.variations.push_back({1000 * median, variation, is_calm});
  fmt::print("  {:<20} {:>9.1f} us {:>8.2f} % {:>9.4f} {:>8.2f} % {:>9.2f} % {:>5} of {} {:>6}{}\n",
             equal.name, 1000 * median, 100 * variation, Median(speedups), 100 * Median(widths) / 2,
             100 * kErrorsOf95 * StandardDeviation(logs), covered, rounds, times.size(),
             is_short ? "  FAILS" : "");
  std::fflush(stdout);
}

}  // namespace hone

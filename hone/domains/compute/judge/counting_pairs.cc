// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/counting_pairs.h"

#include <algorithm>
#include <cstddef>

namespace hone::compute {
namespace {

constexpr double kDelayNs = 10'000;     // So long a wait for a processor is noticed,
constexpr double kDelayShare = 0.01;    // or so much of the time.
constexpr double kMoreDisturbed = 0.3;  // Than the reference: then it is its own doing.

double UselessShare(const Watch& watch) { return watch.OutsideShare() + watch.AsideShare(); }

// Of its pairs, which do not count any more.
double DisturbedShare(const TimedSide& side, std::vector<bool>& counts) {
  double disturbed = 0;
  for (std::size_t i = 0; i < side.times.size(); ++i) {
    if (!IsDisturbed(side.times[i], side.delay[i])) continue;
    counts[i] = false;
    ++disturbed;
  }
  return disturbed / static_cast<double>(std::max<std::size_t>(1, side.times.size()));
}

}  // namespace

bool IsDisturbed(double time_ns, double delay_ns) {
  return delay_ns > kDelayNs + kDelayShare * time_ns;
}

std::vector<bool> CountingPairs(const TimingReport& report, std::int64_t min) {
  const std::size_t pairs = report.candidate.times.size();
  std::vector<bool> counts(pairs, true);
  const double ours =
      DisturbedShare(report.reference, counts) + UselessShare(report.reference_watch);
  const double theirs =
      DisturbedShare(report.candidate, counts) + UselessShare(report.candidate_watch);
  const auto left = std::ranges::count(counts, true);
  if (left >= min && theirs <= ours + kMoreDisturbed) return counts;
  return std::vector<bool>(pairs, true);
}

}  // namespace hone::compute

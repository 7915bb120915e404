// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/quiet_periods.h"

#include <algorithm>

#include "hone/measure/statistics.h"

namespace hone::compute {
namespace {

constexpr double kQuietRoom = 1.06;    // Times the level,
constexpr double kQuietRoomNs = 1500;  // or so much above it: a short call varies by itself.
constexpr double kFastShare = 0.25;    // Of this evaluation, where nothing faster is known.
constexpr double kForget = 1.03;       // A level that was not reached rises so much.
constexpr double kLearn = 0.2;         // Weight of the last evaluation.

}  // namespace

QuietPeriods FindQuietPeriods(std::span<const double> reference, double known) {
  QuietPeriods quiet;
  quiet.is_quiet.assign(reference.size(), false);
  if (reference.empty()) return quiet;
  const double fast = Quantile(reference, kFastShare);
  const double level = known > 0 ? std::min(known, fast) : fast;
  const double max = std::max(kQuietRoom * level, level + kQuietRoomNs);
  const auto is_slow = [&](std::size_t i) { return i < reference.size() && reference[i] > max; };
  std::vector<double> times;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    quiet.is_quiet[i] = !is_slow(i) && !is_slow(i + 1) && (i == 0 || !is_slow(i - 1));
    if (quiet.is_quiet[i]) times.push_back(reference[i]);
  }
  quiet.count = static_cast<std::int64_t>(times.size());
  quiet.level = times.empty() ? Median(reference) : Median(times);
  return quiet;
}

double NextLevel(double known, const QuietPeriods& seen) {
  if (known <= 0 || seen.level < known / kQuietRoom) return seen.level;
  if (seen.count == 0) return std::min(seen.level, kForget * known);
  return (1 - kLearn) * known + kLearn * seen.level;
}

}  // namespace hone::compute

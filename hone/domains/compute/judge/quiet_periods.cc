// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/quiet_periods.h"

#include <algorithm>
#include <cmath>

#include "hone/measure/statistics.h"

namespace hone::compute {
namespace {

constexpr double kFastShare = 0.25;   // Of this evaluation, where nothing faster is known.
constexpr double kMuchFaster = 1.06;  // Is no noise.
constexpr double kForget = 1.03;      // The level rises so much a minute at most.
constexpr double kLearn = 0.2;        // Weight of the last evaluation.

}  // namespace

double LevelOf(std::span<const double> values, double known) {
  const double fast = Quantile(values, kFastShare);
  return known > 0 ? std::min(known, fast) : fast;
}

QuietPeriods FindQuietPeriods(std::span<const double> reference, double known, QuietRoom room) {
  QuietPeriods quiet;
  quiet.is_quiet.assign(reference.size(), false);
  if (reference.empty()) return quiet;
  const double level = LevelOf(reference, known);
  const double max = std::max(room.share * level, level + room.ns);
  const auto is_slow = [&](std::size_t i) { return i < reference.size() && reference[i] > max; };
  const auto is_slow_after = [&](std::size_t i) { return room.looks_on && is_slow(i + 1); };
  std::vector<double> times;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    quiet.is_quiet[i] = !is_slow(i) && !is_slow_after(i) && (i == 0 || !is_slow(i - 1));
    if (quiet.is_quiet[i]) times.push_back(reference[i]);
  }
  quiet.count = static_cast<std::int64_t>(times.size());
  quiet.level = times.empty() ? Median(reference) : Median(times);
  return quiet;
}

double SlownessOf(std::span<const double> pulses, double known) {
  if (pulses.empty()) return 1;
  return std::max(1.0, Median(pulses) / LevelOf(pulses, known));
}

void QuietLevel::See(const QuietPeriods& seen, Time now) {
  if (seen.level <= 0) return;
  const std::chrono::duration<double, std::ratio<60>> minutes = now - seen_at_;
  seen_at_ = now;
  if (ns_ <= 0 || seen.level < ns_ / kMuchFaster) {
    ns_ = seen.level;
    return;
  }
  ns_ =
      std::min((1 - kLearn) * ns_ + kLearn * seen.level, ns_ * std::pow(kForget, minutes.count()));
}

}  // namespace hone::compute

// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/calm.h"

#include <algorithm>

#include "hone/measure/statistics.h"

namespace hone::compute {
namespace {

constexpr double kCalmRoom = 1.06;    // Times the level,
constexpr double kCalmRoomNs = 1500;  // or so much above it: a short call varies by itself.
constexpr double kFastShare = 0.25;   // Of this evaluation, where nothing faster is known.
constexpr double kForget = 1.03;      // A level that was not reached rises so much.
constexpr double kLearn = 0.2;        // Weight of the last evaluation.

}  // namespace

Calm FindCalm(std::span<const double> reference, double known) {
  Calm calm;
  calm.is_calm.assign(reference.size(), false);
  if (reference.empty()) return calm;
  const double fast = Quantile(reference, kFastShare);
  const double level = known > 0 ? std::min(known, fast) : fast;
  const double most = std::max(kCalmRoom * level, level + kCalmRoomNs);
  const auto is_slow = [&](std::size_t i) { return i < reference.size() && reference[i] > most; };
  std::vector<double> times;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    calm.is_calm[i] = !is_slow(i) && !is_slow(i + 1) && (i == 0 || !is_slow(i - 1));
    if (calm.is_calm[i]) times.push_back(reference[i]);
  }
  calm.count = static_cast<std::int64_t>(times.size());
  calm.level = times.empty() ? Median(reference) : Median(times);
  return calm;
}

double NextLevel(double known, const Calm& seen) {
  if (known <= 0 || seen.level < known / kCalmRoom) return seen.level;
  if (seen.count == 0) return std::min(seen.level, kForget * known);
  return (1 - kLearn) * known + kLearn * seen.level;
}

}  // namespace hone::compute

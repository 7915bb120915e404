// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/cheating.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace hone::compute {
namespace {

// The peak is measured, so it may be a little low; and a floor is to catch lies, not luck.
constexpr double kShareOfFloor = 0.5;

// Noise hits candidate and reference alike, since they take turns on one processor. An accusation
// asks that nearly all calls of the one show it, and nearly none of the other.
constexpr double kNearlyAll = 0.7;
constexpr double kNearlyNone = 0.2;
constexpr std::size_t kMinCalls = 5;
constexpr double kIdleRoomNs = 10'000;
constexpr double kIdleTimes = 3;  // What a runner does between calls varies; Python's does a lot.
constexpr double kMaxIdleNs = 80'000;         // A runner that is armed spins no longer than this.
constexpr double kIdleRoomAloneNs = 500'000;  // Where there is no reference to compare with.
constexpr double kIdleShare = 0.25;
constexpr double kClockRoomNs = 10'000;
constexpr double kClockShare = 0.5;

// The share of calls for which `is_odd` holds, of those for which it can be told (not negative).
template <typename IsOdd>
std::optional<double> ShareOf(const TimedSide& side, IsOdd is_odd) {
  std::size_t odd = 0;
  std::size_t known = 0;
  for (std::size_t i = 0; i < side.times.size(); ++i) {
    const int answer = is_odd(side, i);
    known += answer >= 0 ? 1 : 0;
    odd += answer > 0 ? 1 : 0;
  }
  if (known < kMinCalls) return std::nullopt;
  return static_cast<double>(odd) / static_cast<double>(known);
}

// Who is measured beside a reference is accused only of what that does not do. Where the machine
// was too busy to tell, nobody is.
template <typename IsOdd>
bool StandsOut(const TimingReport& times, IsOdd is_odd) {
  const double usual =
      times.reference.times.empty() ? 0 : ShareOf(times.reference, is_odd).value_or(1);
  return ShareOf(times.candidate, is_odd).value_or(0) >= kNearlyAll && usual <= kNearlyNone;
}

std::vector<double> KnownIdleWork(const TimedSide& side) {
  std::vector<double> known;
  for (const double idle : side.idle_work) {
    if (idle >= 0) known.push_back(idle);
  }
  return known;
}

// The same of the reference, and what was put down to a judge who was away with it: that he was may
// have hit one side alone, and must not make the other one look busy.
std::vector<double> WholeIdleWork(const TimedSide& side) {
  std::vector<double> whole;
  for (std::size_t i = 0; i < side.idle_work.size(); ++i) {
    if (side.idle_work[i] < 0) continue;
    whole.push_back(std::max(side.idle_work[i], side.work[i] - side.times[i]));
  }
  return whole;
}

}  // namespace

Finding Cheated(std::string_view check, std::string seen) {
  std::string reason = "the kernel cheats: " + seen;
  return {Outcome::kCheated,
          std::move(reason),
          {{"cheat", fmt::format("check: {}\nseen: {}", check, seen)}}};
}

MaybeFinding CheckFloor(const Problem& problem, const Sizes& sizes, const TimingReport& times,
                        const MachinePeak& peak) {
  const double threads = problem.policy.threads;
  const auto bytes = static_cast<double>(problem.bytes.At(sizes));
  const auto operations = static_cast<double>(problem.operations.At(sizes));
  const double floor = std::max(bytes / (peak.bytes_per_ns * threads),
                                operations / (peak.operations_per_ns * threads));
  // The round trip was measured apart from the calls; a kernel may be faster than its spread.
  if (times.candidate.median + times.round_trip >= kShareOfFloor * floor) return std::nullopt;
  return Cheated(
      "the physical floor",
      fmt::format("a median of {:.0f} ns, where {:.0f} bytes at {:.1f} per ns and {:.0f} "
                  "operations at {:.1f} per ns take {:.0f} ns on this machine at best",
                  times.candidate.median, bytes, peak.bytes_per_ns * threads, operations,
                  peak.operations_per_ns * threads, floor));
}

MaybeFinding CheckClocks(const TimingReport& times) {
  // A clock that goes right shows at least the processor time.
  const auto is_odd = [&](const TimedSide& side, std::size_t i) {
    const double min = side.work[i] > 1 ? std::min(side.work[i], side.times[i]) : side.times[i];
    return side.claimed[i] < (1 - kClockShare) * min - kClockRoomNs ? 1 : 0;
  };
  if (!StandsOut(times, is_odd)) return std::nullopt;
  return Cheated("the runner's clock against the judge's",
                 fmt::format("its process says {:.0f} ns a call, the judge's clock {:.0f} ns",
                             Median(times.candidate.claimed), times.candidate.median));
}

double IdleAllowance(const TimingReport& times) {
  if (times.reference.times.empty()) return kIdleRoomAloneNs;
  std::vector<double> known = WholeIdleWork(times.reference);
  if (known.size() >= kMinCalls) {
    const double usual = Median(known);
    return std::max(usual + kIdleRoomNs, kIdleTimes * usual);
  }
  known.push_back(kMaxIdleNs);
  return std::ranges::max(known) + kIdleRoomNs;
}

MaybeFinding CheckIdleWork(const TimingReport& times) {
  const double allowance = IdleAllowance(times);
  const auto is_odd = [&](const TimedSide& side, std::size_t i) -> int {
    if (side.idle_work[i] < 0) return -1;
    return side.idle_work[i] - allowance > kIdleShare * side.times[i] ? 1 : 0;
  };
  if (!StandsOut(times, is_odd)) return std::nullopt;
  return Cheated(
      "processor time between the calls",
      fmt::format("it works for {:.0f} ns between one call's end and the next one's "
                  "beginning, where {:.0f} ns are usual; its calls take {:.0f} ns",
                  Median(KnownIdleWork(times.candidate)), allowance, times.candidate.median));
}

}  // namespace hone::compute

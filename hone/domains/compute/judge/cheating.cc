// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/cheating.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hone::compute {
namespace {

// The peak is measured, so it may be a little low; and a floor is to catch lies, not luck.
constexpr double kShareOfFloor = 0.5;

// Between calls an honest runner wakes up, answers and goes to sleep. What the reference's runner
// uses for it is the measure; the rest is room for noise.
constexpr double kIdleRoomNs = 20'000;
constexpr double kIdleShare = 0.25;

constexpr double kClockRoomNs = 20'000;
constexpr double kClockShare = 0.5;

}  // namespace

Finding Cheated(std::string_view check, std::string seen) {
  std::string reason = "the kernel cheats: " + seen;
  return {Outcome::kCheated, std::move(reason),
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
  return Cheated("the physical floor",
                 fmt::format("a median of {:.0f} ns, where {:.0f} bytes at {:.1f} per ns and {:.0f} "
                             "operations at {:.1f} per ns take {:.0f} ns on this machine at best",
                             times.candidate.median, bytes, peak.bytes_per_ns * threads, operations,
                             peak.operations_per_ns * threads, floor));
}

MaybeFinding CheckClocks(const TimingReport& times) {
  const auto gap = [&](const TimedSide& side) {
    std::vector<double> gaps;
    for (std::size_t i = 0; i < side.times.size(); ++i) {
      gaps.push_back(side.times[i] - side.claimed[i]);
    }
    return gaps.empty() ? 0 : Median(gaps);
  };
  const double ours = gap(times.candidate);
  const double usual = gap(times.reference);
  const double allowed = std::max(kClockRoomNs, kClockShare * times.candidate.median);
  if (ours - usual <= allowed && usual - ours <= allowed) return std::nullopt;
  return Cheated("the runner's clock against the judge's",
                 fmt::format("its process says {:.0f} ns a call, the judge's clock {:.0f} ns",
                             Median(times.candidate.claimed), times.candidate.median));
}

MaybeFinding CheckIdleWork(const TimingReport& times) {
  const auto usual = times.reference.idle_work.empty() ? 0 : Median(times.reference.idle_work);
  if (times.candidate.idle_work.empty()) return std::nullopt;
  const double ours = Median(times.candidate.idle_work);
  if (ours < 0 || usual < 0) return std::nullopt;
  const double allowed = std::max(kIdleRoomNs, kIdleShare * times.candidate.median);
  if (ours - usual <= allowed) return std::nullopt;
  return Cheated("processor time between the calls",
                 fmt::format("it works for {:.0f} ns between one call's end and the next one's "
                             "beginning, where an honest runner takes {:.0f} ns; its calls take "
                             "{:.0f} ns",
                             ours, usual, times.candidate.median));
}

}  // namespace hone::compute

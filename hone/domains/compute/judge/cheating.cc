// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/cheating.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "hone/domains/compute/judge/roofline.h"

namespace hone::compute {
namespace {

// The peak is measured, so it may be a little low; and a floor is to catch lies, not luck.
constexpr double kShareOfFloor = 0.5;

// Noise hits candidate and reference alike, since they take turns on one processor. An accusation
// asks that nearly all calls of the one show it, and nearly none of the other.
constexpr double kNearlyAll = 0.7;
constexpr double kNearlyNone = 0.2;
constexpr std::size_t kMinCalls = 5;
// Of publications in which it worked when it should have slept, which do not count: if they may be
// more, it can choose which do, and leave out those that were slow. A median hides as many anyway.
constexpr double kTooMany = 0.3;
constexpr double kClockRoomNs = 10'000;
constexpr double kClockShare = 0.5;
constexpr double kUnseenNs = 10'000;
constexpr double kUnseenShare = 0.5;  // Of all that it does.

// The share of publications for which `is_odd` holds; 0 if they are too few.
template <typename IsOdd>
double ShareOf(const TimedSide& side, IsOdd is_odd) {
  std::size_t odd = 0;
  for (std::size_t i = 0; i < side.times.size(); ++i) odd += is_odd(side, i) ? 1 : 0;
  if (side.times.size() < kMinCalls) return 0;
  return static_cast<double>(odd) / static_cast<double>(side.times.size());
}

// Who is measured beside a reference is accused only of what that does not do.
template <typename IsOdd>
bool StandsOut(const TimingReport& times, IsOdd is_odd) {
  return ShareOf(times.candidate, is_odd) >= kNearlyAll &&
         ShareOf(times.reference, is_odd) <= kNearlyNone;
}

// Whether the candidate did it too often and the reference nearly never.
bool IsTheCandidates(std::size_t count, double share, double share_of_reference) {
  return count >= kMinCalls && share >= kTooMany && share_of_reference <= kNearlyNone;
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
  const Roofline roofline = RooflineOf(problem, sizes, peak);
  double floor = roofline.Floor();
  // A peak is measured in some moment, and that may have been a bad one: what the reference was
  // just seen to do, the machine can do.
  if (!times.reference.times.empty()) floor = std::min(floor, times.reference.median);
  // The round trip was measured apart from the calls; a kernel may be faster than its spread.
  if (times.candidate.median + times.round_trip >= kShareOfFloor * floor) return std::nullopt;
  return Cheated(
      "the physical floor",
      fmt::format("a median of {:.0f} ns, where {:.0f} bytes at {:.1f} per ns and {:.0f} "
                  "operations at {:.1f} per ns take {:.0f} ns on this machine at best",
                  times.candidate.median, roofline.bytes, roofline.peak.bytes_per_ns,
                  roofline.operations, roofline.peak.operations_per_ns, floor));
}

MaybeFinding CheckClocks(const TimingReport& times) {
  // A clock that goes right shows at least the processor time.
  const auto is_odd = [&](const TimedSide& side, std::size_t i) {
    const double min = std::min(side.work[i], side.times[i]);
    return side.claimed[i] < (1 - kClockShare) * min - kClockRoomNs;
  };
  if (!StandsOut(times, is_odd)) return std::nullopt;
  return Cheated("the runner's clock against the judge's",
                 fmt::format("its process says {:.0f} ns a call, the judge's clock {:.0f} ns",
                             Median(times.candidate.claimed), times.candidate.median));
}

MaybeFinding CheckWatch(const TimingReport& times) {
  const Watch& ours = times.reference_watch;
  const Watch& theirs = times.candidate_watch;
  if (IsTheCandidates(theirs.outside.size(), theirs.OutsideShare(), ours.OutsideShare())) {
    return Cheated("processor time outside of the call",
                   fmt::format("in {} of {} publications it worked, for {:.0f} ns, before the call "
                               "was published or while its outputs were read, when a runner sleeps",
                               theirs.outside.size(), theirs.publications, Median(theirs.outside)));
  }
  if (IsTheCandidates(theirs.aside.size(), theirs.AsideShare(), ours.AsideShare())) {
    return Cheated("processor time while the reference is timed",
                   fmt::format("in {} of {} publications it worked, for {:.0f} ns, while the "
                               "reference ran, where a runner sleeps",
                               theirs.aside.size(), theirs.beside, Median(theirs.aside)));
  }
  return std::nullopt;
}

MaybeFinding CheckUnseen(const TimingReport& times) {
  const Unseen& unseen = times.unseen;
  if (unseen.charge < kUnseenNs || unseen.charge < kUnseenShare * times.candidate.median) {
    return std::nullopt;
  }
  return Cheated("work on the GPU outside of the call",
                 fmt::format("in {} sealed pairs of calls, of which the judge sees for itself when "
                             "they end, it took {:.0f} ns longer than its runner's answers say",
                             unseen.pairs, unseen.ns));
}

}  // namespace hone::compute

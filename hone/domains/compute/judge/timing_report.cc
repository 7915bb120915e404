// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/timing_report.h"

#include <algorithm>
#include <cmath>

#include "hone/measure/distributions.h"

namespace hone::compute {
namespace {

constexpr std::size_t kFewTimes = 9;    // Below, no order statistics reach 95 % with room to spare.
constexpr std::size_t kMinTimes = 4;    // Fewer say nothing of how much they differ.
constexpr std::size_t kSomeTimes = 6;   // Fewer may be alike by chance:
constexpr double kFewRoom = 0.05;       // then they are known no better than this, each way.
constexpr double kMedianLoss = 1.2533;  // Of a normal sample, over the mean's standard error.

// As of a normal sample: there is nothing better to go by.
Interval IntervalFromFew(const std::vector<double>& values) {
  if (values.size() < kMinTimes) return {};
  const auto n = static_cast<double>(values.size());
  const double median = Median(values);
  const double scatter = StudentQuantile(0.975, n - 1) * kMedianLoss * StandardErrorOfMean(values);
  const double reach = values.size() < kSomeTimes ? std::max(scatter, kFewRoom * median) : scatter;
  return {std::max(0.0, median - reach), median + reach};
}

// Order statistics around the median: their ranks hold for any distribution.
Interval IntervalOfMedian(const std::vector<double>& values) {
  if (values.size() < kFewTimes) return IntervalFromFew(values);
  const std::vector<double> sorted = Sorted(values);
  const auto n = static_cast<double>(sorted.size());
  const double reach = kErrorsOf95 * std::sqrt(n) / 2;
  const auto low = static_cast<std::ptrdiff_t>(std::floor(n / 2 - reach));
  const auto high = static_cast<std::ptrdiff_t>(std::ceil(n / 2 + reach));
  if (low < 1 || high > static_cast<std::ptrdiff_t>(sorted.size())) return {};
  return {sorted[static_cast<std::size_t>(low - 1)], sorted[static_cast<std::size_t>(high - 1)]};
}

// Of few no less than their interval says; where they have none, as much as the median itself.
double SpreadOf(const std::vector<double>& values, const TimedSide& side) {
  if (values.size() >= kFewTimes) return StandardErrorOfMedian(values);
  const Interval& interval = side.interval;
  return interval.IsBounded() ? (interval.high - interval.low) / (2 * kErrorsOf95) : side.median;
}

Json IntervalJson(const Interval& interval) {
  if (!interval.IsBounded()) return nullptr;
  return Json::array({interval.low, interval.high});
}

Json SideJson(const TimedSide& side, const Watch& watch) {
  return {{"median_ns", side.median},  {"interval_ns", IntervalJson(side.interval)},
          {"spread_ns", side.spread},  {"times_ns", side.times},
          {"runner_ns", side.claimed}, {"work_ns", side.work},
          {"delay_ns", side.delay},    {"outside_ns", watch.outside},
          {"aside_ns", watch.aside},   {"publications", watch.publications},
          {"beside", watch.beside}};
}

double ShareOfAll(const std::vector<double>& some, std::int64_t all) {
  return static_cast<double>(some.size()) / static_cast<double>(std::max<std::int64_t>(1, all));
}

}  // namespace

double Watch::OutsideShare() const { return ShareOfAll(outside, publications); }
double Watch::AsideShare() const { return ShareOfAll(aside, beside); }

void Summarise(TimedSide& side, const std::vector<double>& times, const std::vector<bool>& counts) {
  if (times.empty()) return;
  std::vector<double> whole;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (counts.empty() || counts[i]) whole.push_back(times[i]);
  }
  side.counted = static_cast<std::int64_t>(whole.size());
  side.median = Median(whole);
  side.interval = IntervalOfMedian(whole);
  side.spread = SpreadOf(whole, side);
}

void TimingReport::Widen(double reach) {
  twin_reach = reach;
  if (!speedup_interval.IsBounded()) return;
  speedup_interval = {std::min(speedup_interval.low, speedup * std::exp(-reach)),
                      std::max(speedup_interval.high, speedup * std::exp(reach))};
}

Json TimingReport::ToJson() const {
  Json json = {{"cache", cache},
               {"candidate", SideJson(candidate, candidate_watch)},
               {"checked", checked},
               {"disturbed", disturbed},
               {"ended_by", ended_by},
               {"restless", is_unstable},
               {"round_trip_ns", round_trip},
               {"slowness", slowness},
               {"warm_up", warm_up}};
  if (unseen.pairs > 0) json["unseen"] = unseen.ToJson();
  if (!reference.times.empty()) {
    json["reference"] = SideJson(reference, reference_watch);
    json["counted"] = counts;
    json["speedup"] = speedup;
    json["speedup_interval"] = IntervalJson(speedup_interval);
    json["twin_reach"] = twin_reach;
    json["variants"] = variants;
  }
  return json;
}

}  // namespace hone::compute

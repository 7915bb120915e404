// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/empty_calls.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "hone/measure/statistics.h"

namespace hone::compute {
namespace {

constexpr std::ptrdiff_t kMinNothing = 3;

}  // namespace

double NetTime(double time, double busy, const EmptyCall& empty) {
  return std::max({1.0, empty.spread, time - empty.time, busy - empty.busy});
}

Result<EmptyCall> TimeOfNothing(Runner& runner, const Runner& sleeper, int calls) {
  std::vector<double> times;
  std::vector<double> busy;
  double arming = 0;
  const auto before = sleeper.Used();
  for (int i = 0; i < calls; ++i) {
    const auto report = runner.CallNothing();
    if (!report) return report.error();
    if (report->fault) {
      return Error{Errc::kInvalidArgument, "an empty call fails: " + report->fault->reason};
    }
    times.push_back(Ns(report->time));
    busy.push_back(Ns(report->busy));
    arming = std::max(arming, Ns(report->arming));
  }
  return EmptyCall{Median(times), Median(busy), MedianAbsoluteDeviation(times),
                   Ns(sleeper.Used() - before), arming};
}

void EmptyCalls::See(int processor, double time, double busy) {
  Empty& empty = empty_[processor];
  empty.times.push_back(time);
  empty.busy.push_back(busy);
  if (std::ssize(empty.times) < kMinNothing) return;
  empty.call.time = Median(empty.times);
  empty.call.busy = Median(empty.busy);
  empty.call.spread = MedianAbsoluteDeviation(empty.times);
}

}  // namespace hone::compute

// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/first_sight.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "hone/core/rng.h"
#include "hone/domains/compute/judge/cheating.h"
#include "hone/domains/compute/judge/other_values.h"
#include "hone/domains/compute/judge/quiet_periods.h"
#include "hone/domains/compute/runner/urgency.h"
#include "hone/measure/statistics.h"

namespace hone::compute {
namespace {

constexpr int kEmptyCallsPerSample = 3;
constexpr std::int64_t kMaxUseless = 20;  // Samples that do not count, before it is given up.

// Of the time that is left: a kernel for which its values belong to each other may run for ever
// once they do not.
constexpr int kWarmUpShare = 4;

bool AreEqual(const Tensors& one, const Tensors& other) {
  return std::ranges::equal(one, other, {}, &Tensor::bytes, &Tensor::bytes);
}

class FirstSights {
 public:
  FirstSights(Runner& empty, const FirstSightOrder& order) : empty_(empty), order_(order) {
    for (const std::string& name : order.timing.problem.sizes) {
      sizes_.push_back(order.timed.sizes.at(name));
    }
  }

  Result<TimingReport> Run() {
    const UrgentThread urgent;
    began_ = order_.timing.clock->Now();
    report_.cache = order_.timing.cache == CacheState::kCold ? "cold" : "fresh";
    while (!report_.finding && !IsEnough()) {
      if (auto sampled = TakeSample(); !sampled) return sampled.error();
    }
    if (!report_.finding) report_.finding = CheckWatch(report_);
    Conclude();
    return std::move(report_);
  }

 private:
  bool End(const char* by) {
    report_.ended_by = by;
    return true;
  }

  bool IsEnough() {
    const auto samples = std::ssize(report_.candidate.times);
    if (order_.timing.stop.stop_requested()) return End("stopped");
    if (order_.timing.clock->Now() > order_.timing.deadline) return End("limit");
    if (Useless() > kMaxUseless) return End("limit");
    if (samples < std::min(order_.timing.min_samples, order_.timing.max_samples)) return false;
    if (samples >= order_.timing.max_samples) return End("count");
    const auto spent = order_.timing.clock->Now() - began_;
    if (IsRestless() && spent < kMaxCalmBudgets * order_.timing.budget) return false;
    if (spent > order_.timing.budget) return End("budget");
    if (samples < next_look_) return false;
    next_look_ = static_cast<std::int64_t>(std::ceil(kLookGrowth * static_cast<double>(samples)));
    return IsPrecise() && End("precise");
  }

  std::int64_t Useless() const {
    const Watch& watch = report_.candidate_watch;
    return std::ssize(watch.outside) + std::ssize(watch.aside);
  }

  // Samples before which the processor was as fast as it can be.
  std::vector<bool> CalmSamples() const {
    std::vector<bool> calm(report_.candidate.times.size(), true);
    if (pulses_.empty()) return calm;
    const double max = kPulseRoom.share * LevelOf(pulses_, order_.timing.pulse_level);
    for (std::size_t i = 0; i < calm.size(); ++i) calm[i] = pulses_[i] <= max;
    return calm;
  }

  bool IsRestless() const {
    const auto wanted = std::min(order_.timing.min_samples, order_.timing.max_samples);
    return std::ranges::count(CalmSamples(), true) < wanted;
  }

  // There is no reference that would be as slow. Where the machine never came to rest, the kernel
  // may be faster than it was seen by as much as the processor can be.
  void Conclude() {
    report_.is_unstable = IsRestless();
    Summarise(report_.candidate, report_.candidate.times,
              report_.is_unstable ? std::vector<bool>{} : CalmSamples());
    if (pulses_.empty()) return;
    report_.pulse_quiet = FindQuietPeriods(pulses_, order_.timing.pulse_level, kPulseRoom);
    report_.slowness = SlownessOf(pulses_, order_.timing.pulse_level);
    if (report_.is_unstable) report_.candidate.interval.low /= report_.slowness;
  }

  bool IsPrecise() {
    Summarise(report_.candidate, report_.candidate.times,
              IsRestless() ? std::vector<bool>{} : CalmSamples());
    const Interval& interval = report_.candidate.interval;
    return interval.IsBounded() &&
           interval.high - interval.low <= 2 * order_.timing.precision * report_.candidate.median;
  }

  Result<void> TakeSample() {
    auto loaded = order_.load();
    if (!loaded) return loaded.error();
    if (loaded->fault) {
      CallReport report;
      report.fault = loaded->fault;
      report_.finding = JudgeCall(order_.timing.problem, order_.timed, report);
      return {};
    }
    const auto still = order_.keep_still();
    // It goes up and down with the machine, so it is taken with every sample.
    const auto empty = TimeOfNothing(empty_, *loaded->runner, kEmptyCallsPerSample);
    if (!empty) return empty.error();
    ++report_.candidate_watch.beside;
    if (empty->aside > 0) {
      report_.candidate_watch.aside.push_back(empty->aside);
      return {};
    }
    auto is_warm = WarmUp(*loaded->runner);
    if (!is_warm) return is_warm.error();
    if (!*is_warm) return {};  // And the next process is not warmed up.
    // Not after the call: a kernel that knows that it was slow could slow the processor then.
    const double pulse = Pulse();
    auto report = Call(*loaded->runner, order_.timed.inputs, order_.timing.call_timeout);
    if (!report) return report.error();
    report_.finding = JudgeCall(order_.timing.problem, order_.timed, *report);
    if (!report_.finding) Record(*report, *empty, pulse);
    return {};
  }

  double Pulse() const { return order_.timing.pulse ? order_.timing.pulse() : 0; }

  // False if the kernel does not bear other values than those of the case. Where there are no other
  // values, nothing is shown to it.
  Result<bool> WarmUp(Runner& runner) {
    const OtherValues others(order_.timed.inputs, Rng(order_.timing.secret()));
    for (std::int64_t i = 0; i < order_.timing.warm_up && warms_up_; ++i) {
      const Tensors inputs = others.Draw(Rng(order_.timing.secret()));
      if (AreEqual(inputs, order_.timed.inputs)) continue;
      const auto report = Call(runner, inputs, WarmUpTimeout());
      if (!report) return report.error();
      if (report->fault || !report->exception.empty()) {
        warms_up_ = false;
        return false;
      }
      ++report_.warm_up;
    }
    return true;
  }

  std::chrono::nanoseconds WarmUpTimeout() const {
    const auto left = order_.timing.deadline - order_.timing.clock->Now();
    return std::min<std::chrono::nanoseconds>(order_.timing.call_timeout, left / kWarmUpShare);
  }

  Result<CallReport> Call(Runner& runner, const Tensors& inputs, std::chrono::nanoseconds limit) {
    CallOrder call;
    call.inputs = inputs;
    call.outputs = order_.timing.outputs;
    call.wanted = order_.timed.declared;
    call.sizes = sizes_;
    call.secret = order_.timing.secret();
    call.cache = order_.timing.cache;
    call.counts_threads = true;
    call.limit = limit;
    call.stop = order_.timing.stop;
    return runner.Call(call);
  }

  // What it worked before it was ready, beyond what the empty runner does. One that decides on its
  // outputs makes tensors of its inputs there, which the empty one has none of: that stays free.
  double ChargeFor(const CallReport& report, const EmptyCall& empty) const {
    if (order_.timing.outputs.empty()) return 0;
    return std::max(0.0, Ns(report.arming) - empty.arming);
  }

  void Record(const CallReport& report, const EmptyCall& empty, double pulse) {
    ++report_.candidate_watch.publications;
    ++report_.checked;
    if (report.outside.count() > 0) {
      report_.candidate_watch.outside.push_back(Ns(report.outside));
      return;
    }
    TimedSide& side = report_.candidate;
    side.times.push_back(NetTime(Ns(report.time), Ns(report.busy), empty) +
                         ChargeFor(report, empty));
    side.claimed.push_back(Ns(report.claimed));
    side.work.push_back(Ns(report.work));
    side.delay.push_back(Ns(report.delay));
    report_.round_trip = empty.time;
    if (order_.timing.pulse) pulses_.push_back(pulse);
  }

  Runner& empty_;
  const FirstSightOrder& order_;
  std::vector<std::int64_t> sizes_;
  Clock::Monotonic began_;
  std::int64_t next_look_ = 0;
  bool warms_up_ = true;
  std::vector<double> pulses_;  // Before every sample.
  TimingReport report_;
};

}  // namespace

Result<TimingReport> MeasureFirstSights(Runner& empty, const FirstSightOrder& order) {
  return FirstSights(empty, order).Run();
}

}  // namespace hone::compute

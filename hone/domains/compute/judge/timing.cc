// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "hone/domains/compute/judge/cheating.h"
#include "hone/domains/compute/judge/correctness.h"
#include "hone/measure/paired.h"
#include "hone/measure/steady_state.h"

namespace hone::compute {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kEmptyCalls = 9;
constexpr double kMaxRoundTripNs = 5'000;  // Where only the candidate's own runner can be asked.
constexpr double kDisturbed = 1.5;         // Times the processor time, and some room.
constexpr double kDisturbedNs = 10'000;
constexpr std::int64_t kPairsPerLook = 5;
constexpr std::int64_t kSmallOutput = 16 << 10;  // Elements that are compared in every call.
constexpr std::int64_t kWindow = 4096;
constexpr std::int64_t kFullEvery = 4;
constexpr std::int64_t kThreadsEvery = 8;
constexpr std::int64_t kMinUndisturbed = 8;  // Of each side, before the budget ends the timing,
constexpr int kWaitTimeout = 10;             // but not for more than so many budgets.
constexpr std::int64_t kWantedQuiet = 12;    // More than are needed: some may be warm-up.
constexpr double kShortCallNs = 50'000;      // Shorter calls vary as much by themselves.
constexpr double kMaxSpinNs =
    160'000;  // An armed runner spins for half of it, on a free processor.
constexpr double kNotKnown = -1;

double Ns(std::chrono::nanoseconds time) { return static_cast<double>(time.count()); }

// Order statistics around the median: their ranks hold for any distribution.
Interval IntervalOfMedian(const std::vector<double>& values) {
  const std::vector<double> sorted = Sorted(values);
  const auto n = static_cast<double>(sorted.size());
  const double reach = 1.96 * std::sqrt(n) / 2;
  const auto low = static_cast<std::ptrdiff_t>(std::floor(n / 2 - reach));
  const auto high = static_cast<std::ptrdiff_t>(std::ceil(n / 2 + reach));
  if (low < 1 || high > static_cast<std::ptrdiff_t>(sorted.size())) return {};
  return {sorted[static_cast<std::size_t>(low - 1)], sorted[static_cast<std::size_t>(high - 1)]};
}

// `counts` of each call; all count if it is empty.
void Summarise(TimedSide& side, const std::vector<bool>& counts) {
  if (side.times.empty()) return;
  std::vector<double> whole;
  for (std::size_t i = 0; i < side.times.size(); ++i) {
    if (counts.empty() || counts[i]) whole.push_back(side.TimeOf(i));
  }
  side.counted = static_cast<std::int64_t>(whole.size());
  side.median = Median(whole);
  side.interval = IntervalOfMedian(whole);
  side.spread = whole.size() > 1 ? StandardErrorOfMedian(whole) : 0;
}

Json IntervalJson(const Interval& interval) {
  if (!interval.IsBounded()) return nullptr;
  return Json::array({interval.low, interval.high});
}

Json SideJson(const TimedSide& side) {
  return {{"median_ns", side.median},      {"interval_ns", IntervalJson(side.interval)},
          {"spread_ns", side.spread},      {"times_ns", side.times},
          {"runner_ns", side.claimed},     {"work_ns", side.work},
          {"idle_work_ns", side.idle_work}};
}

// Times candidate and reference in pairs: the same fresh inputs, one call each, in random order.
// What the machine does for longer than a pair (a lower clock, a neighbour) hits both and falls out
// of their ratio; what hits one call alone is found by its processor time (CompareWork) and by the
// median. The clock is the judge's: the runner's own is only compared with it (CheckClocks).
class Measurement {
 public:
  Measurement(Runner& candidate, Runner* reference, const TimingOrder& order)
      : candidate_(candidate), reference_(reference), order_(order), rng_(order.secret) {
    for (const std::string& name : order.problem.sizes) sizes_.push_back(order.sizes.at(name));
  }

  Result<TimingReport> Run() {
    began_ = Clock::now();
    report_.cache = order_.cache == CacheState::kCold ? "cold" : "fresh";
    if (auto empty = MeasureRoundTrip(); !empty) return empty.error();
    for (std::int64_t i = 0; !report_.finding && !IsEnough(); ++i) {
      if (auto pair = Pair(i); !pair) return pair.error();
    }
    if (report_.finding) return std::move(report_);
    if (auto last = CompleteLast(); !last) return last.error();
    Conclude();
    return std::move(report_);
  }

 private:
  // By the reference's runner where there is one: the candidate's could be slow at nothing, and so
  // have more subtracted from its times. The least is taken, because a round trip is only
  // ever disturbed upwards. The first call tells no work of its own: the count covers what was
  // before it.
  Result<void> MeasureRoundTrip() {
    Runner& runner = reference_ != nullptr ? *reference_ : candidate_;
    std::vector<double> times;
    std::vector<double> works;
    for (int i = 0; i < kEmptyCalls; ++i) {
      const auto report = runner.CallNothing();
      if (!report) return report.error();
      if (report->fault) break;
      times.push_back(Ns(report->time));
      if (i > 0) works.push_back(Ns(report->work));
    }
    if (times.empty()) return {};
    report_.round_trip = std::ranges::min(times);
    if (!works.empty()) empty_work_ = std::max(0.0, std::ranges::min(works));
    if (reference_ == nullptr) report_.round_trip = std::min(report_.round_trip, kMaxRoundTripNs);
    return {};
  }

  // Ends when the ratio is known well enough, or by the budget. But on a machine that is busy now,
  // waiting is better than a verdict from disturbed calls: it goes on, for a limited time.
  bool IsEnough() {
    const auto pairs = static_cast<std::int64_t>(report_.candidate.times.size());
    if (order_.stop.stop_requested()) return End("stopped");
    if (Clock::now() > order_.deadline) return End("limit");
    if (pairs < std::min(order_.min_samples, order_.max_samples)) return false;
    const auto spent = Clock::now() - began_;
    const char* const why = WhyEnough(pairs, spent);
    if (why == nullptr || (spent <= kWaitTimeout * order_.budget && IsUnstable())) return false;
    return End(why);
  }

  // Null if it is not.
  const char* WhyEnough(std::int64_t pairs, Clock::duration spent) const {
    if (spent > kWaitTimeout * order_.budget) return "budget";
    if (pairs >= order_.max_samples) return "count";
    const bool is_over = spent > order_.budget;
    if (!is_over && pairs % kPairsPerLook != 0) return nullptr;
    if (IsTooDisturbed()) return nullptr;
    if (is_over) return "budget";
    return IsPrecise() ? "precise" : nullptr;
  }

  // The reference has been faster than it is now. What takes short calls is over long before a slow
  // spell is.
  bool IsUnstable() const {
    return order_.quiet_level >= kShortCallNs && QuietSoFar().count < kWantedQuiet;
  }

  // On a busy machine most calls may say nothing about what a kernel does between them.
  bool IsTooDisturbed() const {
    const auto is_told = [&](const TimedSide& side) {
      std::int64_t told = 0;
      for (std::size_t i = 0; i < side.times.size(); ++i) {
        told += side.work[i] >= 0 && !IsDisturbed(side.times[i], side.work[i]) ? 1 : 0;
      }
      return told >= kMinUndisturbed;
    };
    return !is_told(report_.candidate) || (reference_ != nullptr && !is_told(report_.reference));
  }

  // A call on one thread that took much longer than it computed was not running: the processor was
  // taken away. With more threads the work of all is in one number, and tells nothing of that.
  bool IsDisturbed(double time, double work) const {
    return order_.problem.policy.threads == 1 && time > kDisturbed * work + kDisturbedNs;
  }

  bool End(const char* by) {
    report_.ended_by = by;
    return true;
  }

  // Judged by the same pairs and the same test as the conclusion, so that what ends the timing is
  // what is reported.
  bool IsPrecise() const {
    if (reference_ != nullptr) {
      const PairedTest test = TestPairs(LogRatios(CountingOf(QuietSoFar())));
      return test.interval.IsBounded() &&
             test.interval.high - test.interval.low <= 2 * order_.precision;
    }
    const std::vector<double>& times = report_.candidate.times;
    return StandardErrorOfMedian(times) * 1.96 <= order_.precision * Median(times);
  }

  QuietPeriods QuietSoFar() const {
    return FindQuietPeriods(report_.reference.times, order_.quiet_level);
  }

  // With too few quiet pairs all count: the ratio holds in slow periods too, only the times do not.
  static std::vector<bool> CountingOf(const QuietPeriods& quiet) {
    return quiet.count < kMinQuiet ? std::vector<bool>() : quiet.is_quiet;
  }

  // Logarithms, because a ratio is as far from 1 at 2 as at 1/2: exchanging the sides changes the
  // sign and nothing else.
  std::vector<double> LogRatios(const std::vector<bool>& counts) const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < report_.candidate.times.size(); ++i) {
      if (!counts.empty() && !counts[i]) continue;
      ratios.push_back(std::log(report_.reference.times[i] / report_.candidate.TimeOf(i)));
    }
    return ratios;
  }

  // One call of each side with the same inputs, in random order.
  Result<void> Pair(std::int64_t number) {
    Rng own = rng_.Split("pair").Split(static_cast<std::uint64_t>(number));
    auto inputs = order_.draw(own);
    if (!inputs) return inputs.error();
    trial_.sizes = order_.sizes;
    trial_.tolerances = order_.tolerances;
    trial_.inputs = std::move(*inputs);
    std::optional<CallReport> expected;
    std::optional<CallReport> found;
    const bool is_reference_first = own.Coin();
    for (const bool is_reference : {is_reference_first, !is_reference_first}) {
      if (is_reference && reference_ == nullptr) continue;
      auto report = Call(is_reference ? *reference_ : candidate_, number, own.Next());
      if (!report) return report.error();
      (is_reference ? expected : found) = std::move(*report);
    }
    if (expected && (expected->fault || !expected->exception.empty())) {
      return Error{
          Errc::kInvalidArgument,
          fmt::format("problem {}: its reference fails when it is timed: {}", order_.problem.name,
                      expected->fault ? expected->fault->reason : expected->exception)};
    }
    report_.finding = Check(number, own, *found, expected);
    if (!report_.finding && number >= order_.warm_up) Record(*found, expected);
    if (number < order_.warm_up) ++report_.warm_up;
    return {};
  }

  Result<CallReport> Call(Runner& runner, std::int64_t number, std::uint64_t secret) {
    CallOrder call;
    call.inputs = trial_.inputs;
    call.outputs = order_.outputs;
    call.sizes = sizes_;
    call.secret = secret;
    call.cache = order_.cache;
    call.counts_threads = &runner == &candidate_ && number % kThreadsEvery == 0;
    call.limit = order_.call_timeout;
    call.stop = order_.stop;
    return runner.Call(call);
  }

  // Everything but the outputs in each call; the outputs all, or a window at a random place. A
  // kernel that is right only while it is not timed must not gain by it, and comparing all of a
  // large output would take longer than the call. The candidate cannot know which calls and places
  // are compared.
  MaybeFinding Check(std::int64_t number, Rng& own, const CallReport& found,
                     const std::optional<CallReport>& expected) {
    trial_.name = fmt::format("timed call {}", number);
    trial_.expected.clear();
    if (auto finding = JudgeCall(order_.problem, trial_, found)) return finding;
    const Tensors* wanted = expected ? &expected->outputs : order_.expected;
    if (wanted == nullptr) return std::nullopt;
    const bool is_full = own.Below(kFullEvery) == 0;
    bool is_close = found.outputs.size() == wanted->size();
    for (std::size_t i = 0; i < wanted->size() && is_close; ++i) {
      is_close = IsCloseHere((*wanted)[i], found.outputs[i], i, is_full, own);
    }
    ++report_.checked;
    if (is_close) return std::nullopt;
    trial_.expected = *wanted;
    auto finding = JudgeCall(order_.problem, trial_, found);
    if (finding) finding->reason += " (in a timed call; it was right before)";
    return finding;
  }

  bool IsCloseHere(const Tensor& expected, const Tensor& found, std::size_t output, bool is_full,
                   Rng& own) const {
    if (expected.spec.shape != found.spec.shape || expected.spec.dtype != found.spec.dtype) {
      return false;  // And then it is looked at closely.
    }
    const std::int64_t count = expected.spec.Count();
    const Tolerance& tolerance = order_.tolerances.at(output);
    if (is_full || count <= kSmallOutput) return IsCloseIn(expected, found, tolerance, 0, count);
    const auto begin =
        static_cast<std::int64_t>(own.Below(static_cast<std::uint64_t>(count - kWindow)));
    return IsCloseIn(expected, found, tolerance, begin, kWindow);
  }

  void Record(const CallReport& found, const std::optional<CallReport>& expected) {
    Add(found, report_.candidate);
    if (expected) Add(*expected, report_.reference);
  }

  void Add(const CallReport& call, TimedSide& side) {
    Complete(side, call);
    side.times.push_back(std::max(1.0, Ns(call.time) - report_.round_trip));
    side.claimed.push_back(Ns(call.claimed));
    side.work.push_back(kNotKnown);
    side.idle_work.push_back(kNotKnown);
    side.spin.push_back(call.was_judge_away ? kMaxSpinNs : 0);
  }

  // What the call before used is known when the next one begins: then the runner sleeps, and all
  // that it did after its answer is counted too.
  void Complete(TimedSide& side, const CallReport& next) const {
    if (side.work.empty() || next.work.count() < 0) return;
    side.work.back() = std::max(0.0, Ns(next.work) - empty_work_);
  }

  Result<void> CompleteLast() {
    for (const auto& [runner, side] :
         {std::pair{&candidate_, &report_.candidate}, std::pair{reference_, &report_.reference}}) {
      if (runner == nullptr) continue;
      const auto report = runner->CallNothing();
      if (!report) return report.error();
      Complete(*side, *report);
    }
    return {};
  }

  // Where the machine was taken away during a call, its processor time is the better measure; what
  // it used beyond its time, it used before or after the call.
  void CompareWork(TimedSide& side) {
    for (std::size_t i = 0; i < side.times.size(); ++i) {
      const double work = side.work[i];
      if (work < 0) continue;
      if (IsDisturbed(side.times[i], work)) {
        side.times[i] = std::max(1.0, work);
        ++report_.disturbed;
        side.idle_work[i] = kNotKnown;
        continue;
      }
      side.idle_work[i] = std::max(0.0, work - side.times[i] - side.spin[i]);
    }
  }

  // The order matters: quiet periods are found in the times as they were measured, before
  // CompareWork replaces disturbed ones; idle work is known after that, and is charged before
  // anything is summarised.
  void Conclude() {
    DropWarmUp();
    if (reference_ != nullptr) report_.quiet = QuietSoFar();
    CompareWork(report_.candidate);
    CompareWork(report_.reference);
    ChargeIdleWork();
    const std::vector<bool> counts = CountingOf(report_.quiet);
    report_.is_unstable = counts.empty() && order_.quiet_level >= kShortCallNs;
    Summarise(report_.candidate, counts);
    Summarise(report_.reference, counts);
    if (reference_ == nullptr || report_.candidate.times.empty()) return;
    const PairedTest test = TestPairs(LogRatios(counts));
    report_.speedup = std::exp(test.effect);
    report_.speedup_interval = {std::exp(test.interval.low), std::exp(test.interval.high)};
  }

  // What a candidate computes outside of its calls is added to its times, so that work which is
  // moved out of sight is no gain. What the reference shows of it too is usual, and free.
  void ChargeIdleWork() {
    const double allowance = IdleAllowance(report_);
    TimedSide& side = report_.candidate;
    for (std::size_t i = 0; i < side.times.size(); ++i) {
      side.charged.push_back(std::max(0.0, side.idle_work[i] - allowance));
    }
  }

  // What is left of a warm-up that was too short, at most a quarter of all.
  void DropWarmUp() {
    const auto cut = [](const TimedSide& side) -> std::int64_t {
      const SteadyState state = FindSteadyState(side.times);
      return state.kind == SteadyState::Kind::kSteady ? state.warm_up : 0;
    };
    std::int64_t more = cut(report_.candidate);
    if (reference_ != nullptr) more = std::max(more, cut(report_.reference));
    if (more * 4 > static_cast<std::int64_t>(report_.candidate.times.size())) return;
    if (LeavesNoQuiet(more)) return;  // Then it was no warm-up but a slow spell.
    report_.warm_up += more;
    for (TimedSide* side : {&report_.candidate, &report_.reference}) {
      for (auto* values :
           {&side->times, &side->claimed, &side->work, &side->idle_work, &side->spin}) {
        const auto count = std::min(more, static_cast<std::int64_t>(values->size()));
        values->erase(values->begin(), values->begin() + count);
      }
    }
  }

  bool LeavesNoQuiet(std::int64_t cut) const {
    const QuietPeriods quiet = QuietSoFar();
    const auto left = std::count(
        quiet.is_quiet.begin() + std::min<std::ptrdiff_t>(cut, std::ssize(quiet.is_quiet)),
        quiet.is_quiet.end(), true);
    return quiet.count >= kMinQuiet && left < kMinQuiet;
  }

  Runner& candidate_;
  Runner* reference_;
  const TimingOrder& order_;
  Rng rng_;
  std::vector<std::int64_t> sizes_;
  Clock::time_point began_;
  double empty_work_ = 0;
  TimedCase trial_;
  TimingReport report_;
};

}  // namespace

Json TimingReport::ToJson() const {
  Json json = {{"cache", cache},       {"candidate", SideJson(candidate)},
               {"checked", checked},   {"disturbed", disturbed},
               {"ended_by", ended_by}, {"round_trip_ns", round_trip},
               {"warm_up", warm_up}};
  if (!reference.times.empty()) {
    json["reference"] = SideJson(reference);
    json["counted"] =
        quiet.count < kMinQuiet ? std::vector<bool>(quiet.is_quiet.size(), true) : quiet.is_quiet;
    json["restless"] = is_unstable;
    json["speedup"] = speedup;
    json["speedup_interval"] = IntervalJson(speedup_interval);
  }
  return json;
}

Result<TimingReport> MeasureTimes(Runner& candidate, Runner* reference, const TimingOrder& order) {
  return Measurement(candidate, reference, order).Run();
}

}  // namespace hone::compute

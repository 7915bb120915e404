// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "hone/domains/compute/judge/cheating.h"
#include "hone/domains/compute/judge/correctness.h"
#include "hone/domains/compute/judge/drawing_ahead.h"
#include "hone/domains/compute/judge/full_looks.h"
#include "hone/domains/compute/judge/levelled_times.h"
#include "hone/domains/compute/judge/unclocked_work.h"
#include "hone/domains/compute/runner/pinned_thread.h"
#include "hone/domains/compute/runner/urgency.h"
#include "hone/measure/drift.h"
#include "hone/measure/paired.h"
#include "hone/measure/steady_state.h"

namespace hone::compute {
namespace {

constexpr std::int64_t kPairsPerWatch = 10;
constexpr std::int64_t kComparedElements = 16 << 10;  // Of each output, in every call.
constexpr std::int64_t kThreadsEvery = 8;
constexpr int kWaitTimeout = 10;           // Budgets, while the machine is too busy to tell.
constexpr double kDelayNs = 10'000;        // So long a wait for a processor is noticed,
constexpr double kDelayShare = 0.01;       // or so much of the time.
constexpr double kMoreDisturbed = 0.3;     // Than the reference: then it is its own doing.
constexpr std::int64_t kWantedQuiet = 12;  // More than are needed: some may be warm-up.
constexpr double kShortCallNs = 50'000;    // Shorter calls vary as much by themselves.
constexpr double kLongCallNs = 2'000'000;  // Of longer ones it is no part how they begin.
constexpr double kMaxDependence = 0.8;
constexpr std::ptrdiff_t kMinNothing = 3;
constexpr int kMaxEmptyAttempts = 20;
constexpr std::size_t kMaxDrawingThreads = 8;
constexpr std::size_t kMaxAheadBytes = 128 << 20;
constexpr double kMaxCoarser = 3;

bool IsDisturbed(double time, double delay) { return delay > kDelayNs + kDelayShare * time; }

// Pairs that follow each other are alike where the machine changes slowly, and then say less than
// as many independent ones. The factor by which an interval from them is too narrow.
double DependenceOf(std::span<const double> values) {
  const double lag = std::clamp(Lag1Autocorrelation(values), 0.0, kMaxDependence);
  return std::sqrt((1 + lag) / (1 - lag));
}

PairedTest TestDependentPairs(const std::vector<double>& ratios) {
  PairedTest test = TestPairs(ratios);
  const double factor = DependenceOf(ratios);
  test.interval.low = test.effect - factor * (test.effect - test.interval.low);
  test.interval.high = test.effect + factor * (test.interval.high - test.effect);
  return test;
}

// Times candidate and reference in pairs: the same fresh inputs, one call each, in random order.
// What the machine does for longer than a pair (a lower clock, a neighbour) hits both and
// falls out of their ratio. Where one of them had to wait for a processor, the pair is made again.
// Only the judge's clock counts: the runner's own is only compared with it (CheckClocks).
class Measurement {
 public:
  Measurement(Runner& candidate, Runner& reference, const TimingOrder& order)
      : candidate_(candidate), reference_(reference), order_(order) {
    for (const std::string& name : order.problem.sizes) sizes_.push_back(order.sizes.at(name));
    trial_.sizes = order.sizes;
    trial_.declared = order.wanted;
    if (!order.aside.empty()) {
      ahead_.emplace([this] { return DrawAside(); }, order.aside, DrawingThreads());
    }
  }

  Result<TimingReport> Run() {
    const UrgentThread urgent;
    began_ = order_.clock->Now();
    report_.cache = order_.cache == CacheState::kCold ? "cold" : "fresh";
    if (auto timed = TimeEmptyCalls(); !timed) return timed.error();
    report_.finding = CheckWatch(report_);
    for (std::int64_t i = 0; !report_.finding && !IsEnough(); ++i) {
      if (i == order_.warm_up) SeeWarmUp();
      if (auto pair = Pair(i); !pair) return pair.error();
      if (!report_.finding && i % kPairsPerWatch == kPairsPerWatch - 1) {
        report_.finding = CheckWatch(report_);
      }
    }
    if (report_.finding) return std::move(report_);
    Conclude();
    return std::move(report_);
  }

 private:
  // One side of a pair.
  struct Side {
    Runner& runner;
    Runner& other;
    TimedSide& times;
    Watch& watch;
    Watch& others_watch;
    CallReport report = {};
    int processor = -1;  // From which it was called; -1: the judge's own.
    bool is_useful = true;
  };

  // What the clocks showed of a publication that counts.
  struct Taken {
    double time = 0;
    double busy = 0;
    int processor = -1;
    UnclockedWork unclocked = {};
  };

  // What an empty call takes, from one processor.
  struct Empty {
    EmptyCall call;
    std::vector<double> times;  // Of those made beside timed calls.
    std::vector<double> busy;
  };

  Result<void> TimeEmptyCalls() {
    const std::vector<int> own{-1};
    for (const int processor : order_.shared.empty() ? own : order_.shared) {
      const PinnedThread here(processor);
      const auto empty = TimeCalmEmptyCalls();
      if (!empty) return empty.error();
      empty_[processor].call = *empty;
      report_.round_trip = empty->time;
    }
    return {};
  }

  // Made again while the candidate works.
  Result<EmptyCall> TimeCalmEmptyCalls() {
    for (int attempt = 1;; ++attempt) {
      auto empty = TimeOfNothing(reference_, candidate_);
      if (!empty || empty->aside == 0) return empty;
      report_.candidate_watch.aside.push_back(empty->aside);
      if (attempt == kMaxEmptyAttempts) return empty;
    }
  }

  // Of the reference.
  void SeeWarmUp() {
    if (warm_up_times_.empty()) return;
    const double time = Median(warm_up_times_);
    rehearses_ = time < kLongCallNs;
    if (time < kShortCallNs) max_samples_ = order_.max_short_samples;
  }

  // Ends when the ratio is known well enough, or by the budget. But on a machine that is busy now,
  // waiting is better than a verdict from disturbed calls: it goes on, for a limited time.
  bool IsEnough() {
    const auto pairs = static_cast<std::int64_t>(report_.candidate.times.size());
    if (order_.stop.stop_requested()) return End("stopped");
    if (order_.clock->Now() > order_.deadline) return End("limit");
    const auto spent = order_.clock->Now() - began_;
    if (spent > kWaitTimeout * order_.budget) return End("budget");
    if (pairs < std::min(order_.min_samples, max_samples_)) return false;
    const char* const why = WhyEnough(pairs, spent);
    if (why == nullptr) return false;
    if (spent < kMaxCalmBudgets * order_.budget && IsUnstable()) return false;
    return End(why);
  }

  // Null if it is not.
  const char* WhyEnough(std::int64_t pairs, Clock::Duration spent) {
    if (pairs - report_.disturbed < std::min(order_.min_samples, max_samples_)) {
      return nullptr;
    }
    if (pairs >= max_samples_) return "count";
    if (spent > order_.budget) return "budget";
    if (pairs < next_look_) return nullptr;
    next_look_ = static_cast<std::int64_t>(std::ceil(kLookGrowth * static_cast<double>(pairs)));
    return IsPrecise() ? "precise" : nullptr;
  }

  // The reference has been faster than it is now. What takes short calls is over long before a slow
  // spell is.
  bool IsUnstable() const {
    return order_.seeks_calm && order_.quiet_level >= kShortCallNs &&
           QuietSoFar().count < kWantedQuiet;
  }

  // By the reference and by the pulse: the one feels what others do to the memory, the other is the
  // same for every problem and so has been seen at its best.
  std::vector<bool> CalmPairs() const {
    std::vector<bool> calm = QuietSoFar().is_quiet;
    const QuietPeriods by_pulse = QuietByPulse();
    for (std::size_t i = 0; i < calm.size() && i < by_pulse.is_quiet.size(); ++i) {
      calm[i] = calm[i] && by_pulse.is_quiet[i];
    }
    return calm;
  }

  QuietPeriods QuietByPulse() const {
    return FindQuietPeriods(pulses_, order_.pulse_level, kPulseRoom);
  }

  bool End(const char* by) {
    report_.ended_by = by;
    return true;
  }

  // Judged by the same pairs as the conclusion. Their dependence is left to that: in few pairs it
  // is itself mostly noise, and waiting until that is small picks intervals that are too narrow.
  bool IsPrecise() const {
    const Interval interval = TestPairs(LogRatios(CountingPairs())).interval;
    return interval.IsBounded() && interval.high - interval.low <= 2 * WantedPrecision();
  }

  // Waking a runner varies by more than a hundredth of a short call: to know that as well as a long
  // one would take many times the time of the whole evaluation.
  double WantedPrecision() const {
    const double shorter =
        std::min(Median(report_.candidate.times), Median(report_.reference.times));
    return std::clamp(order_.finest / shorter, order_.precision, kMaxCoarser * order_.precision);
  }

  QuietPeriods QuietSoFar() const {
    return FindQuietPeriods(LevelledTimes(report_.reference.times, report_.variants),
                            order_.quiet_level);
  }

  // Those in which nobody had to wait for a processor, unless they are too few. A candidate that
  // is disturbed much more often than the reference disturbs itself: then all of them count.
  std::vector<bool> CountingPairs() const {
    const std::size_t pairs = report_.candidate.times.size();
    std::vector<bool> counts(pairs, true);
    const auto count_disturbed = [&](const TimedSide& side) {
      double disturbed = 0;
      for (std::size_t i = 0; i < side.times.size(); ++i) {
        if (!IsDisturbed(side.times[i], side.delay[i])) continue;
        counts[i] = false;
        ++disturbed;
      }
      return disturbed / static_cast<double>(std::max<std::size_t>(1, side.times.size()));
    };
    const double ours = count_disturbed(report_.reference);
    const double theirs = count_disturbed(report_.candidate);
    const auto left = std::ranges::count(counts, true);
    if (left >= order_.min_samples && theirs <= ours + kMoreDisturbed) return counts;
    return std::vector<bool>(pairs, true);
  }

  // Logarithms, because a ratio is as far from 1 at 2 as at 1/2: exchanging the sides changes the
  // sign and nothing else.
  std::vector<double> LogRatios(const std::vector<bool>& counts) const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < report_.candidate.times.size(); ++i) {
      if (counts[i]) {
        ratios.push_back(std::log(report_.reference.times[i] / report_.candidate.times[i]));
      }
    }
    return ratios;
  }

  Result<void> Draw() {
    Rng rng(order_.secret());
    trial_.seed = rng.Split("draws").Next();
    inputs_number_ = FreshNumber();
    auto drawn = ahead_ ? ahead_->Next() : DrawOne(VariantByLot(rng), rng);
    if (!drawn) return drawn.error();
    variant_ = drawn->variant;
    trial_.inputs = std::move(drawn->inputs);
    return {};
  }

  std::size_t VariantByLot(Rng& rng) const { return rng.Below(order_.tolerances.size()); }

  // Each holds the inputs of a call.
  std::size_t DrawingThreads() const {
    std::size_t bytes = 1;
    for (const ArraySpec& input : order_.problem.inputs) {
      bytes += input.At(order_.sizes).Bytes();
    }
    return std::clamp<std::size_t>(kMaxAheadBytes / bytes, 1,
                                   std::min(kMaxDrawingThreads, order_.aside.size()));
  }

  Result<DrawnInputs> DrawAside() const {
    Rng rng(order_.secret());
    return DrawOne(VariantByLot(rng), rng);
  }

  Result<DrawnInputs> DrawOne(std::size_t variant, Rng& rng) const {
    auto drawn = order_.draw(variant, rng);
    if (!drawn) return drawn.error();
    return DrawnInputs{std::move(*drawn), variant};
  }

  // Of the outputs all, or a part at a place that nobody knows. A kernel that is right only while
  // it is not timed must not gain by it, and comparing all of a large output in each call would
  // take longer than the call.
  OutputPart DrawPart() {
    if (full_looks_.IsNext(Rng(order_.secret()))) return {};
    return {kComparedElements, Rng(order_.secret()).Uniform()};
  }

  // One call of each side with the same inputs, in random order.
  Result<void> Pair(std::int64_t number) {
    if (auto drawn = Draw(); !drawn) return drawn;
    part_ = DrawPart();
    if (order_.pulse) pulse_ = order_.pulse();
    Side found{candidate_, reference_, report_.candidate, report_.candidate_watch,
               report_.reference_watch};
    Side expected{reference_, candidate_, report_.reference, report_.reference_watch,
                  report_.candidate_watch};
    const bool is_reference_first = Rng(order_.secret()).Coin();
    for (const bool is_reference : {is_reference_first, !is_reference_first}) {
      if (auto called = Call(is_reference ? expected : found, number); !called) return called;
    }
    const CallReport& right = expected.report;
    if (right.fault || !right.exception.empty()) {
      return Error{
          Errc::kInvalidArgument,
          fmt::format("problem {}: its reference fails when it is timed: {}", order_.problem.name,
                      right.fault ? right.fault->reason : right.exception)};
    }
    report_.finding = Check(number, found.report, right.outputs);
    if (report_.finding) return {};
    if (expected.is_useful) SeeNothing(expected.processor, right);
    if (number < order_.warm_up) {
      ++report_.warm_up;
      warm_up_times_.push_back(NetTimeOf(TakenBy(expected)));
    } else if (found.is_useful && expected.is_useful) {
      Record(found, expected);
    }
    return {};
  }

  // By lot; -1 where the judge has its own.
  int TakeProcessor() const {
    if (order_.shared.empty()) return -1;
    return order_.shared[Rng(order_.secret()).Below(order_.shared.size())];
  }

  // The reference's, for both sides: a candidate that made empty calls slow would gain by its own.
  // A way that begins on the processor on which the runner will wake is another one than from
  // beside it, and so is one that begins after a while of something else.
  void SeeNothing(int processor, const CallReport& report) {
    if (report.nothing.count() == 0) return;
    Empty& empty = empty_[processor];
    empty.times.push_back(Ns(report.nothing));
    empty.busy.push_back(Ns(report.nothing_busy));
    if (std::ssize(empty.times) < kMinNothing) return;
    empty.call.time = Median(empty.times);
    empty.call.busy = Median(empty.busy);
    empty.call.spread = MedianAbsoluteDeviation(empty.times);
    report_.round_trip = empty.call.time;
  }

  static Taken TakenBy(const Side& side) {
    return {Ns(side.report.time),
            Ns(side.report.busy),
            side.processor,
            {Ns(side.report.arming), Ns(side.report.rehearsal)}};
  }

  double NetTimeOf(const Taken& taken) const {
    return NetTime(taken.time, taken.busy, empty_.at(taken.processor).call) +
           unclocked_.ChargeFor(taken.unclocked);
  }

  Result<void> Call(Side& side, std::int64_t number) {
    CallOrder call;
    call.inputs = trial_.inputs;
    call.outputs = order_.outputs;
    call.wanted = order_.wanted;
    call.sizes = sizes_;
    call.same_inputs = inputs_number_;
    call.seed = trial_.seed;
    call.part = part_;
    call.secret = order_.secret();
    call.cache = order_.cache;
    call.rehearses = rehearses_;
    call.times_nothing = true;
    call.counts_threads = &side.runner == &candidate_ && number % kThreadsEvery == 0;
    call.limit = &side.runner == &candidate_ ? order_.call_timeout : order_.reference_timeout;
    call.stop = order_.stop;
    side.processor = TakeProcessor();
    const PinnedThread here(side.processor);
    const auto others_before = side.other.Used();
    auto report = side.runner.Call(call);
    if (!report) return report.error();
    ++side.watch.publications;
    if (report->outside.count() > 0) {
      side.is_useful = false;
      side.watch.outside.push_back(Ns(report->outside));
    }
    if (const auto aside = side.other.Used() - others_before; aside.count() > 0) {
      side.is_useful = false;
      side.others_watch.aside.push_back(Ns(aside));
    }
    side.report = std::move(*report);
    return {};
  }

  MaybeFinding Check(std::int64_t number, const CallReport& found, const Tensors& expected) {
    trial_.name = fmt::format("timed call {}", number);
    trial_.expected.clear();
    if (auto finding = JudgeCall(order_.problem, trial_, found)) return finding;
    bool is_close = found.outputs.size() == expected.size();
    for (std::size_t i = 0; i < expected.size() && is_close; ++i) {
      is_close = IsCloseHere(expected[i], found.outputs[i], ToleranceOf(i));
    }
    ++report_.checked;
    if (is_close) return std::nullopt;
    trial_.expected = expected;
    trial_.tolerances.clear();
    for (std::size_t i = 0; i < expected.size(); ++i) trial_.tolerances.push_back(ToleranceOf(i));
    const std::string from = NameParts();
    auto finding = JudgeCall(order_.problem, trial_, found);
    if (finding) finding->reason += " (in a timed call; it was right before" + from + ")";
    return finding;
  }

  // Of outputs of which only a part came back: it is what is expected, and where it began.
  std::string NameParts() {
    std::string from;
    for (std::size_t i = 0; i < trial_.declared.size() && i < trial_.expected.size(); ++i) {
      TensorSpec& declared = trial_.declared[i];
      const std::int64_t count = declared.Count();
      if (count <= part_.elements || trial_.expected[i].spec.Count() != part_.elements) continue;
      declared.shape = trial_.expected[i].spec.shape;
      from = fmt::format("; counted from element {}", BeginOf(part_, count));
    }
    return from;
  }

  const Tolerance& ToleranceOf(std::size_t output) const {
    const std::vector<Tolerance>& all = order_.tolerances.at(variant_);
    return all.at(output);
  }

  bool IsCloseHere(const Tensor& expected, const Tensor& found, const Tolerance& tolerance) const {
    if (!IsSameKind(expected.spec, found.spec)) return false;  // Then it is looked at closely.
    const std::int64_t count = expected.spec.Count();
    if (part_.elements == 0 || count <= part_.elements) {
      return IsCloseIn(expected, found, tolerance, 0, count);
    }
    return IsCloseIn(expected, found, tolerance, BeginOf(part_, count), part_.elements);
  }

  void Record(const Side& found, const Side& expected) {
    bool is_disturbed = false;
    for (const Side* side : {&found, &expected}) {
      const CallReport& report = side->report;
      is_disturbed |= IsDisturbed(Ns(report.time), Ns(report.delay));
      side->times.times.push_back(NetTimeOf(TakenBy(*side)));
      side->times.claimed.push_back(Ns(report.claimed));
      side->times.work.push_back(Ns(report.work));
      side->times.delay.push_back(Ns(report.delay));
    }
    report_.disturbed += is_disturbed ? 1 : 0;
    report_.variants.push_back(variant_);
    if (order_.pulse) pulses_.push_back(pulse_);
    taken_of_candidate_.push_back(TakenBy(found));
    taken_of_reference_.push_back(TakenBy(expected));
    unclocked_.See(taken_of_reference_.back().unclocked);
  }

  // What an empty call takes is known best at the end.
  void SubtractEmptyCalls(const std::vector<Taken>& taken, TimedSide& side) const {
    for (std::size_t i = 0; i < taken.size(); ++i) {
      side.times[i] = NetTimeOf(taken[i]);
    }
  }

  // The ratio is taken from all undisturbed pairs: choosing among them by how long they took would
  // bias it. The times are taken from calm periods, which the reference tells.
  void Conclude() {
    SubtractEmptyCalls(taken_of_candidate_, report_.candidate);
    SubtractEmptyCalls(taken_of_reference_, report_.reference);
    DropWarmUp();
    report_.counts = CountingPairs();
    report_.quiet = QuietSoFar();
    ConcludePulse();
    std::vector<bool> calm = CalmPairs();
    for (std::size_t i = 0; i < calm.size(); ++i) calm[i] = calm[i] && report_.counts[i];
    const bool is_calm = std::ranges::count(calm, true) >= kMinQuiet;
    report_.is_unstable = order_.seeks_calm && !is_calm;
    for (TimedSide* side : {&report_.candidate, &report_.reference}) {
      Summarise(*side, LevelledTimes(side->times, report_.variants),
                order_.seeks_calm && is_calm ? calm : report_.counts);
    }
    if (report_.candidate.times.empty()) return;
    const PairedTest test = TestDependentPairs(LogRatios(report_.counts));
    report_.speedup = std::exp(test.effect);
    report_.speedup_interval = {std::exp(test.interval.low), std::exp(test.interval.high)};
  }

  void ConcludePulse() {
    if (pulses_.empty()) return;
    report_.pulse_quiet = QuietByPulse();
    report_.slowness = SlownessOf(pulses_, order_.pulse_level);
  }

  // What is left of a warm-up that was too short, at most a quarter of all.
  void DropWarmUp() {
    const auto cut = [](const TimedSide& side) -> std::int64_t {
      const SteadyState state = FindSteadyState(side.times);
      return state.kind == SteadyState::Kind::kSteady ? state.warm_up : 0;
    };
    const std::int64_t more = std::max(cut(report_.candidate), cut(report_.reference));
    if (more * 4 > static_cast<std::int64_t>(report_.candidate.times.size())) return;
    if (LeavesNoQuiet(more)) return;  // Then it was no warm-up but a slow spell.
    report_.warm_up += more;
    const auto drop = [&](auto& values) {
      values.erase(values.begin(), values.begin() + std::min(more, std::ssize(values)));
    };
    drop(pulses_);
    drop(report_.variants);
    for (TimedSide* side : {&report_.candidate, &report_.reference}) {
      for (auto* values : {&side->times, &side->claimed, &side->work, &side->delay}) drop(*values);
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
  Runner& reference_;
  const TimingOrder& order_;
  std::vector<std::int64_t> sizes_;
  Clock::Monotonic began_;
  std::map<int, Empty> empty_;  // By the processor.
  std::vector<Taken> taken_of_candidate_;
  std::vector<Taken> taken_of_reference_;
  UnclockedLimit unclocked_;
  std::int64_t next_look_ = 0;
  std::vector<double> warm_up_times_;
  bool rehearses_ = false;
  std::int64_t max_samples_ = order_.max_samples;
  std::uint64_t inputs_number_ = 0;
  std::size_t variant_ = 0;     // Of this pair.
  double pulse_ = 0;            // Before this pair,
  std::vector<double> pulses_;  // and of all that were recorded.
  FullLooks full_looks_{order_.full_every};
  OutputPart part_;  // Of the outputs of this pair that are compared.
  TimedCase trial_;  // With the inputs of this pair.
  TimingReport report_;
  std::optional<DrawingAhead> ahead_;  // Last: it uses the order.
};

}  // namespace

double NetTime(double time, double busy, const EmptyCall& empty) {
  return std::max({1.0, empty.spread, time - empty.time, busy - empty.busy});
}

Result<EmptyCall> TimeOfNothing(Runner& runner, const Runner& sleeper, int calls) {
  std::vector<double> times;
  std::vector<double> busy;
  const auto before = sleeper.Used();
  for (int i = 0; i < calls; ++i) {
    const auto report = runner.CallNothing();
    if (!report) return report.error();
    if (report->fault) {
      return Error{Errc::kInvalidArgument, "an empty call fails: " + report->fault->reason};
    }
    times.push_back(Ns(report->time));
    busy.push_back(Ns(report->busy));
  }
  return EmptyCall{Median(times), Median(busy), MedianAbsoluteDeviation(times),
                   Ns(sleeper.Used() - before)};
}

Result<TimingReport> MeasureTimes(Runner& candidate, Runner& reference, const TimingOrder& order) {
  return Measurement(candidate, reference, order).Run();
}

}  // namespace hone::compute

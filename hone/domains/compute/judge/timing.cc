// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "hone/domains/compute/judge/cheating.h"
#include "hone/domains/compute/judge/correctness.h"
#include "hone/domains/compute/judge/counting_pairs.h"
#include "hone/domains/compute/judge/drawing_ahead.h"
#include "hone/domains/compute/judge/full_looks.h"
#include "hone/domains/compute/judge/levelled_times.h"
#include "hone/domains/compute/judge/sealed_calls.h"
#include "hone/domains/compute/judge/unclocked_work.h"
#include "hone/domains/compute/judge/variant_lots.h"
#include "hone/domains/compute/runner/pinned_thread.h"
#include "hone/domains/compute/runner/urgency.h"
#include "hone/measure/paired.h"
#include "hone/measure/steady_state.h"

namespace hone::compute {
namespace {

constexpr std::int64_t kPairsPerWatch = 10;
constexpr std::int64_t kComparedElements = 16 << 10;  // Of each output, in every call.
constexpr std::int64_t kThreadsEvery = 8;
constexpr int kWaitTimeout = 10;           // Budgets, while the machine is too busy to tell.
constexpr std::int64_t kWantedQuiet = 12;  // More than are needed: some may be warm-up.
constexpr double kShortCallNs = 50'000;    // Shorter calls vary as much by themselves.
constexpr double kLongCallNs = 2'000'000;  // Of longer ones it is no part how they begin.
constexpr std::size_t kMaxCalls = 2;
constexpr std::int64_t kMinPairsOfVariant = 2;
constexpr int kMaxEmptyAttempts = 20;
constexpr std::size_t kMaxDrawingThreads = 8;
constexpr std::size_t kMaxAheadBytes = 128 << 20;
constexpr double kMaxCoarser = 3;
constexpr std::uint64_t kSealedEvery = 4;

// Times candidate and reference in pairs: the same fresh inputs, one call each or two, in random
// order. What the machine does for longer than a pair (a lower clock, a neighbour) hits both and
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
  // What both sides of a pair get in one call.
  struct Given {
    Tensors inputs;
    std::uint64_t number = 0;  // CallOrder::same_inputs
    std::uint64_t seed = 0;
    OutputPart part = {};  // Of the outputs, that is compared.
  };

  struct Called {
    CallReport report;
    int processor = -1;  // From which it was called; -1: the judge's own.
  };

  // One side of a pair.
  struct Side {
    Runner& runner;
    Runner& other;
    TimedSide& times;
    Watch& watch;
    Watch& others_watch;
    std::vector<Called> calls = {};
    bool is_useful = true;
  };

  // What the clocks showed of a publication that counts.
  struct Taken {
    double time = 0;
    double busy = 0;
    int processor = -1;
    double arming = 0;
  };

  Result<void> TimeEmptyCalls() {
    const std::vector<int> own{-1};
    for (const int processor : order_.shared.empty() ? own : order_.shared) {
      const PinnedThread here(processor);
      const auto empty = TimeCalmEmptyCalls();
      if (!empty) return empty.error();
      empty_.Begin(processor, *empty);
      report_.round_trip = empty->time;
    }
    return {};
  }

  // Made again while the candidate works.
  Result<EmptyCall> TimeCalmEmptyCalls() {
    for (int attempt = 1;; ++attempt) {
      auto empty = TimeOfNothing(reference_, candidate_);
      ++report_.candidate_watch.beside;
      if (!empty || empty->aside == 0) return empty;
      report_.candidate_watch.aside.push_back(empty->aside);
      if (attempt == kMaxEmptyAttempts) return empty;
    }
  }

  // Of the reference.
  void SeeWarmUp() {
    if (warm_up_times_.empty()) return;
    const double time = Median(warm_up_times_);
    if (order_.calls_twice && time < kLongCallNs) calls_ = 2;
    if (time < kShortCallNs) max_samples_ = order_.max_short_samples;
  }

  // Ends when the ratio is known well enough, or by the budget. But on a machine that is busy now,
  // waiting is better than a verdict from disturbed calls: it goes on, for a limited time.
  bool IsEnough() {
    const auto pairs = static_cast<std::int64_t>(report_.candidate.times.size());
    if (order_.stop.stop_requested()) return End("stopped");
    if (order_.clock->Now() > order_.deadline) return End("limit");
    const auto spent = order_.clock->Now() - began_;
    if (spent > 2 * kWaitTimeout * order_.budget && !IsSealed()) return End("unsealed");
    if (spent > kWaitTimeout * order_.budget) return IsEnoughSealed("budget");
    if (pairs < MinSamples()) return false;
    const char* const why = only_seals_for_ != nullptr ? only_seals_for_ : WhyEnough(pairs, spent);
    if (why == nullptr) return false;
    if (spent < kMaxCalmBudgets * order_.budget && IsUnstable()) return false;
    return IsEnoughSealed(why);
  }

  // Otherwise all pairs are sealed from now on.
  bool IsEnoughSealed(const char* why) {
    if (IsSealed()) return End(why);
    only_seals_for_ = why;
    return false;
  }

  bool IsSealed() const { return !seals_ || sealed_.HasEnough(); }

  // By lot; the last ones, if any are missing then.
  bool IsNextSealed(std::int64_t number) const {
    if (!seals_ || number < order_.warm_up) return false;
    if (only_seals_for_ != nullptr) return true;
    return !sealed_.HasEnough() && Rng(order_.secret()).Below(kSealedEvery) == 0;
  }

  // However few are asked for, some of every distribution: of one that was not seen nothing is
  // known.
  std::int64_t MinSamples() const {
    const auto variants = std::ssize(order_.tolerances);
    const auto wanted = std::min(order_.min_samples, max_samples_);
    return variants < 2 ? wanted : std::max(wanted, kMinPairsOfVariant * variants);
  }

  // Null if it is not.
  const char* WhyEnough(std::int64_t pairs, Clock::Duration spent) {
    if (pairs - report_.disturbed < MinSamples()) return nullptr;
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
    const LevelledRatios levelled = LogRatios(CountingPairs(report_, order_.min_samples));
    const Interval interval = Widened(TestPairs(levelled.ratios), levelled.widening);
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

  // Logarithms, because a ratio is as far from 1 at 2 as at 1/2: exchanging the sides changes the
  // sign and nothing else.
  LevelledRatios LogRatios(const std::vector<bool>& counts) const {
    std::vector<double> ratios;
    std::vector<std::size_t> variants;
    for (std::size_t i = 0; i < report_.candidate.times.size(); ++i) {
      if (!counts[i]) continue;
      ratios.push_back(std::log(report_.reference.times[i] / report_.candidate.times[i]));
      variants.push_back(report_.variants[i]);
    }
    return LevelRatios(ratios, variants, order_.tolerances.size());
  }

  // All calls of a pair have inputs of one distribution.
  Result<void> Draw() {
    given_.clear();
    Rng rng(order_.secret());
    if (!ahead_) variant_ = lots_.Next(rng);
    for (int i = 0; i < calls_; ++i) {
      auto drawn = ahead_ ? ahead_->Next() : DrawOne(variant_, rng);
      if (!drawn) return drawn.error();
      variant_ = drawn->variant;
      given_.push_back({std::move(drawn->inputs), FreshNumber(), rng.Next(), DrawPart()});
    }
    return {};
  }

  // Each holds the inputs of a call.
  std::size_t DrawingThreads() const {
    std::size_t bytes = 1;
    for (const ArraySpec& input : order_.problem.inputs) {
      bytes += input.At(order_.sizes).Bytes();
    }
    return std::clamp<std::size_t>(kMaxAheadBytes / bytes, 1,
                                   std::min(kMaxDrawingThreads, order_.aside.size()));
  }

  Result<DrawnInputs> DrawAside() {
    Rng rng(order_.secret());
    return DrawOne(lots_.Next(rng), rng);
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

  // The calls of each side with the same inputs, in random order.
  Result<void> Pair(std::int64_t number) {
    if (auto drawn = Draw(); !drawn) return drawn;
    if (order_.pulse) pulse_ = order_.pulse();
    is_sealed_ = IsNextSealed(number);
    Side found{candidate_, reference_, report_.candidate, report_.candidate_watch,
               report_.reference_watch};
    Side expected{reference_, candidate_, report_.reference, report_.reference_watch,
                  report_.candidate_watch};
    const bool is_reference_first = Rng(order_.secret()).Coin();
    for (const bool is_reference : {is_reference_first, !is_reference_first}) {
      Side& side = is_reference ? expected : found;
      for (const Given& given : given_) {
        if (auto called = Call(side, given, number); !called) return called;
      }
    }
    for (std::size_t i = 0; i < given_.size() && !report_.finding; ++i) {
      const CallReport& right = expected.calls[i].report;
      if (right.fault || !right.exception.empty()) return ReferenceFails(right);
      report_.finding = Check(number, given_[i], found.calls[i].report, right.outputs);
    }
    if (!report_.finding) Count(found, expected, number);
    return {};
  }

  Error ReferenceFails(const CallReport& report) const {
    return {Errc::kInvalidArgument,
            fmt::format("problem {}: its reference fails when it is timed: {}", order_.problem.name,
                        report.fault ? report.fault->reason : report.exception)};
  }

  // One that does not count is made again, with the same distribution: who chooses which pairs
  // count does not choose what they are of.
  void Count(const Side& found, const Side& expected, std::int64_t number) {
    if (expected.is_useful) SeeNothing(expected.calls.back());
    bool counts = false;
    if (is_sealed_) {
      SeeSealed(found.calls.back().report, expected.calls.back().report);
    } else if (number < order_.warm_up) {
      ++report_.warm_up;
      warm_up_times_.push_back(TimeOf(TakenBy(expected)));
    } else if (found.is_useful && expected.is_useful) {
      counts = Record(found, expected);
    }
    if (!counts) lots_.Again(variant_);
  }

  void SeeSealed(const CallReport& found, const CallReport& expected) {
    if (found.span.count() == 0 || expected.span.count() == 0) return;
    sealed_.SeeSealed(Ns(found.span), Ns(expected.span));
  }

  // By lot; -1 where the judge has its own.
  int TakeProcessor() const {
    if (order_.shared.empty()) return -1;
    return order_.shared[Rng(order_.secret()).Below(order_.shared.size())];
  }

  // The reference's, for both sides: a candidate that made empty calls slow would gain by its own.
  void SeeNothing(const Called& called) {
    const CallReport& report = called.report;
    if (report.nothing.count() == 0) return;
    empty_.See(called.processor, Ns(report.nothing), Ns(report.nothing_busy));
    report_.round_trip = empty_.At(called.processor).time;
  }

  static std::vector<Taken> TakenBy(const Side& side) {
    std::vector<Taken> taken;
    for (const auto& [report, processor] : side.calls) {
      taken.push_back({Ns(report.time), Ns(report.busy), processor, Ns(report.arming)});
    }
    return taken;
  }

  // Of one call of the pair.
  double TimeOf(const std::vector<Taken>& calls) const {
    double sum = 0;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const Taken& taken = calls[i];
      sum += NetTime(taken.time, taken.busy, empty_.At(taken.processor)) +
             unclocked_.at(i).ChargeFor(taken.arming);
    }
    return sum / static_cast<double>(calls.size());
  }

  Result<void> Call(Side& side, const Given& given, std::int64_t number) {
    CallOrder call;
    call.inputs = given.inputs;
    call.outputs = order_.outputs;
    call.wanted = order_.wanted;
    call.sizes = sizes_;
    call.same_inputs = given.number;
    call.seed = given.seed;
    call.part = given.part;
    call.secret = order_.secret();
    call.cache = order_.cache;
    call.times_nothing = !is_sealed_;
    call.is_sealed = is_sealed_;
    call.counts_threads = &side.runner == &candidate_ && number % kThreadsEvery == 0;
    call.limit = &side.runner == &candidate_ ? order_.call_timeout : order_.reference_timeout;
    call.stop = order_.stop;
    const int processor = TakeProcessor();
    const PinnedThread here(processor);
    const auto others_before = side.other.Used();
    auto report = side.runner.Call(call);
    if (!report) return report.error();
    ++side.watch.publications;
    ++side.others_watch.beside;
    if (report->outside.count() > 0) {
      side.is_useful = false;
      side.watch.outside.push_back(Ns(report->outside));
    }
    if (const auto aside = side.other.Used() - others_before; aside.count() > 0) {
      side.is_useful = false;
      side.others_watch.aside.push_back(Ns(aside));
    }
    side.calls.push_back({std::move(*report), processor});
    return {};
  }

  MaybeFinding Check(std::int64_t number, Given& given, const CallReport& found,
                     const Tensors& expected) {
    part_ = given.part;
    trial_.inputs = std::move(given.inputs);
    trial_.seed = given.seed;
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

  // Whether nobody had to wait for a processor.
  bool Record(const Side& found, const Side& expected) {
    bool is_disturbed = false;
    for (const Side* side : {&found, &expected}) {
      const auto calls = static_cast<double>(side->calls.size());
      double claimed = 0;
      double work = 0;
      double delay = 0;
      for (const auto& [report, processor] : side->calls) {
        is_disturbed |= IsDisturbed(Ns(report.time), Ns(report.delay));
        claimed += Ns(report.claimed) / calls;
        work += Ns(report.work) / calls;
        delay = std::max(delay, Ns(report.delay));
      }
      side->times.times.push_back(TimeOf(TakenBy(*side)));
      side->times.claimed.push_back(claimed);
      side->times.work.push_back(work);
      side->times.delay.push_back(delay);
    }
    sealed_.SeeOpen(report_.candidate.times.back(), report_.reference.times.back());
    report_.disturbed += is_disturbed ? 1 : 0;
    report_.variants.push_back(variant_);
    if (order_.pulse) pulses_.push_back(pulse_);
    taken_of_candidate_.push_back(TakenBy(found));
    taken_of_reference_.push_back(TakenBy(expected));
    for (std::size_t i = 0; i < taken_of_reference_.back().size(); ++i) {
      unclocked_.at(i).See(taken_of_reference_.back()[i].arming);
    }
    return !is_disturbed;
  }

  // What an empty call takes is known best at the end.
  void SubtractEmptyCalls(const std::vector<std::vector<Taken>>& taken, TimedSide& side) const {
    for (std::size_t i = 0; i < taken.size(); ++i) side.times[i] = TimeOf(taken[i]);
  }

  // The ratio is taken from all undisturbed pairs: choosing among them by how long they took would
  // bias it. The times are taken from calm periods, which the reference tells.
  void Conclude() {
    SubtractEmptyCalls(taken_of_candidate_, report_.candidate);
    SubtractEmptyCalls(taken_of_reference_, report_.reference);
    report_.unseen = sealed_.Conclude();
    for (double& time : report_.candidate.times) time += report_.unseen.charge;
    DropWarmUp();
    report_.counts = CountingPairs(report_, order_.min_samples);
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
    const LevelledRatios levelled = LogRatios(report_.counts);
    const PairedTest test = TestDependentPairs(levelled.ratios);
    const Interval interval = Widened(test, levelled.widening);
    report_.speedup = std::exp(test.effect);
    report_.speedup_interval = {std::exp(interval.low), std::exp(interval.high)};
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
  EmptyCalls empty_;
  std::vector<std::vector<Taken>> taken_of_candidate_;  // Of each pair its calls.
  std::vector<std::vector<Taken>> taken_of_reference_;
  std::array<UnclockedLimit, kMaxCalls> unclocked_;  // Of a pair's first call, and of its second.
  std::int64_t next_look_ = 0;
  const bool seals_ = order_.seals && candidate_.CanSeal() && reference_.CanSeal();
  SealedCalls sealed_;
  bool is_sealed_ = false;                // This pair.
  const char* only_seals_for_ = nullptr;  // Why it is enough otherwise.
  std::vector<double> warm_up_times_;
  int calls_ = 1;  // Of each side in a pair.
  std::int64_t max_samples_ = order_.max_samples;
  VariantLots lots_{order_.tolerances.size()};
  std::size_t variant_ = 0;     // Of this pair.
  std::vector<Given> given_;    // In its calls.
  double pulse_ = 0;            // Before this pair,
  std::vector<double> pulses_;  // and of all that were recorded.
  FullLooks full_looks_{order_.full_every};
  OutputPart part_;  // Of the outputs of the call that is checked.
  TimedCase trial_;  // With its inputs.
  TimingReport report_;
  std::optional<DrawingAhead> ahead_;  // Last: it uses the order.
};

}  // namespace

Result<TimingReport> MeasureTimes(Runner& candidate, Runner& reference, const TimingOrder& order) {
  return Measurement(candidate, reference, order).Run();
}

}  // namespace hone::compute

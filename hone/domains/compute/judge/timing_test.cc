// SPDX-License-Identifier: Apache-2.0
// The timing on a runner with a clock of its own: every disturbance and every trick is a case.
#include "hone/domains/compute/judge/timing.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "hone/base/host.h"
#include "hone/domains/compute/judge/cheating.h"
#include "hone/domains/compute/judge/timing_for_test.h"

namespace hone::compute {
namespace {

using ::testing::HasSubstr;

TEST_F(TimingTest, TwiceAsFastIsASpeedupOfTwo) {
  const TimingReport report = Measure(Always({100'000}), Always({200'000}));
  EXPECT_FALSE(report.finding);
  EXPECT_DOUBLE_EQ(report.speedup, 2);
  EXPECT_DOUBLE_EQ(report.candidate.median, 100'000);
  EXPECT_DOUBLE_EQ(report.round_trip, FakeRunner::kEmptyNs);
}

bool IsPinnedTo(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) == 1 &&
         CPU_ISSET(static_cast<std::size_t>(cpu), &set);
}

TEST_F(TimingTest, AJudgeWithoutAProcessorOfItsOwnIsInEverybodysWayAlike) {
  const auto cpus = AllowedCpus();
  if (cpus.size() < 2) GTEST_SKIP() << "needs two processors";
  const auto waits_beside = [](int cpu) {
    return [cpu](std::int64_t) { return Behaviour{IsPinnedTo(cpu) ? 120'000.0 : 100'000.0}; };
  };
  order_.shared = {cpus[0]};
  const TimingReport unfair = Measure(waits_beside(cpus[0]), waits_beside(cpus[1]));
  EXPECT_LT(unfair.speedup_interval.high, 0.9);
  order_.shared = {cpus[0], cpus[1]};
  const TimingReport fair = Measure(waits_beside(cpus[0]), waits_beside(cpus[1]));
  EXPECT_LE(fair.speedup_interval.low, 1);
  EXPECT_GE(fair.speedup_interval.high, 1);
  EXPECT_EQ(AllowedCpus(), cpus);
}

TEST_F(TimingTest, TheWayFromEachProcessorIsSubtractedFromTheCallsThatTookIt) {
  const auto cpus = AllowedCpus();
  if (cpus.size() < 2) GTEST_SKIP() << "needs two processors";
  order_.shared = {cpus[0], cpus[1]};
  FakeRunner candidate(clock_, Add, Always({50'000}));
  FakeRunner reference(clock_, Add, Always({50'000}));
  for (FakeRunner* runner : {&candidate, &reference}) {
    runner->MakeWayLonger([&] { return IsPinnedTo(cpus[1]) ? 25'000.0 : 0.0; });
  }
  const auto report = MeasureTimes(candidate, reference, order_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_DOUBLE_EQ(report->candidate.median, 50'000);
  EXPECT_DOUBLE_EQ(report->candidate.spread, 0);
  EXPECT_DOUBLE_EQ(report->speedup, 1);
}

TEST_F(TimingTest, EqualSourcesCoverOneInNineteenOfTwentyEvaluations) {
  order_.max_samples = 100;
  int covered = 0;
  constexpr int kEvaluations = 400;
  for (int i = 0; i < kEvaluations; ++i) {
    const TimingReport report = Measure(Noisy(500'000, 0.05), Noisy(500'000, 0.05));
    covered += report.speedup_interval.low <= 1 && report.speedup_interval.high >= 1 ? 1 : 0;
  }
  EXPECT_GE(covered, 0.93 * kEvaluations);
}

// By chance two or three are alike.
TEST_F(TimingTest, OneToFourPairsGiveAWideIntervalOrNone) {
  for (const std::int64_t pairs : {1, 2, 3, 4}) {
    order_.max_samples = order_.max_short_samples = pairs;
    TimingReport report = Measure(Always({100'000}), Always({200'000}));
    ASSERT_EQ(std::ssize(report.candidate.times), pairs);
    report.Widen(0.01);
    EXPECT_DOUBLE_EQ(report.speedup, 2);
    EXPECT_FALSE(report.speedup_interval.IsBounded()) << pairs;
    EXPECT_TRUE(report.ToJson().at("speedup_interval").is_null()) << pairs;
    for (const TimedSide& side : {report.candidate, report.reference}) {
      const Interval& interval = side.interval;
      EXPECT_TRUE(!interval.IsBounded() || interval.high - interval.low >= 0.1 * side.median);
      EXPECT_GE(side.spread, 0.02 * side.median) << pairs;
    }
  }
}

TEST_F(TimingTest, ShortCallsAreKnownLessWellSoonerAndAsHonestly) {
  int covered = 0;
  std::int64_t pairs = 0;
  constexpr int kEvaluations = 400;
  for (int i = 0; i < kEvaluations; ++i) {
    const TimingReport report = Measure(Noisy(5'000, 0.04), Noisy(5'000, 0.04));
    covered += report.speedup_interval.low <= 1 && report.speedup_interval.high >= 1 ? 1 : 0;
    pairs += std::ssize(report.candidate.times);
  }
  EXPECT_GE(covered, 0.93 * kEvaluations);
  EXPECT_LT(pairs / kEvaluations, 50);  // Where a hundredth would take more than 200.
}

TEST_F(TimingTest, WhatEqualProcessesDifferByIsInTheIntervalAndNotInTheSpeedup) {
  TimingReport report = Measure(Always({100'000}), Always({200'000}));
  report.Widen(0.05);
  EXPECT_DOUBLE_EQ(report.speedup, 2);
  EXPECT_NEAR(report.speedup_interval.low, 2 * std::exp(-0.05), 1e-9);
  EXPECT_NEAR(report.speedup_interval.high, 2 * std::exp(0.05), 1e-9);
}

// Spells in which everything takes a third longer, of some tens of pairs.
TEST_F(TimingTest, SlowSpellsOfTheMachineLeaveTheRatioAlone) {
  int covered = 0;
  constexpr int kEvaluations = 200;
  for (int i = 0; i < kEvaluations; ++i) {
    const auto spells = std::make_shared<Rng>(secrets_.Next());
    const auto slow = std::make_shared<bool>(false);
    const auto behave = [&](std::int64_t) {
      if (spells->Below(60) == 0) *slow = !*slow;
      return Behaviour{(*slow ? 400'000 : 300'000) * std::exp(0.02 * spells->Normal())};
    };
    const TimingReport report = Measure(behave, behave);
    covered += report.speedup_interval.low <= 1 && report.speedup_interval.high >= 1 ? 1 : 0;
  }
  EXPECT_GE(covered, 0.93 * kEvaluations);
}

TEST_F(TimingTest, TimesAreThoseOfCalmPeriodsOnlyWhereTheyAreSought) {
  const auto slow_in_spells = [](std::int64_t i) {
    return Behaviour{i / 20 % 2 == 0 ? 100'000.0 : 300'000.0};
  };
  order_.quiet_level = 100'000;
  order_.precision = 0;
  order_.max_samples = 101;
  order_.warm_up = 4;  // Once each; then pairs of two calls, none of which has one of either kind.
  EXPECT_DOUBLE_EQ(Measure(slow_in_spells, slow_in_spells).candidate.median, 100'000);
  order_.seeks_calm = false;
  order_.warm_up = 20;  // So that more calls are slow ones.
  EXPECT_DOUBLE_EQ(Measure(slow_in_spells, slow_in_spells).candidate.median, 300'000);
}

// The reference alone does not show it: nothing is known of its time.
TEST_F(TimingTest, AProcessorThatIsSlowerThanItCanBeIsSaidByItsPulse) {
  order_.pulse_level = 5'000;
  order_.pulse = [] { return 6'000.0; };
  const TimingReport slow = Measure(Always({100'000}), Always({100'000}));
  EXPECT_TRUE(slow.is_unstable);
  EXPECT_DOUBLE_EQ(slow.slowness, 1.2);
  order_.pulse = [] { return 5'050.0; };
  EXPECT_FALSE(Measure(Always({100'000}), Always({100'000})).is_unstable);
}

TEST_F(TimingTest, WorkBeforeTheCallIsNeverPaidAndAlwaysAccused) {
  const TimingReport report = Measure(Always({1'000, 99'000}), Always({100'000}));
  ASSERT_TRUE(report.finding);
  EXPECT_EQ(report.finding->outcome, Outcome::kCheated);
  EXPECT_THAT(report.finding->reason, HasSubstr("before the call was published"));
  EXPECT_TRUE(report.candidate.times.empty());
}

TEST_F(TimingTest, WorkBeforeEveryFifthCallLeavesTheOthersOnly) {
  const TimingReport report = Measure(
      [](std::int64_t i) {
        return i % 5 == 0 ? Behaviour{1'000, 99'000} : Behaviour{100'000};
      },
      Always({100'000}));
  EXPECT_FALSE(report.finding);
  EXPECT_DOUBLE_EQ(report.speedup, 1);
}

// A publication in which it works outside of the call does not count, so it does that in slow ones.
TEST_F(TimingTest, WhoChoosesWhichCallsCountGainsLittleOrIsAccused) {
  int accused = 0;
  std::vector<double> gains;
  for (int i = 0; i < 100; ++i) {
    const auto times = std::make_shared<Rng>(secrets_.Next());
    const TimingReport report = Measure(
        [times](std::int64_t) {
          const double time = 100'000 * std::exp(0.05 * times->Normal());
          return Behaviour{time, time > 102'500 ? 1'000.0 : 0.0};
        },
        Noisy(100'000, 0.05));
    accused += report.finding ? 1 : 0;
    if (!report.finding) gains.push_back(report.speedup);
  }
  EXPECT_GT(accused, 30);
  for (const double gain : gains) EXPECT_LT(gain, 1.05);
}

TEST_F(TimingTest, WorkAfterDoneIsAPartOfTheTime) {
  const TimingReport report = Measure(Always({1'000, 0, 99'000}), Always({100'000}));
  EXPECT_DOUBLE_EQ(report.speedup, 1);
}

// It loads its caches there, and its calls are fast.
TEST_F(TimingTest, WorkBeforeItIsReadyIsPaid) {
  Behaviour armed{50'000};
  armed.arming_ns = 5e6;
  EXPECT_LT(Measure(Always(armed), Always({100'000})).speedup, 0.05);
}

TEST_F(TimingTest, WhoIsMadeReadyLikeTheReferencePaysNothing) {
  Behaviour fast{50'000};
  fast.arming_ns = 20'000;
  Behaviour reference{100'000};
  reference.arming_ns = 20'000;
  const TimingReport report = Measure(Always(fast), Always(reference));
  EXPECT_FALSE(report.finding);
  EXPECT_DOUBLE_EQ(report.speedup, 2);
}

// A noisy machine: both take very different times to be ready, at times very long ones.
TEST_F(TimingTest, EqualSourcesStayEqualHoweverLongTheyTakeToBeReady) {
  int covered = 0;
  double logs = 0;
  constexpr int kEvaluations = 200;
  for (int i = 0; i < kEvaluations; ++i) {
    const auto noise = std::make_shared<Rng>(secrets_.Next());
    const auto behave = [=](std::int64_t) {
      Behaviour now{100'000 * std::exp(0.02 * noise->Normal())};
      now.arming_ns = 30'000 * std::exp(0.3 * noise->Normal());
      if (noise->Below(10) == 0) now.arming_ns += 1e6;
      return now;
    };
    const TimingReport report = Measure(behave, behave);
    EXPECT_FALSE(report.finding);
    covered += report.speedup_interval.low <= 1 && report.speedup_interval.high >= 1 ? 1 : 0;
    logs += std::log(report.speedup) / kEvaluations;
  }
  EXPECT_GE(covered, 0.93 * kEvaluations);
  EXPECT_NEAR(logs, 0, 0.01);
}

TEST_F(TimingTest, NothingIsShorterThanWhatEmptyCallsDifferBy) {
  const EmptyCall empty{7'000, 4'000, 300};
  EXPECT_DOUBLE_EQ(NetTime(7'100, 0, empty), 300);
  EXPECT_DOUBLE_EQ(NetTime(8'000, 0, empty), 1'000);
}

TEST_F(TimingTest, WorkWhileTheReferenceIsTimedIsAccused) {
  const auto hog = [this](std::int64_t) {
    candidate_->WorkAside(5'000);
    return Behaviour{100'000};
  };
  const TimingReport report = Measure(Always({100'000}), hog);
  ASSERT_TRUE(report.finding);
  EXPECT_THAT(report.finding->reason, HasSubstr("while the reference ran"));
  const Watch& watch = report.candidate_watch;
  EXPECT_EQ(std::ssize(watch.aside), report.reference_watch.publications);
  EXPECT_EQ(watch.beside, report.reference_watch.publications + 1) << "the empty calls were calm";
  EXPECT_THAT(report.finding->reason,
              HasSubstr(fmt::format("in {} of {} publications", watch.aside.size(), watch.beside)));
}

// Whoever slows empty calls down, which are subtracted from what it takes, would gain by them.
TEST_F(TimingTest, WorkWhileEmptyCallsAreMadeIsNeverPaidAndAccusedWhereItGoesOn) {
  for (const int disturbed : {0, 20, 1'000'000}) {
    FakeRunner candidate(clock_, Add, Always({30'000}));
    FakeRunner reference(clock_, Add, Always({31'000}));
    int left = disturbed;
    reference.MakeWayLonger([&] {
      if (left == 0) return 0.0;
      --left;
      candidate.WorkAside(20'000);
      return 20'000.0;
    });
    const auto report = MeasureTimes(candidate, reference, order_);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->finding.has_value(), disturbed > 20) << disturbed;
    if (report->finding) {
      EXPECT_EQ(report->finding->outcome, Outcome::kCheated);
      EXPECT_THAT(report->finding->reason, HasSubstr("while the reference ran"));
      EXPECT_THAT(report->finding->reason, HasSubstr("in 20 of 20 publications"));
    } else {
      EXPECT_DOUBLE_EQ(report->candidate.median, 30'000);
      EXPECT_DOUBLE_EQ(report->round_trip, FakeRunner::kEmptyNs);
    }
  }
}

// Evaluations of which all slow the reference by a third, for ten minutes: the level that is known
// of it rises a little every minute. Who comes then is measured no worse and gains nothing.
TEST_F(TimingTest, WhoeverSlowsTheReferenceForLongSpoilsNoLaterTime) {
  QuietLevel level;
  const auto measure = [&](double candidate, double reference) {
    order_.quiet_level = level.ns();
    const TimingReport report = Measure(Noisy(candidate, 0.01), Noisy(reference, 0.01));
    level.See(report.quiet, clock_.Now());
    return report;
  };
  measure(100'000, 100'000);
  for (int minute = 0; minute < 10; ++minute) {
    clock_.Advance(std::chrono::minutes{1});
    measure(100'000, 133'000);
  }
  EXPECT_GT(level.ns(), 125'000);
  const TimingReport later = measure(90'000, 100'000);
  EXPECT_NEAR(later.candidate.median, 90'000, 1'000);
  EXPECT_NEAR(later.speedup, 1.11, 0.02);
  EXPECT_FALSE(later.is_unstable);
  EXPECT_NEAR(level.ns(), 100'000, 1'000);
}

TEST_F(TimingTest, CallsThatWaitedForAProcessorAreMadeAgain) {
  const auto busy = [](std::int64_t i) {
    return i % 3 == 0 ? Behaviour{100'000, 0, 0, 3'000'000} : Behaviour{100'000};
  };
  const TimingReport report = Measure(busy, busy);
  EXPECT_FALSE(report.finding);
  EXPECT_DOUBLE_EQ(report.speedup, 1);
  EXPECT_GT(report.disturbed, 0);
  EXPECT_DOUBLE_EQ(report.candidate.median, 100'000);
}

// Else a kernel could have its slow calls left out by giving its processor away in them.
TEST_F(TimingTest, WhoIsDisturbedMuchMoreThanTheReferenceIsTakenAsItIs) {
  const auto behave = [](double delay) {
    return [delay](std::int64_t i) {
      return i % 3 != 0 ? Behaviour{300'000, 0, 0, delay} : Behaviour{100'000};
    };
  };
  const TimingReport honest = Measure(behave(0), Always({300'000}));
  const TimingReport yielding = Measure(behave(20'000), Always({300'000}));
  EXPECT_LE(yielding.speedup, honest.speedup);
  EXPECT_LT(honest.speedup, 2);
}

TEST_F(TimingTest, InputsOfEveryCallAreNew) {
  order_.precision = 0;
  Measure(Noisy(10'000, 0.02), Noisy(10'000, 0.02));
  std::set<std::vector<std::byte>> inputs;
  std::size_t count = 0;
  for (const Tensors& call : candidate_->seen()) {
    count += call.size();
    for (const Tensor& input : call) inputs.insert(input.bytes);
  }
  EXPECT_GT(count, 40U);
  EXPECT_EQ(inputs.size(), count);
}

TEST_F(TimingTest, WhatIsDrawnComesFromASeedThatIsNewInEveryPairAndTheSameForBothSides) {
  Measure(Noisy(100'000, 0.02), Noisy(100'000, 0.02));
  const std::vector<std::uint64_t>& seeds = candidate_->seeds();
  EXPECT_GT(seeds.size(), 10U);
  EXPECT_EQ(std::set<std::uint64_t>(seeds.begin(), seeds.end()).size(), seeds.size());
  EXPECT_EQ(seeds, reference_->seeds());
}

TEST_F(TimingTest, ShortCallsAreMadeMoreOften) {
  order_.max_short_samples = 400;
  order_.budget = std::chrono::seconds{1};
  const auto pairs = [this](double ns) {
    return Measure(Noisy(ns, 0.5), Always({ns})).candidate.times.size();
  };
  EXPECT_GT(pairs(5'000), 200U);
  EXPECT_LE(pairs(500'000), 100U);
}

// A slow spell while the first ones were made: what they took would be subtracted from all.
TEST_F(TimingTest, WhatAnEmptyCallTakesIsWhatItTakesBesideTheTimedOnes) {
  FakeRunner candidate(clock_, Add, Always({5'000}));
  FakeRunner reference(clock_, Add, Always({10'000}));
  int slow = 9;
  reference.MakeWayLonger([&] { return slow-- > 0 ? 4'000.0 : 0.0; });
  const auto report = MeasureTimes(candidate, reference, order_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_DOUBLE_EQ(report->round_trip, FakeRunner::kEmptyNs);
  EXPECT_DOUBLE_EQ(report->speedup, 2);
}

TEST_F(TimingTest, OfAShortCallBothOfAPairCountAndALongOneIsMadeOnce) {
  const auto times = [](double first, double second) {
    return [=](std::int64_t i) {
      const bool is_second = i >= 3 && i % 2 == 0;  // After the warm-up of three.
      return Behaviour{is_second ? second : first};
    };
  };
  const TimingReport report = Measure(times(140'000, 60'000), Always({200'000}));
  EXPECT_DOUBLE_EQ(report.candidate.median, 100'000);
  EXPECT_DOUBLE_EQ(report.speedup, 2);
  EXPECT_EQ(candidate_->seen().size(), 3 + 2 * report.candidate.times.size());
  EXPECT_EQ(candidate_->seen().size(), reference_->seen().size());
  const TimingReport of_long = Measure(Always({3'000'000}), Always({3'000'000}));
  EXPECT_EQ(candidate_->seen().size(), 3 + of_long.candidate.times.size());
}

TEST_F(TimingTest, WhatIsWrongInOneTimedCallOnlyIsFound) {
  int calls = 0;
  const TimingReport report =
      Measure(Always({1'000}), Always({100'000}), [&](std::span<const Tensor> in, Tensors& out) {
        Add(in, out);
        if (++calls == 8) out[0].As<float>()[3] += 1;
      });
  ASSERT_TRUE(report.finding);
  EXPECT_EQ(report.finding->outcome, Outcome::kWrong);
  EXPECT_THAT(report.finding->reason, HasSubstr("in a timed call"));
}

bool HasText(const std::string& whole, const std::string& part) {
  return whole.find(part) != std::string::npos;
}

// Most of a large output is left as it was, in timed calls only.
TEST_F(TimingTest, WhatIsLeftOutIsFoundAlsoWhereOnlyPartsComeBack) {
  constexpr std::int64_t kElements = 1 << 18;
  order_.sizes = {{"n", kElements}};
  order_.outputs = {problem_.outputs[0].At(order_.sizes)};
  order_.wanted = order_.outputs;
  order_.full_every = 1'000'000;
  int found_in_parts = 0;
  for (int i = 0; i < 10; ++i) {
    const bool leaves_out = i > 0;
    FakeRunner candidate(
        clock_,
        [&](std::span<const Tensor> inputs, Tensors& outputs) {
          Add(inputs, outputs);
          if (leaves_out) std::ranges::fill(outputs[0].As<float>().first(kElements * 9 / 10), 7.F);
        },
        Always({100'000}));
    FakeRunner reference(clock_, Add, Always({100'000}));
    candidate.GiveParts();
    reference.GiveParts();
    const auto report = MeasureTimes(candidate, reference, order_);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->finding.has_value(), leaves_out);
    if (!report->finding) continue;
    EXPECT_EQ(report->finding->outcome, Outcome::kWrong);
    const std::string& reason = report->finding->reason;
    found_in_parts +=
        HasText(reason, "found 7") && HasText(reason, "; counted from element ") ? 1 : 0;
  }
  EXPECT_GT(found_in_parts, 0);
}

// As on a GPU: from the sixth call on another tenth each time.
TEST_F(TimingTest, NoneIsAcceptedThatLeavesATenthOutWhenItIsTimed) {
  constexpr std::int64_t kElements = 1 << 17;
  order_.sizes = {{"n", kElements}};
  order_.outputs = {problem_.outputs[0].At(order_.sizes)};
  order_.wanted = order_.outputs;
  order_.full_every = 16;
  int accepted = 0;
  for (int i = 0; i < 100; ++i) {
    Rng rng(secrets_.Next());
    int calls = 0;
    FakeRunner candidate(
        clock_,
        [&](std::span<const Tensor> inputs, Tensors& outputs) {
          Add(inputs, outputs);
          if (++calls < 6) return;
          const auto begin = rng.Below(kElements * 9 / 10);
          std::ranges::fill(outputs[0].As<float>().subspan(begin, kElements / 10), 7.F);
        },
        Noisy(90'000, 0.005));
    FakeRunner reference(clock_, Add, Noisy(100'000, 0.005));
    candidate.GiveParts();
    reference.GiveParts();
    const auto report = MeasureTimes(candidate, reference, order_);
    ASSERT_TRUE(report) << report.error().message;
    accepted += report->finding ? 0 : 1;
  }
  EXPECT_EQ(accepted, 0);
}

TEST_F(TimingTest, AMemoOfWhatWasSeenIsWrong) {
  std::optional<Tensors> known;
  const TimingReport report =
      Measure(Always({1'000}), Always({100'000}), [&](std::span<const Tensor> in, Tensors& out) {
        if (!known) Add(in, known.emplace(out));
        out = *known;
      });
  ASSERT_TRUE(report.finding);
  EXPECT_EQ(report.finding->outcome, Outcome::kWrong);
}

TEST_F(TimingTest, MoreThreadsThanThePolicyAllowsAreAccused) {
  const TimingReport report = Measure(Always({100'000, 0, 0, 0, 1, 2}), Always({100'000}));
  ASSERT_TRUE(report.finding);
  EXPECT_EQ(report.finding->outcome, Outcome::kCheated);
}

TEST_F(TimingTest, AClockThatShowsTooLittleIsAccused) {
  const TimingReport report = Measure(Always({100'000, 0, 0, 0, 0.1}), Always({100'000}));
  EXPECT_FALSE(report.finding);
  EXPECT_TRUE(CheckClocks(report));
}

TEST_F(TimingTest, AReferenceThatFailsIsTheProblemsFault) {
  FakeRunner candidate(clock_, Add, Always({100'000}));
  Behaviour failing;
  failing.exception = "out of luck";
  FakeRunner reference(clock_, Add, Always(failing));
  const auto report = MeasureTimes(candidate, reference, order_);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::kInvalidArgument);
  EXPECT_THAT(report.error().message, HasSubstr("out of luck"));
}

TEST_F(TimingTest, AMachineThatIsNeverAtRestEndsTheTimingAllTheSame) {
  const auto preempted = [](std::int64_t) { return Behaviour{100'000, 2'000}; };
  const TimingReport report = Measure(preempted, preempted);
  EXPECT_FALSE(report.finding);  // The reference does it too.
  EXPECT_EQ(report.ended_by, "budget");
  EXPECT_TRUE(report.candidate.times.empty());
}

}  // namespace
}  // namespace hone::compute

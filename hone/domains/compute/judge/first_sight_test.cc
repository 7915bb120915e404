// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/first_sight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "hone/domains/compute/problem/input_data.h"
#include "hone/domains/compute/runner/fake_runner_for_test.h"
#include "hone/testing/fake_clock.h"

namespace hone::compute {
namespace {

using Behaviour = FakeRunner::Behaviour;

void Negate(std::span<const Tensor> inputs, Tensors& outputs) {
  const auto x = inputs[0].As<float>();
  for (std::size_t i = 0; i < x.size(); ++i) outputs[0].As<float>()[i] = -x[i];
}

class FirstSightTest : public ::testing::Test {
 protected:
  FirstSightTest() {
    timed_.inputs = {DrawTensor(problem_.inputs[0], {{"n", 64}}, Distribution::kNormal, Rng(1))};
    timed_.expected = {Tensor::Zeros({"out", DType::kF32, {64}})};
    timed_.tolerances = {{1e-6, 1e-6}};
    Negate(timed_.inputs, timed_.expected);
    problem_.sizes.clear();
  }

  // `behave` is asked with the number of the call in its process.
  TimingReport Measure(const FakeRunner::Behave& behave,
                       const FakeRunner::Kernel& kernel = Negate) {
    FirstSightOrder order{TimingOrder{problem_}, timed_};
    order.timing.min_samples = min_samples_;
    order.timing.outputs = {timed_.expected[0].spec};
    order.load = [&]() -> Result<Loaded> {
      ++processes_;
      auto runner = std::make_unique<FakeRunner>(clock_, kernel, behave);
      newest_ = runner.get();
      return Loaded{std::move(runner), std::nullopt};
    };
    order.timing.pulse = pulse_;
    order.timing.pulse_level = pulse_level_;
    order.timing.secret = [this] { return secrets_.Next(); };
    order.timing.clock = &clock_;
    order.timing.deadline = clock_.Now() + std::chrono::hours{1};
    FakeRunner empty(clock_, Negate, behave);
    empty.MakeWayLonger([this] {
      if (!works_beside_empty_calls_) return 0.0;
      newest_->WorkAside(50'000);
      return 50'000.0;
    });
    return MeasureFirstSights(empty, order).value();
  }

  FakeClock clock_;
  Rng secrets_{1};
  Problem problem_ = FindProblem("vector_add").value();
  TimedCase timed_;
  std::int64_t min_samples_ = 3;
  int processes_ = 0;
  std::function<double()> pulse_;
  double pulse_level_ = 0;
  bool works_beside_empty_calls_ = false;
  FakeRunner* newest_ = nullptr;
};

TEST_F(FirstSightTest, EverySampleIsTakenInAProcessThatHasNotSeenTheInputs) {
  const TimingReport report = Measure([](std::int64_t) { return Behaviour{100'000}; });
  EXPECT_FALSE(report.finding);
  EXPECT_DOUBLE_EQ(report.candidate.median, 100'000);
  EXPECT_EQ(static_cast<std::size_t>(processes_), report.candidate.times.size());
  EXPECT_GE(processes_, 3);
}

// Processes differ by 4 %: each has a time of its own.
TEST_F(FirstSightTest, TheIntervalCoversTheTimeOfTheKernel) {
  for (const std::int64_t at_least : {4, 6}) {
    min_samples_ = at_least;
    int covered = 0;
    constexpr int kEvaluations = 400;
    for (int i = 0; i < kEvaluations; ++i) {
      const TimingReport report = Measure(
          [this](std::int64_t) { return Behaviour{100'000 * std::exp(0.04 * secrets_.Normal())}; });
      const Interval& interval = report.candidate.interval;
      ASSERT_TRUE(interval.IsBounded());
      covered += interval.low <= 100'000 && 100'000 <= interval.high ? 1 : 0;
    }
    EXPECT_GE(covered, 0.93 * kEvaluations) << "from " << at_least;
  }
}

// Spells of a fifth, of which every other evaluation knows nothing else.
TEST_F(FirstSightTest, OnASlowMachineTheIntervalReachesDownToTheCalmTime) {
  double slowness = 1.2;
  pulse_ = [&] { return 5'000 * slowness; };
  pulse_level_ = 5'000;
  const auto behave = [&](std::int64_t) {
    return Behaviour{100'000 * slowness * std::exp(0.01 * secrets_.Normal())};
  };
  const TimingReport slow = Measure(behave);
  EXPECT_TRUE(slow.is_unstable);
  EXPECT_LT(slow.candidate.interval.low, 100'000);
  EXPECT_GT(slow.candidate.interval.high, 115'000);
  slowness = 1;
  const TimingReport calm = Measure(behave);
  EXPECT_FALSE(calm.is_unstable);
  EXPECT_GT(calm.candidate.interval.low, 95'000);
}

TEST_F(FirstSightTest, OnlyCalmSamplesCountWhereThereAreEnough) {
  int number = 0;
  pulse_ = [&] { return number / 5 % 2 == 0 ? 5'000.0 : 7'000.0; };
  pulse_level_ = 5'000;
  const TimingReport report = Measure([&](std::int64_t) {
    const bool is_slow = number++ / 5 % 2 != 0;
    return Behaviour{is_slow ? 140'000.0 : 100'000.0};
  });
  EXPECT_FALSE(report.is_unstable);
  EXPECT_DOUBLE_EQ(report.candidate.median, 100'000);
}

// It knows then whether it was slow, and slows the processor if so.
TEST_F(FirstSightTest, AKernelCannotChooseItsSamplesAfterItsCall) {
  int slow_process = 0;
  pulse_ = [&] { return slow_process == processes_ ? 7'000.0 : 5'000.0; };
  pulse_level_ = 5'000;
  const TimingReport report = Measure([&](std::int64_t call) {
    const bool is_timed = call == TimingOrder{problem_}.warm_up;
    const bool is_slow = is_timed && processes_ % 2 == 0;
    if (is_slow) slow_process = processes_;
    return Behaviour{is_slow ? 140'000.0 : 100'000.0};
  });
  EXPECT_FALSE(report.is_unstable);
  EXPECT_GT(report.candidate.interval.high, 130'000);
}

// It is fast with inputs that it has seen before.
TEST_F(FirstSightTest, AMemoGainsNothing) {
  const auto known = std::make_shared<std::map<std::vector<std::byte>, bool>>();
  const auto is_known = std::make_shared<bool>(false);
  const TimingReport report = Measure(
      [=](std::int64_t call) {
        if (call == 0) known->clear();  // A new process.
        return Behaviour{*is_known ? 1'000.0 : 100'000.0};
      },
      [=](std::span<const Tensor> in, Tensors& out) {
        *is_known = known->contains(in[0].bytes);
        (*known)[in[0].bytes] = true;
        Negate(in, out);
      });
  EXPECT_DOUBLE_EQ(report.candidate.median, 100'000);
}

// What a kernel does that gives the same answer to equal values in any order: it keeps the answer
// to the first call of its process, and is fast from then on.
struct KeptAnswer {
  FakeRunner::Kernel kernel;
  FakeRunner::Behave behave;
};

template <typename Reduce>
KeptAnswer KeepAnswerOf(Reduce reduce) {
  const auto kept = std::make_shared<std::optional<float>>();
  return {[=](std::span<const Tensor> in, Tensors& out) {
            if (!*kept) *kept = reduce(in[0].As<float>());
            out[0].As<float>()[0] = **kept;
          },
          [=](std::int64_t call) {
            if (call == 0) kept->reset();  // A new process.
            return Behaviour{call == 0 ? 100'000.0 : 1'000.0};
          }};
}

TEST_F(FirstSightTest, AnAnswerThatIsTheSameInAnyOrderIsNotShownBefore) {
  const auto sum = [](std::span<const float> x) {
    return std::accumulate(x.begin(), x.end(), 0.F);
  };
  const auto largest = [](std::span<const float> x) { return *std::ranges::max_element(x); };
  timed_.expected = {Tensor::Zeros({"out", DType::kF32, {1}})};
  min_samples_ = 6;
  for (const std::function<float(std::span<const float>)>& reduce :
       {std::function<float(std::span<const float>)>(sum), {largest}}) {
    timed_.expected[0].As<float>()[0] = reduce(timed_.inputs[0].As<float>());
    const KeptAnswer cheat = KeepAnswerOf(reduce);
    const TimingReport report = Measure(cheat.behave, cheat.kernel);
    ASSERT_TRUE(report.finding);
    EXPECT_EQ(report.finding->outcome, Outcome::kWrong);
  }
}

TEST_F(FirstSightTest, IntegersThatAreTimedAreNotShownBefore) {
  timed_.inputs = {Tensor::Zeros({"x", DType::kI32, {64}})};
  for (std::int64_t i = 0; i < 64; ++i) SetElement(timed_.inputs[0], i, static_cast<double>(i));
  timed_.expected = {Tensor::Zeros({"out", DType::kF32, {1}})};
  std::vector<Tensor> seen;
  const TimingReport report =
      Measure([](std::int64_t) { return Behaviour{100'000}; },
              [&](std::span<const Tensor> in, Tensors&) { seen.push_back(in[0]); });
  EXPECT_FALSE(report.finding);
  std::size_t timed = 0;
  for (const Tensor& inputs : seen) timed += inputs.bytes == timed_.inputs[0].bytes ? 1 : 0;
  EXPECT_EQ(timed, report.candidate.times.size());
  EXPECT_EQ(seen.size(), 4 * timed);
}

TEST_F(FirstSightTest, WhereThereAreNoOtherValuesNothingIsShownBefore) {
  std::ranges::fill(timed_.inputs[0].As<float>(), 1.F);
  Negate(timed_.inputs, timed_.expected);
  const TimingReport report =
      Measure([](std::int64_t call) { return Behaviour{call == 0 ? 100'000.0 : 1'000.0}; });
  EXPECT_FALSE(report.finding);
  EXPECT_EQ(report.warm_up, 0);
  EXPECT_DOUBLE_EQ(report.candidate.median, 100'000);
}

TEST_F(FirstSightTest, WorkBeforeTheCallIsAccused) {
  const TimingReport report = Measure([](std::int64_t) { return Behaviour{1'000, 99'000}; });
  EXPECT_TRUE(report.candidate.times.empty());
  ASSERT_TRUE(report.finding);
  EXPECT_EQ(report.finding->outcome, Outcome::kCheated);
}

// What empty calls take is subtracted from what it takes.
TEST_F(FirstSightTest, WorkWhileEmptyCallsAreMadeIsAccused) {
  works_beside_empty_calls_ = true;
  const TimingReport report = Measure([](std::int64_t) { return Behaviour{100'000}; });
  EXPECT_TRUE(report.candidate.times.empty());
  ASSERT_TRUE(report.finding);
  EXPECT_EQ(report.finding->outcome, Outcome::kCheated);
  EXPECT_THAT(report.finding->reason, testing::HasSubstr("in 21 of 21 publications"));
}

TEST_F(FirstSightTest, AKernelThatBearsNoOtherValuesIsTimedWithoutWarmingUp) {
  int broken = 0;
  const TimingReport report = Measure([&](std::int64_t call) {
    Behaviour now{100'000};
    if (processes_ == 1 && call == 0) {
      now.exception = "not sorted";
      ++broken;
    }
    return now;
  });
  EXPECT_EQ(broken, 1);
  EXPECT_FALSE(report.finding);
  EXPECT_EQ(report.warm_up, 0);
  EXPECT_GE(report.candidate.times.size(), 3U);
}

TEST_F(FirstSightTest, WhatIsWrongWhenItIsTimedIsFound) {
  const TimingReport report = Measure([](std::int64_t) { return Behaviour{100'000}; },
                                      [](std::span<const Tensor>, Tensors&) {});
  ASSERT_TRUE(report.finding);
  EXPECT_EQ(report.finding->outcome, Outcome::kWrong);
}

}  // namespace
}  // namespace hone::compute

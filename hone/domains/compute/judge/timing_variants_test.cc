// SPDX-License-Identifier: Apache-2.0
// The timing of problems whose inputs have several distributions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "hone/domains/compute/judge/timing_for_test.h"

namespace hone::compute {
namespace {

// Each of vector_add's inputs is drawn as `variant` says.
class VariantTimingTest : public TimingTest {
 protected:
  VariantTimingTest() {
    for (ArraySpec& input : problem_.inputs) {
      input.distributions = {Distribution::kNormal, Distribution::kShifted,
                             Distribution::kPositive};
    }
    order_.tolerances.assign(3, {{1e-6, 1e-6}});
    order_.precision = 0;
    order_.max_samples = 60;
  }

  static bool AreNormal(std::span<const Tensor> inputs) {
    return std::ranges::any_of(inputs[0].As<float>(), [](float value) { return value < 0; });
  }
};

TEST_F(VariantTimingTest, EveryPairHasADistributionByLotAndBothSidesHaveTheSame) {
  const TimingReport report = Measure(Noisy(100'000, 0.02), Noisy(100'000, 0.02));
  ASSERT_FALSE(report.finding);
  ASSERT_EQ(report.variants.size(), report.candidate.times.size());
  for (const std::size_t variant : {0U, 1U, 2U}) {
    EXPECT_GT(std::ranges::count(report.variants, variant), 8);
  }
  ASSERT_EQ(candidate_->seen().size(), reference_->seen().size());
  for (std::size_t i = 0; i < candidate_->seen().size(); ++i) {
    EXPECT_EQ(candidate_->seen()[i][0].bytes, reference_->seen()[i][0].bytes);
  }
}

TEST_F(VariantTimingTest, WhoIsRightWithOneDistributionOnlyIsFoundWhenItIsTimed) {
  const TimingReport report = Measure(Always({50'000}), Always({100'000}),
                                      [](std::span<const Tensor> inputs, Tensors& outputs) {
                                        if (AreNormal(inputs)) Add(inputs, outputs);
                                      });
  ASSERT_TRUE(report.finding);
  EXPECT_EQ(report.finding->outcome, Outcome::kWrong);
}

// Three times as fast with one distribution, it leaves out as many pairs of the others as it dares.
TEST_F(VariantTimingTest, WhoChoosesWhichDistributionsCountGainsNothing) {
  const double honest = std::pow(3, 1.0 / 3);
  order_.max_samples = 120;
  int accused = 0;
  for (const double share : {0.0, 0.1, 0.2, 0.28, 0.5}) {
    const auto lots = std::make_shared<Rng>(secrets_.Next());
    bool is_fast = false;
    FakeRunner candidate(
        clock_,
        [&](std::span<const Tensor> inputs, Tensors& outputs) {
          Add(inputs, outputs);
          is_fast = AreNormal(inputs);
        },
        [&, lots](std::int64_t) {
          return Behaviour{30'000, lots->Uniform() < share ? 1'000.0 : 0.0};
        });
    candidate.MakeWayLonger([&] { return is_fast ? 0.0 : 60'000.0; });
    FakeRunner reference(clock_, Add, Always({90'000}));
    const auto report = MeasureTimes(candidate, reference, order_);
    ASSERT_TRUE(report) << report.error().message;
    accused += report->finding ? 1 : 0;
    if (!report->finding) {
      EXPECT_NEAR(report->speedup, honest, 0.02) << share;
    }
  }
  EXPECT_GE(accused, 1);
}

// Of a distribution that never counts nothing is known, and so it is no gain.
TEST_F(VariantTimingTest, ADistributionThatIsNeverSeenIsNoGain) {
  order_.budget = std::chrono::milliseconds{1};
  order_.max_samples = 12;
  bool is_fast = false;
  FakeRunner candidate(
      clock_,
      [&](std::span<const Tensor> inputs, Tensors& outputs) {
        Add(inputs, outputs);
        is_fast = AreNormal(inputs);
      },
      [&](std::int64_t) {
        return Behaviour{30'000, is_fast ? 0.0 : 1'000.0};
      });
  FakeRunner reference(clock_, Add, Always({90'000}));
  const auto report = MeasureTimes(candidate, reference, order_);
  ASSERT_TRUE(report) << report.error().message;
  if (!report->finding) {
    EXPECT_LE(report->speedup, std::pow(3, 1.0 / 3) + 0.02);
  }
}

TEST_F(VariantTimingTest, EveryDistributionHasTolerancesOfItsOwn) {
  const auto rounds_shifted = [](std::span<const Tensor> inputs, Tensors& outputs) {
    Add(inputs, outputs);
    if (inputs[0].As<float>()[0] > 4) outputs[0].As<float>()[0] += 0.5F;
  };
  order_.tolerances[1] = {{1e-6, 1}};
  EXPECT_FALSE(Measure(Always({100'000}), Always({100'000}), rounds_shifted).finding);
  order_.tolerances[1] = {{1e-6, 0.1}};
  order_.tolerances[0] = order_.tolerances[2] = {{1e-6, 1}};
  EXPECT_TRUE(Measure(Always({100'000}), Always({100'000}), rounds_shifted).finding);
}

// With three calls asked for, one that is twice as fast with all of them is twice as fast.
TEST_F(VariantTimingTest, HoweverFewCallsAreAskedForEveryDistributionIsTimed) {
  order_.max_samples = order_.max_short_samples = 3;
  const TimingReport report = Measure(Always({50'000}), Always({100'000}));
  EXPECT_DOUBLE_EQ(report.speedup, 2);
  EXPECT_EQ(report.candidate.times.size(), 6U);
}

// The reference takes four times as long with one of them.
// Two of each are made then, and their centres are known badly.
TEST_F(VariantTimingTest, HoweverFewCallsAreAskedForEqualSourcesCoverOne) {
  order_.max_samples = order_.max_short_samples = 1;
  int covered = 0;
  constexpr int kEvaluations = 400;
  for (int i = 0; i < kEvaluations; ++i) {
    const TimingReport report = Measure(Noisy(500'000, 0.05), Noisy(500'000, 0.05));
    covered += report.speedup_interval.low <= 1 && 1 <= report.speedup_interval.high ? 1 : 0;
  }
  EXPECT_GE(covered, 0.93 * kEvaluations);
}

TEST_F(VariantTimingTest, ADistributionThatTakesLongerMakesTheMachineNotRestless) {
  int covered = 0;
  constexpr int kEvaluations = 200;
  order_.quiet_level = 100'000 * std::pow(4, 1.0 / 3);
  for (int i = 0; i < kEvaluations; ++i) {
    bool is_slow = false;
    const auto kernel = [&](std::span<const Tensor> inputs, Tensors& outputs) {
      Add(inputs, outputs);
      is_slow = AreNormal(inputs);
    };
    const auto noise = std::make_shared<Rng>(secrets_.Next());
    const auto behave = [=](std::int64_t) {
      return Behaviour{100'000 * std::exp(0.02 * noise->Normal())};
    };
    FakeRunner candidate(clock_, kernel, behave);
    FakeRunner reference(clock_, kernel, behave);
    for (FakeRunner* runner : {&candidate, &reference}) {
      runner->MakeWayLonger([&] { return std::exchange(is_slow, false) ? 300'000.0 : 0.0; });
    }
    const auto report = MeasureTimes(candidate, reference, order_);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_FALSE(report->is_unstable);
    EXPECT_NEAR(report->candidate.median / order_.quiet_level, 1, 0.05);
    covered += report->speedup_interval.low <= 1 && report->speedup_interval.high >= 1 ? 1 : 0;
  }
  EXPECT_GE(covered, 0.93 * kEvaluations);
}

}  // namespace
}  // namespace hone::compute

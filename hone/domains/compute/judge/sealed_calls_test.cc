// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/sealed_calls.h"

#include <gtest/gtest.h>

#include "hone/domains/compute/judge/cheating.h"
#include "hone/domains/compute/judge/timing_for_test.h"

namespace hone::compute {
namespace {

class SealedCallsTest : public TimingTest {
 protected:
  SealedCallsTest() {
    order_.seals = true;
    order_.calls_twice = false;
    order_.seeks_calm = false;
  }

  // With so much noise of both, ns.
  FakeRunner::Behave Device(double time, double unseen, double noise = 1'000) {
    const auto rng = std::make_shared<Rng>(secrets_.Next());
    return [=](std::int64_t) {
      Behaviour now{time + noise * rng->Normal()};
      now.unseen_ns = unseen + noise * rng->Normal();
      return now;
    };
  }
};

TEST_F(SealedCallsTest, NothingIsChargedWhereAllIsSeen) {
  for (int i = 0; i < 200; ++i) {
    const TimingReport report = Measure(Device(50'000, 0), Device(100'000, 0));
    ASSERT_GE(report.unseen.pairs, 8U);
    EXPECT_EQ(report.unseen.charge, 0) << report.unseen.ns << " +- " << report.unseen.error;
    EXPECT_FALSE(CheckUnseen(report));
  }
}

TEST_F(SealedCallsTest, WhatBothSidesNeedBesideTheirTimeIsNobodysWork) {
  const TimingReport report = Measure(Device(50'000, 30'000), Device(100'000, 30'000));
  EXPECT_EQ(report.unseen.charge, 0);
}

// How much its calls scatter is its own choice, and bought it an allowance of five times that.
TEST_F(SealedCallsTest, WhoScattersWhatItDoesUnseenPaysForItAllTheSame) {
  Rng lots(5);
  const auto scattered = [&](std::int64_t) {
    Behaviour now{40'000};
    now.unseen_ns = 60'000 + (lots.Coin() ? 300'000 : 0);
    return now;
  };
  for (int i = 0; i < 20; ++i) {
    const TimingReport report = Measure(scattered, Device(100'000, 0));
    EXPECT_LT(report.speedup, 1.15) << report.unseen.ns << " +- " << report.unseen.error;
  }
}

TEST_F(SealedCallsTest, WhoHidesItsWorkInHalfOfItsCallsPaysForIt) {
  Rng lots(6);
  const auto order = [&](std::int64_t) {
    const bool hides = !candidate_->sealing() && lots.Coin();
    Behaviour now{hides ? 10'000.0 : 100'000.0};
    if (hides) now.unseen_ns = 90'000;
    return now;
  };
  for (int i = 0; i < 20; ++i) {
    const TimingReport report = Measure(order, Device(100'000, 0));
    EXPECT_LT(report.speedup, 1.1) << report.unseen.ns << " +- " << report.unseen.error;
  }
}

// Its own unequal times are no reason to charge it: what remains is noise, and small beside them.
TEST_F(SealedCallsTest, HonestKernelWhoseTimesVaryMoreThanTheReferencesIsChargedNextToNothing) {
  double charged = 0;
  constexpr int kEvaluations = 100;
  constexpr double kTime = 80'000;
  for (int i = 0; i < kEvaluations; ++i) {
    const TimingReport report = Measure(Device(kTime, 0, 4'000), Device(100'000, 0, 1'000));
    charged += report.unseen.charge;
    EXPECT_FALSE(CheckUnseen(report));
  }
  EXPECT_LT(charged / kEvaluations, 0.005 * kTime);
}

TEST_F(SealedCallsTest, WorkAfterDoneIsPaidAndWhoDoesMostOfItThereIsAccused) {
  const TimingReport report = Measure(Device(10'000, 90'000), Device(100'000, 0));
  EXPECT_NEAR(report.unseen.ns, 90'000, 3'000);
  EXPECT_NEAR(report.speedup, 1, 0.1);
  const MaybeFinding finding = CheckUnseen(report);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->outcome, Outcome::kCheated);
}

TEST_F(SealedCallsTest, WhoGainsAThirdUnseenKeepsLittleOfItAndIsNotAccused) {
  const TimingReport report = Measure(Device(70'000, 30'000), Device(100'000, 0));
  EXPECT_LT(report.speedup, 1.1);
  EXPECT_FALSE(CheckUnseen(report));
}

// What it does while it is sealed can tell it nothing: the spans are compared with the other times.
TEST_F(SealedCallsTest, WhoIsHonestOnlyInSealedCallsPaysForTheOthers) {
  Rng noise(7);
  const auto order = [&](std::int64_t) {
    const bool is_sealed = candidate_->sealing();
    Behaviour now{is_sealed ? 100'000 + 1'000 * noise.Normal() : 10'000 + 1'000 * noise.Normal()};
    return now;
  };
  const TimingReport report = Measure(order, Device(100'000, 0));
  EXPECT_NEAR(report.unseen.ns, 90'000, 3'000);
  EXPECT_TRUE(CheckUnseen(report));
}

TEST_F(SealedCallsTest, SealedCallsAreCheckedAndAreNotAmongTheTimes) {
  const TimingReport report = Measure(Device(50'000, 0), Device(100'000, 0));
  EXPECT_EQ(candidate_->sealed(), static_cast<int>(report.unseen.pairs));
  EXPECT_EQ(report.checked, static_cast<std::int64_t>(candidate_->seen().size()));
  EXPECT_EQ(std::ssize(report.candidate.times) + candidate_->sealed() + report.warm_up,
            std::ssize(candidate_->seen()));
}

TEST_F(SealedCallsTest, ThereIsNoEndBeforeEnoughAreSealed) {
  order_.max_samples = order_.max_short_samples = order_.min_samples = 5;
  const TimingReport report = Measure(Device(100'000, 0), Device(100'000, 0));
  EXPECT_EQ(report.ended_by, "count");
  EXPECT_GE(report.unseen.pairs, 8U);
}

TEST_F(SealedCallsTest, WhoseEndIsNeverSeenIsNotTimed) {
  Behaviour candidate{100'000};
  candidate.is_end_seen = false;
  const TimingReport report = Measure(Always(candidate), Device(100'000, 0));
  EXPECT_EQ(report.ended_by, "unsealed");
  EXPECT_EQ(report.unseen.pairs, 0U);
}

TEST_F(SealedCallsTest, RunnersThatWorkOnNoDeviceAreNotSealed) {
  order_.seals = false;
  const TimingReport report = Measure(Device(100'000, 0), Device(100'000, 0));
  EXPECT_EQ(candidate_->sealed(), 0);
  EXPECT_EQ(report.unseen.pairs, 0U);
}

TEST(SealedCallsAloneTest, WhoSeemsToGainByLittleTimeIsSealedMoreOften) {
  const auto pairs_for = [](double candidate, double reference) {
    SealedCalls calls;
    Rng noise(3);
    for (int i = 0; i < 40; ++i) calls.SeeOpen(candidate, reference);
    while (!calls.HasEnough()) calls.SeeSealed(2'000 * noise.Normal(), 2'000 * noise.Normal());
    return calls.pairs();
  };
  EXPECT_EQ(pairs_for(20'000, 20'000), 8U);
  EXPECT_EQ(pairs_for(3'000, 20'000), 32U);
  EXPECT_EQ(pairs_for(500'000, 900'000), 8U);
  EXPECT_EQ(pairs_for(2e6, 3e6), 5U);
}

}  // namespace
}  // namespace hone::compute

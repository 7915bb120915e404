// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/doubted_belief.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "hone/core/rng.h"

namespace hone::tune {
namespace {

constexpr double kError = 0.05;
constexpr int kTrials = 40;

// A process over one feature that has seen the baseline, at 0.5, and noisy values of a function.
GaussianProcess Taught(const std::function<double(double)>& truth, std::uint64_t seed) {
  Rng rng(seed);
  Observations seen{.points = Eigen::MatrixXd(1, kTrials + 1),
                    .values = Eigen::VectorXd::Zero(kTrials + 1),
                    .variances = Eigen::VectorXd::Constant(kTrials + 1, kError * kError),
                    .doubt = Eigen::VectorXd::Ones(kTrials + 1)};
  seen.points(0, 0) = 0.5;
  seen.variances(0) = 0;
  seen.doubt(0) = 0;
  for (Eigen::Index i = 1; i <= kTrials; ++i) {
    seen.points(0, i) = rng.Uniform();
    seen.values(i) = truth(seen.points(0, i)) + kError * rng.Normal();
  }
  GaussianProcess process({0});
  process.SetObservations(std::move(seen));
  process.Fit(40);
  return process;
}

double Slope(double x) { return 0.4 * (x - 0.5); }
double Nothing(double) { return 0; }

TEST(DoubtedBeliefTest, AProcessIsTrustedWhereNeighboursAreAlikeAndDoubtedInNoise) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    EXPECT_GT(DoubtedBelief(Taught(Slope, seed)).trust(), 0.99) << seed;
    EXPECT_LT(DoubtedBelief(Taught(Nothing, seed)).trust(), 0.9) << seed;
  }
}

TEST(DoubtedBeliefTest, WhatAProcessMakesOfNoiseIsBelievedLessThanItBelievesItself) {
  const DoubtedBelief doubted(Taught(Nothing, 1));
  const Estimate by_process{.mean = 0.1, .standard_error = 0.04, .count = 0};
  const auto believed = doubted.Unseen(by_process);
  EXPECT_LT(believed.reward.mean, 0.9 * by_process.mean);
  EXPECT_LT(believed.careful, 0.9 * (by_process.mean - 0.5 * by_process.standard_error));
}

TEST(DoubtedBeliefTest, TheBestOfManyNoisyTrialsIsNoHitAndOneThatStandsOutIs) {
  const DoubtedBelief doubted(Taught(Nothing, 1));
  const Estimate by_process{.mean = -0.01, .standard_error = 0.01, .count = 0};
  const auto with = [&](double z) {
    return doubted.Seen(by_process, {.mean = z * kError, .standard_error = kError, .count = 1});
  };
  EXPECT_LT(with(2).careful,
            0);  // Of 40 that are noise the best is above 2.1 in half of the cases.
  EXPECT_GT(with(4).careful, 0);
}

// Of a slope with one sure hit at its lower end, as the process is taught it.
TEST(DoubtedBeliefTest, ASureHitCountsAlsoWhereTheProcessIsTrusted) {
  constexpr double kHitAt = 0.1;
  constexpr double kHit = 12 * kError;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    GaussianProcess process = Taught(Slope, seed);
    process.Append(Eigen::VectorXd::Constant(1, kHitAt), kHit, kError * kError);
    process.Fit(40);
    const DoubtedBelief doubted(process);
    EXPECT_GT(doubted.trust(), 0.8) << seed;
    const auto careful = [&](Eigen::Index i) {
      const Observations& all = process.observations();
      const Belief belief = process.Predict(all.points.col(i));
      return doubted
          .Seen(
              {.mean = belief.mean(0), .standard_error = std::sqrt(belief.variance(0)), .count = 0},
              {.mean = all.values(i), .standard_error = kError, .count = 1})
          .careful;
    };
    const double of_hit = careful(kTrials + 1);
    for (Eigen::Index i = 1; i <= kTrials; ++i) EXPECT_GT(of_hit, careful(i)) << seed;
  }
}

TEST(DoubtedBeliefTest, OfOneTrialTheProcessAloneSpeaks) {
  GaussianProcess process({0});
  process.SetObservations({.points = Eigen::MatrixXd::Constant(1, 1, 0.5),
                           .values = Eigen::VectorXd::Zero(1),
                           .variances = Eigen::VectorXd::Zero(1),
                           .doubt = Eigen::VectorXd::Zero(1)});
  process.Append(Eigen::VectorXd::Constant(1, 0.7), 0.1, 0.01);
  EXPECT_EQ(DoubtedBelief(process).trust(), 1);
}

}  // namespace
}  // namespace hone::tune

// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/population.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace hone::tune {
namespace {

std::vector<Estimate> WithError(const std::vector<double>& means, double error) {
  std::vector<Estimate> seen;
  for (const double mean : means) {
    seen.push_back({.mean = mean, .standard_error = error, .count = 1});
  }
  return seen;
}

const std::vector<double> kNoise{0.04, -0.06, 0.05, -0.02, 0.01, -0.05, 0.02, -0.03};

TEST(PopulationTest, WhatNoiseExplainsIsNoSpreadOfTheTruth) {
  EXPECT_LT(FitPopulation(WithError(kNoise, 0.05)).variance, 1e-9);
  // By hand: with n estimates of equal error the variance is s² - error².
  const Population sound = FitPopulation(WithError({0.1, 0.2, 0.3}, 0.02));
  EXPECT_NEAR(sound.variance, 0.01 - 0.0004, 1e-9);
  EXPECT_NEAR(sound.mean, 0.2, 1e-12);
  EXPECT_NEAR(sound.mean_variance, 0.01 / 3, 1e-9);
}

TEST(PopulationTest, WhereAllIsNoiseABeliefIsAsUnsureAsTheMeanOfAll) {
  const std::vector<Estimate> seen = WithError(kNoise, 0.05);
  const Population population = FitPopulation(seen);
  const Estimate believed = Shrunken(population, seen[2]);
  EXPECT_NEAR(believed.mean, population.mean, 1e-6);
  EXPECT_NEAR(believed.standard_error, 0.05 / std::sqrt(8.0), 1e-4);
}

TEST(PopulationTest, TheEvidenceIsThatOfTheJointNormalDensity) {
  // Two estimates: the covariance is [[a, b], [b, a]] with a = spread + variance, b = spread.
  const std::vector<Estimate> seen = WithError({0.3, 0.1}, 0.1);
  const Population population{.mean = 0, .variance = 0.03, .mean_variance = 0};
  const double spread = (0.09 + 0.01) / 2;
  const double a = spread + 0.04;
  const double determinant = a * a - spread * spread;
  const double square = (a * (0.09 + 0.01) - 2 * spread * 0.03) / determinant;
  EXPECT_NEAR(LogEvidence(population, seen), -0.5 * (std::log(determinant) + square), 1e-12);
}

}  // namespace
}  // namespace hone::tune

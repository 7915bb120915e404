// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/steady_state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "hone/measure/noise_for_test.h"

namespace hone {
namespace {

// 200 values around 100 with noise of 2 %, after `shape` has been applied.
template <typename Shape>
std::vector<double> Series(std::uint64_t seed, const Shape& shape) {
  Rng rng(seed);
  std::vector<double> series;
  for (int i = 0; i < 200; ++i) series.push_back(shape(i) * (100 + 2 * rng.Normal()));
  return series;
}

int CountKind(SteadyState::Kind kind, double (*shape)(int)) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    found += FindSteadyState(Series(seed, shape)).kind == kind;
  }
  return found;
}

TEST(SteadyStateTest, FlatSeriesIsSteadyFromTheStart) {
  const auto flat = [](int) { return 1.0; };
  EXPECT_GE(CountKind(SteadyState::Kind::kSteady, flat), 190);
  int cut = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    cut += FindSteadyState(Series(seed, flat)).warm_up > 50;
  }
  EXPECT_LE(cut, 40);
}

TEST(SteadyStateTest, WarmUpIsCutWhereItEnds) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const SteadyState state =
        FindSteadyState(Series(seed, [](int i) { return i < 40 ? 0.6 : 1.0; }));
    ASSERT_EQ(state.kind, SteadyState::Kind::kSteady) << seed;
    EXPECT_GE(state.warm_up, 40) << seed;
    EXPECT_LE(state.warm_up, 100) << seed;
  }
}

TEST(SteadyStateTest, ExponentialWarmUpLeavesLittleBias) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto warming = [](int i) { return 1 - 0.5 * std::exp(-i / 15.0); };
    const SteadyState state = FindSteadyState(Series(seed, warming));
    ASSERT_EQ(state.kind, SteadyState::Kind::kSteady) << seed;
    EXPECT_GT(warming(static_cast<int>(state.warm_up)), 0.96) << seed;
  }
}

TEST(SteadyStateTest, DriftToTheEndIsNeverSteady) {
  EXPECT_GE(CountKind(SteadyState::Kind::kNeverSteady, [](int i) { return 1 + 0.002 * i; }), 195);
}

TEST(SteadyStateTest, LateStepIsNeverSteady) {
  EXPECT_GE(CountKind(SteadyState::Kind::kNeverSteady, [](int i) { return i < 150 ? 1 : 0.8; }),
            195);
}

TEST(SteadyStateTest, StepWithinTheToleranceDoesNotMatter) {
  std::vector<double> series;
  for (int i = 0; i < 200; ++i) series.push_back(100 + 0.01 * (i % 7) + (i < 150 ? 0.5 : 0));
  EXPECT_EQ(FindSteadyState(series).kind, SteadyState::Kind::kSteady);
  EXPECT_EQ(FindSteadyState(series, {.tolerance = 0.001}).kind, SteadyState::Kind::kNeverSteady);
}

TEST(SteadyStateTest, FewValuesCannotTell) {
  EXPECT_EQ(FindSteadyState(std::vector<double>(39, 1.0)).kind, SteadyState::Kind::kTooShort);
  EXPECT_EQ(FindSteadyState(std::vector<double>(40, 1.0)).kind, SteadyState::Kind::kSteady);
  EXPECT_EQ(FindSteadyState({}).kind, SteadyState::Kind::kTooShort);
}

}  // namespace
}  // namespace hone

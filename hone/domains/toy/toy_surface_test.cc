// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/toy/toy_surface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "hone/core/rng.h"

namespace hone::toy {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr double kGain = 0.10;
constexpr double kRounding = 1e-12;

Surface SurfaceNamed(const std::string& name, double gain = kGain) {
  auto surface = Surface::Make(name, gain);
  EXPECT_TRUE(surface) << surface.error().message;
  return *surface;
}

Assignment Random(const Space& space, Rng& rng) {
  std::vector<double> unit(space.UnitSize());
  for (double& coordinate : unit) coordinate = rng.Uniform();
  return space.FromUnit(unit);
}

// Moves one or two coordinates, most often only a little.
Assignment Neighbour(const Space& space, const Assignment& from, Rng& rng) {
  std::vector<double> unit = space.ToUnit(from);
  for (int moves = rng.Coin() ? 1 : 2; moves > 0; --moves) {
    const double step = std::pow(10.0, -4 * rng.Uniform());
    unit[rng.Below(unit.size())] += step * rng.Uniform(-1, 1);
  }
  return space.FromUnit(unit);
}

class SurfaceTest : public ::testing::TestWithParam<std::string> {};

TEST_P(SurfaceTest, OptimumIsValidAndHasExactlyTheGain) {
  for (const double gain : {0.0, 0.02, 0.10, 1.0}) {
    const Surface surface = SurfaceNamed(GetParam(), gain);
    const auto valid = surface.space().Validate(surface.optimum());
    ASSERT_TRUE(valid) << valid.error().message;
    const double expected = GetParam() == "flat" ? 1.0 : 1.0 + gain;
    const double baseline = surface.At(surface.space().Defaults()).throughput;
    EXPECT_DOUBLE_EQ(surface.At(surface.optimum()).throughput / baseline, expected);
    EXPECT_NEAR(TrueLogGain(surface, surface.optimum()), std::log(expected), kRounding);
    EXPECT_FALSE(surface.At(surface.optimum()).is_crash);
  }
}

TEST_P(SurfaceTest, BaselineIsAtTheDeclaredLevel) {
  const Surface surface = SurfaceNamed(GetParam());
  const Truth truth = surface.At(surface.space().Defaults());
  EXPECT_DOUBLE_EQ(truth.throughput, 1000);
  EXPECT_DOUBLE_EQ(truth.latency_ms, 10);
  EXPECT_DOUBLE_EQ(truth.stability, 0.9);
  EXPECT_FALSE(truth.is_crash);
  EXPECT_NEAR(TrueLogGain(surface, surface.space().Defaults()), 0, kRounding);
}

TEST_P(SurfaceTest, NoRandomPointIsBetterThanTheOptimum) {
  const Surface surface = SurfaceNamed(GetParam());
  const double best = TrueLogGain(surface, surface.optimum());
  Rng rng = Rng(1).Split(GetParam());
  for (int i = 0; i < 20'000; ++i) {
    const Assignment point = Random(surface.space(), rng);
    ASSERT_LE(TrueLogGain(surface, point), best + kRounding) << ToText(point);
  }
}

TEST_P(SurfaceTest, NoSearchClimbsAboveTheOptimum) {
  const Surface surface = SurfaceNamed(GetParam());
  const double best = TrueLogGain(surface, surface.optimum());
  Rng rng = Rng(2).Split(GetParam());
  std::vector<Assignment> starts(15);
  for (Assignment& start : starts) start = Random(surface.space(), rng);
  starts.push_back(surface.optimum());
  for (Assignment& here : starts) {
    for (int i = 0; i < 1500; ++i) {
      Assignment there = Neighbour(surface.space(), here, rng);
      if (TrueLogGain(surface, there) < TrueLogGain(surface, here)) continue;
      here = std::move(there);
      ASSERT_LE(TrueLogGain(surface, here), best + kRounding) << ToText(here);
    }
  }
}

TEST_P(SurfaceTest, TruthIsAlwaysMeasurable) {
  const Surface surface = SurfaceNamed(GetParam(), 1.0);
  Rng rng = Rng(3).Split(GetParam());
  for (int i = 0; i < 2000; ++i) {
    const Truth truth = surface.At(Random(surface.space(), rng));
    ASSERT_GT(truth.throughput, 0);
    ASSERT_GT(truth.latency_ms, 0);
    ASSERT_GT(truth.stability, 0);
    ASSERT_LE(truth.stability, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SurfaceTest, ::testing::ValuesIn(SurfaceNames()),
                         [](const auto& surface) { return surface.param; });

TEST(SurfaceListTest, HasAtLeastTenSurfacesEachWithASummary) {
  EXPECT_GE(SurfaceNames().size(), 10U);
  for (const std::string& name : SurfaceNames()) EXPECT_NE(SurfaceNamed(name).summary(), "");
}

TEST(SurfaceListTest, UnknownNameListsTheSurfaces) {
  const auto surface = Surface::Make("bumpy", kGain);
  ASSERT_FALSE(surface);
  EXPECT_EQ(surface.error().code, Errc::kInvalidArgument);
  EXPECT_THAT(surface.error().message, HasSubstr("flat, smooth, rugged"));
}

TEST(SparseSurfaceTest, OnlyThreeOfTwentyParametersMatter) {
  const Surface surface = SurfaceNamed("sparse");
  ASSERT_THAT(surface.space().parameters(), SizeIs(20));
  const Assignment defaults = surface.space().Defaults();
  int mattering = 0;
  for (std::size_t i = 0; i < 20; ++i) {
    std::vector<double> unit = surface.space().ToUnit(defaults);
    unit[i] = unit[i] < 0.5 ? 0.9 : 0.1;
    mattering += std::abs(TrueLogGain(surface, surface.space().FromUnit(unit))) > 1e-6 ? 1 : 0;
  }
  EXPECT_EQ(mattering, 3);
}

TEST(RuggedSurfaceTest, HasLocalOptimaAwayFromTheOptimum) {
  const Surface surface = SurfaceNamed("rugged");
  Assignment on_bump = surface.optimum();
  on_bump["prefetch"] = std::int64_t{110};
  Assignment in_dip = on_bump;
  in_dip["prefetch"] = std::int64_t{130};
  EXPECT_GT(TrueLogGain(surface, on_bump), TrueLogGain(surface, in_dip));
}

TEST(InteractingSurfaceTest, EverySingleChangeOfTheBaselineGainsLittle) {
  const Surface surface = SurfaceNamed("interacting");
  Assignment changed = surface.space().Defaults();
  for (const auto& [name, value] : surface.optimum()) {
    Assignment single = surface.space().Defaults();
    single[name] = value;
    EXPECT_LT(TrueLogGain(surface, single), 0.3 * std::log1p(kGain)) << name;
  }
}

TEST(ValleySurfaceTest, FromTheRidgeNoStraightWayLeadsToTheOptimum) {
  const Surface surface = SurfaceNamed("valley");
  const auto on_ridge = [](double reach) {
    const double along = reach - 0.8;
    const double bend = 2.2 * along * (along + 0.7);
    return Assignment{
        {"reach", reach}, {"bend", 0.47 + bend}, {"turn", 0.6 + 1.5 * bend * (0.6 - bend)}};
  };
  const Assignment start = on_ridge(0.15);
  EXPECT_GT(TrueLogGain(surface, start), 0) << "the baseline is not on the ridge";
  double last = 0;
  for (const double reach : {0.15, 0.3, 0.45, 0.6, 0.75}) {
    EXPECT_GT(TrueLogGain(surface, on_ridge(reach)), last);
    last = TrueLogGain(surface, on_ridge(reach));
  }
  Assignment halfway = start;
  for (auto& [name, value] : halfway) {
    value = (std::get<double>(value) + std::get<double>(surface.optimum().at(name))) / 2;
  }
  EXPECT_LT(TrueLogGain(surface, halfway), TrueLogGain(surface, start));
}

TEST(ConstrainedSurfaceTest, OptimumLiesOnBothEdges) {
  const Surface surface = SurfaceNamed("constrained");
  Assignment more_readers = surface.optimum();
  more_readers["readers"] = std::get<std::int64_t>(more_readers["readers"]) + 1;
  EXPECT_FALSE(surface.space().SatisfiesConstraints(more_readers));
  EXPECT_GT(TrueLogGain(surface, more_readers), std::log1p(kGain));
  Assignment higher_low_mark = surface.optimum();
  higher_low_mark["low_mark"] = std::get<std::int64_t>(higher_low_mark["low_mark"]) + 1;
  EXPECT_FALSE(surface.space().SatisfiesConstraints(higher_low_mark));
  EXPECT_GT(TrueLogGain(surface, higher_low_mark), std::log1p(kGain));
}

TEST(CliffSurfaceTest, OneStepBeyondTheOptimumIsWorseThanTheBaselineAndFartherCrashes) {
  const Surface surface = SurfaceNamed("cliff");
  Assignment beyond = surface.optimum();
  beyond["depth"] = std::get<std::int64_t>(beyond["depth"]) + 1;
  EXPECT_LT(TrueLogGain(surface, beyond), -std::log1p(kGain));
  EXPECT_FALSE(surface.At(beyond).is_crash);
  beyond["depth"] = std::int64_t{128};
  EXPECT_TRUE(surface.At(beyond).is_crash);
}

TEST(TradeoffSurfaceTest, NoPointDominatesTheFrontAndNoneOfItsPointsAnother) {
  const Surface surface = SurfaceNamed("tradeoff");
  const auto front = surface.Front();
  ASSERT_THAT(front, SizeIs(64));
  for (std::size_t i = 1; i < front.size(); ++i) {
    EXPECT_GT(surface.At(front[i]).throughput, surface.At(front[i - 1]).throughput);
    EXPECT_GT(surface.At(front[i]).latency_ms, surface.At(front[i - 1]).latency_ms);
  }
  EXPECT_EQ(front.back(), surface.optimum());
  Rng rng(4);
  for (int i = 0; i < 5000; ++i) {
    const Assignment point = Random(surface.space(), rng);
    const Truth truth = surface.At(point);
    const auto batch = static_cast<std::size_t>(std::get<std::int64_t>(point.at("batch")));
    const Truth on_front = surface.At(front[batch - 1]);
    ASSERT_LE(truth.throughput, on_front.throughput);
    ASSERT_GE(truth.latency_ms, on_front.latency_ms);
  }
}

TEST(TradeoffSurfaceTest, BaselineCanBeImprovedInBothObjectives) {
  const Surface surface = SurfaceNamed("tradeoff");
  const Truth baseline = surface.At(surface.space().Defaults());
  int better_in_both = 0;
  for (const Assignment& point : surface.Front()) {
    const Truth truth = surface.At(point);
    better_in_both +=
        truth.throughput > baseline.throughput && truth.latency_ms < baseline.latency_ms ? 1 : 0;
  }
  EXPECT_GT(better_in_both, 0);
  EXPECT_LT(better_in_both, 64);
}

TEST(MixedSurfaceTest, HasEveryKindOfParameterAndASpecialOptimum) {
  const Surface surface = SurfaceNamed("mixed");
  std::vector<bool> has_kind(std::variant_size_v<Kind>);
  for (const Parameter& parameter : surface.space().parameters()) {
    has_kind[parameter.kind.index()] = true;
  }
  EXPECT_THAT(has_kind, ::testing::Each(true));
  const Parameter& coalesce = surface.space().parameters()[*surface.space().IndexOf("coalesce")];
  EXPECT_TRUE(Space::IsSpecial(coalesce, surface.optimum().at("coalesce")));
}

}  // namespace
}  // namespace hone::toy

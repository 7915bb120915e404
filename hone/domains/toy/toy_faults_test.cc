// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/toy/toy_faults.h"

#include <gtest/gtest.h>

namespace hone::toy {
namespace {

constexpr int kTries = 2000;

class FaultPlanTest : public ::testing::Test {
 protected:
  FaultPlan Plan(Fault fault, FaultPlace place, double rate, std::uint64_t seed = 1) const {
    ToyOptions options;
    options.fault = fault;
    options.fault_place = place;
    options.fault_rate = rate;
    options.noise.seed = seed;
    return FaultPlan(options, surface_);
  }

  std::vector<Candidate> RandomCandidates() const {
    Rng rng(3);
    std::vector<Candidate> candidates;
    for (int i = 0; i < kTries; ++i) {
      std::vector<double> unit(surface_.space().UnitSize());
      for (double& coordinate : unit) coordinate = rng.Uniform();
      candidates.push_back({surface_.space().FromUnit(unit), ""});
    }
    return candidates;
  }

  static RunOrder OrderFor(const Candidate& candidate, std::int64_t position = 0) {
    return {Arm::kCandidate, candidate, 1, position, std::chrono::milliseconds{0}, {}};
  }

  const Surface surface_ = *Surface::Make("smooth", 0.1);
};

TEST_F(FaultPlanTest, StrikesTheShareOfCandidatesAskedFor) {
  const FaultPlan plan = Plan(Fault::kCrash, FaultPlace::kCandidates, 0.3);
  int struck = 0;
  for (const Candidate& candidate : RandomCandidates()) {
    const Fault fault = plan.OfRun(OrderFor(candidate));
    struck += fault == Fault::kCrash ? 1 : 0;
    EXPECT_EQ(plan.OfRun(OrderFor(candidate, 99)), fault);  // In every run, or in none.
    EXPECT_EQ(plan.OfPreparing(candidate), Fault::kNone);
  }
  EXPECT_NEAR(struck, 0.3 * kTries, 0.05 * kTries);
}

TEST_F(FaultPlanTest, AnotherSeedStrikesOtherCandidates) {
  const FaultPlan one = Plan(Fault::kCrash, FaultPlace::kCandidates, 0.5, 1);
  const FaultPlan two = Plan(Fault::kCrash, FaultPlace::kCandidates, 0.5, 2);
  int different = 0;
  for (const Candidate& candidate : RandomCandidates()) {
    different += one.OfRun(OrderFor(candidate)) != two.OfRun(OrderFor(candidate)) ? 1 : 0;
  }
  EXPECT_NEAR(different, 0.5 * kTries, 0.05 * kTries);
}

TEST_F(FaultPlanTest, RegionIsOneEndOfTheFirstParameter) {
  const FaultPlan plan = Plan(Fault::kBuild, FaultPlace::kRegion, 0.25);
  for (const Candidate& candidate : RandomCandidates()) {
    const bool is_low = std::get<std::int64_t>(candidate.assignment.at("threads")) <= 16;
    EXPECT_EQ(plan.OfPreparing(candidate) == Fault::kBuild, is_low) << ToText(candidate.assignment);
    EXPECT_EQ(plan.OfRun(OrderFor(candidate)), Fault::kNone);
  }
}

TEST_F(FaultPlanTest, StrikesTheShareOfRunsAskedFor) {
  const FaultPlan plan = Plan(Fault::kHang, FaultPlace::kRuns, 0.1);
  const Candidate candidate = RandomCandidates().front();
  int struck = 0;
  for (int i = 0; i < kTries; ++i) {
    struck += plan.OfRun(OrderFor(candidate, i)) == Fault::kHang ? 1 : 0;
  }
  EXPECT_NEAR(struck, 0.1 * kTries, 0.05 * kTries);
}

TEST_F(FaultPlanTest, BaselineAndOptimumAreSpared) {
  const Candidate baseline{surface_.space().Defaults(), ""};
  const Candidate optimum{surface_.optimum(), ""};
  for (const FaultPlace place : {FaultPlace::kCandidates, FaultPlace::kRegion, FaultPlace::kRuns}) {
    const FaultPlan plan = Plan(Fault::kCrash, place, 1);
    EXPECT_EQ(plan.OfRun(OrderFor(baseline)), Fault::kNone);
    EXPECT_EQ(plan.OfRun(OrderFor(optimum)), Fault::kNone);
    EXPECT_EQ(plan.OfRun(OrderFor(RandomCandidates().front())), Fault::kCrash);
  }
}

}  // namespace
}  // namespace hone::toy

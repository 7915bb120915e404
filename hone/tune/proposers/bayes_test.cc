// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/bayes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "hone/core/rng.h"
#include "hone/tune/proposers/model/change_prices.h"
#include "hone/tune/proposers/proposer_contract.h"
#include "hone/tune/proposers/random_search.h"
#include "hone/tune/proposers/trial_history.h"

namespace hone::tune {
namespace {

INSTANTIATE_TEST_SUITE_P(Bayes, ProposerContract, testing::Values(BayesEntry()));

Space CubeSpace(int count) {
  std::vector<Parameter> parameters(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameters[i].name = "x" + std::to_string(i);
    parameters[i].kind = RealRange{0, 1, 0, false};
    parameters[i].default_value = 0.2;
  }
  return *Space::Make(parameters);
}

// A hill in the first two coordinates, 0.2 above the baseline; beyond 0.9 everything crashes.
double Hill(const Assignment& at) {
  const double x = std::get<double>(at.at("x0")) - 0.7;
  const double y = std::get<double>(at.at("x1")) - 0.6;
  return 0.2 - 0.2 * (x * x + y * y) / 0.41;
}
bool Crashes(const Assignment& at) { return std::get<double>(at.at("x0")) > 0.9; }

struct Tried {
  double regret = 0;     // Of the recommendation, mean over seeds.
  int deep_crashes = 0;  // In the second half, far inside the region that crashes.
  double first_gain = 0;
  double last_gain = 0;
};

TEST(BayesTest, WhichOfTwoIsBetterFollowsWhatWasTold) {
  const Space space = CubeSpace(2);
  const Candidate baseline{.assignment = space.Defaults(), .source = {}};
  const auto bayes = *MakeJudgingBayes({.space = space,
                                        .baseline = baseline,
                                        .seed = 1,
                                        .planned_trials = 30,
                                        .wants_front = false,
                                        .options = {}});
  for (std::int64_t number = 0; number < 12; ++number) {
    Trial trial;
    trial.number = number;
    trial.candidate = *bayes->Ask();
    trial.reward = {.mean = Hill(trial.candidate.assignment), .standard_error = 0.02, .count = 1};
    ASSERT_TRUE(bayes->Tell(trial));
  }
  const Candidate top{.assignment = {{"x0", 0.7}, {"x1", 0.6}}, .source = {}};
  EXPECT_GT(bayes->ChanceBetter(top, baseline), 0.95);
  EXPECT_NEAR(bayes->ChanceBetter(top, baseline) + bayes->ChanceBetter(baseline, top), 1, 1e-9);
  EXPECT_EQ(bayes->ChanceBetter(top, top), 0.5);
}

// What a campaign recommends in which somebody wishes for these values all along.
double RecommendedWith(double wish, int trials, std::uint64_t seed) {
  const Space space = CubeSpace(4);
  const auto bayes = *MakeJudgingBayes({.space = space,
                                        .baseline = {.assignment = space.Defaults(), .source = {}},
                                        .seed = seed,
                                        .planned_trials = 30,
                                        .wants_front = false,
                                        .options = {}});
  WishedShape wishes = bayes->NoWishes();
  const auto note = [&] {
    Assignment at = space.Defaults();
    at["x0"] = wish;
    at["x1"] = wish;
    wishes.Note({.assignment = at, .set = {"x0", "x1"}});
  };
  for (int i = 0; i < 6; ++i) note();
  Rng rng = Rng(seed).Split("noise");
  for (std::int64_t number = 0; number < trials; ++number) {
    Trial trial;
    trial.number = number;
    trial.candidate = *bayes->Ask();
    trial.reward = {.mean = Hill(trial.candidate.assignment) + 0.05 * rng.Normal(),
                    .standard_error = 0.05,
                    .count = 1};
    EXPECT_TRUE(bayes->Tell(trial));
    if (wish != 0.2) bayes->Lean(wishes, 1);
  }
  const auto best = *bayes->Recommend(1);
  return best.empty() ? 0 : Hill(best[0].candidate.assignment);
}

double MeanRecommendedWith(double wish, int trials) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) sum += RecommendedWith(wish, trials, seed);
  return sum / 12;
}

// The hill stands at 0.7 and 0.6, the baseline at 0.2; 0.2 is no wish.
TEST(BayesTest, WishesThatAreRightFindTheHillSooner) {
  EXPECT_GT(MeanRecommendedWith(0.65, 7), MeanRecommendedWith(0.2, 7) + 0.01);
}

TEST(BayesTest, WishesThatMeasurementsContradictCostLittleInTheEnd) {
  EXPECT_GT(MeanRecommendedWith(0.0, 30), MeanRecommendedWith(0.2, 30) - 0.01);
}

Tried Try(const ProposerEntry& entry, int parameters, int trials, std::uint64_t seeds) {
  Tried tried;
  const Space space = CubeSpace(parameters);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    auto proposer = *entry.make({.space = space,
                                 .baseline = {.assignment = space.Defaults(), .source = {}},
                                 .seed = seed,
                                 .planned_trials = trials,
                                 .wants_front = false,
                                 .options = {}});
    Rng rng = Rng(seed).Split("noise");
    for (std::int64_t number = 0; number < trials; ++number) {
      Trial trial;
      trial.number = number;
      trial.candidate = *proposer->Ask();
      const Assignment& at = trial.candidate.assignment;
      if (Crashes(at)) trial.outcome = Outcome::kCrashed;
      if (std::get<double>(at.at("x0")) > 0.95 && number >= trials / 2) ++tried.deep_crashes;
      trial.reward = {.mean = Hill(at) + 0.05 * rng.Normal(), .standard_error = 0.05, .count = 1};
      EXPECT_TRUE(proposer->Tell(trial));
      if (number == 5) tried.first_gain += proposer->ExpectedRemainingGain().value_or(0);
    }
    tried.last_gain += proposer->ExpectedRemainingGain().value_or(0);
    const auto best = *proposer->Recommend(1);
    tried.regret += (0.2 - (best.empty() ? 0 : Hill(best[0].candidate.assignment))) /
                    static_cast<double>(seeds);
  }
  return tried;
}

TEST(BayesTest, FindsAHillUnderNoiseAmongIrrelevantParameters) {
  const Tried bayes = Try(BayesEntry(), 8, 40, 6);
  const Tried random = Try(RandomSearchEntry(), 8, 40, 6);
  EXPECT_LT(bayes.regret, 0.04);
  EXPECT_LT(bayes.regret, random.regret);
}

TEST(BayesTest, WhereCandidatesCrashIsLearnt) {
  EXPECT_LE(Try(BayesEntry(), 2, 40, 6).deep_crashes, 2);  // Random search makes 6 of 120.
}

TEST(BayesTest, TheExpectedRemainingGainFallsAsTheHillIsKnown) {
  const Tried bayes = Try(BayesEntry(), 2, 40, 3);
  EXPECT_GT(bayes.first_gain, 0);
  EXPECT_LT(bayes.last_gain, bayes.first_gain);
}

// A proposer of bayes on the cube, told rewards that a function makes of each candidate.
struct Told {
  std::unique_ptr<Proposer> proposer;
  std::vector<Assignment> asked;
};

// `share`: how much of the noise that is named there is.
Told TellAll(const Space& space, int trials, std::uint64_t seed,
             const std::function<double(const Assignment&)>& reward, double share = 1) {
  Told told;
  told.proposer = *MakeBayes({.space = space,
                              .baseline = {.assignment = space.Defaults(), .source = {}},
                              .seed = seed,
                              .planned_trials = trials,
                              .wants_front = false,
                              .options = {}});
  Rng rng = Rng(seed).Split("noise");
  for (std::int64_t number = 0; number < trials; ++number) {
    Trial trial;
    trial.number = number;
    trial.candidate = *told.proposer->Ask();
    trial.reward = {.mean = reward(trial.candidate.assignment) + share * 0.05 * rng.Normal(),
                    .standard_error = 0.05,
                    .count = 1};
    told.asked.push_back(trial.candidate.assignment);
    EXPECT_TRUE(told.proposer->Tell(trial));
  }
  return told;
}

int CountFaces(const std::vector<Assignment>& points) {
  int faces = 0;
  for (const Assignment& point : points) {
    for (const auto& [name, value] : point) {
      const double x = std::get<double>(value);
      faces += x < 0.02 || x > 0.98 ? 1 : 0;
    }
  }
  return faces;
}

TEST(BayesTest, WhileNothingMattersTheSpaceIsFilledEvenly) {
  const Space space = CubeSpace(3);
  int faces = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    faces += CountFaces(TellAll(space, 40, seed, [](const Assignment&) { return 0.0; }).asked);
  }
  // Of 600 coordinates 24 are expected; where variance decides, about half of them.
  EXPECT_LT(faces, 90);
}

TEST(BayesTest, AHitThatStandsAloneIsRecommended) {
  const Space space = CubeSpace(3);
  const auto needle = [](const Assignment& at) {
    for (const auto& [name, value] : at) {
      if (std::abs(std::get<double>(value) - 0.6) > 0.18) return 0.0;
    }
    return 0.18;
  };
  int found = 0;
  int hit = 0;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const Told told = TellAll(space, 40, seed, needle);
    const bool is_hit = std::any_of(told.asked.begin(), told.asked.end(),
                                    [&](const Assignment& at) { return needle(at) > 0; });
    const auto best = *told.proposer->Recommend(1);
    hit += is_hit ? 1 : 0;
    found += !best.empty() && needle(best[0].candidate.assignment) > 0 ? 1 : 0;
  }
  // By the process alone 18 of 24 hits are recommended.
  EXPECT_GE(hit, 20);
  EXPECT_GE(found, hit - 4);
}

TEST(BayesTest, ASureHitBesideASlopeIsRecommended) {
  const Space space = CubeSpace(3);
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    int asks = 0;
    const Told told = TellAll(space, 40, seed, [&](const Assignment& at) {
      if (++asks == 31) return 12 * 0.05;
      return 0.3 * (std::get<double>(at.at("x0")) - 0.2);
    });
    const auto best = *told.proposer->Recommend(1);
    ASSERT_FALSE(best.empty()) << seed;
    EXPECT_EQ(best[0].candidate.assignment, told.asked[30]) << seed;
  }
}

TEST(BayesTest, WhereAllMayBeNoiseTheBestThatWasTriedIsRecommended) {
  const Space space = CubeSpace(3);
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    int asks = 0;
    const Told told = TellAll(
        space, 12, seed,
        [&](const Assignment&) {
          return ++asks == 7 ? 0.13 : 0.0;  // 2.6 standard errors, more or less.
        },
        0.1);
    const auto best = *told.proposer->Recommend(1);
    ASSERT_FALSE(best.empty()) << seed;
    EXPECT_EQ(best[0].candidate.assignment, told.asked[6]) << seed;
  }
}

TEST(BayesTest, WhereAllIsNoiseItIsOftenSaidThatNothingIsWorthTrying) {
  const Space space = CubeSpace(6);
  int recommended = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    // A fifth of the noise below the baseline, and the same everywhere.
    const Told told = TellAll(space, 60, seed, [](const Assignment&) { return -0.01; });
    recommended += (*told.proposer->Recommend(1)).empty() ? 0 : 1;
  }
  // By the process alone, or with hits that the best of 60 noisy trials always is: 20.
  EXPECT_LE(recommended, 15);
}

// Switches, some of them dear to change; each has its own effect.
Space Switches(int count) {
  std::vector<Parameter> parameters(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameters[i].name = "s" + std::to_string(100 + i);
    parameters[i].kind = Boolean{};
    parameters[i].default_value = false;
  }
  return *Space::Make(parameters);
}

constexpr double kDearPrice = 20;
constexpr int kDearSwitches = 4;
constexpr int kSwitches = 24;

double EffectOf(int i) {
  if (i == 0) return 0.1;               // Dear and good,
  if (i < kDearSwitches) return -0.02;  // dear and bad,
  return i % 5 == 0 ? 0.04 : -0.005;    // cheap: four good ones.
}

double Total(const Assignment& at) {
  double sum = 0;
  int i = 0;
  for (const auto& [name, value] : at) sum += (std::get<bool>(value) ? 1 : 0) * EffectOf(i++);
  return sum;
}

std::map<std::string, double> DearPrices(const Space& space) {
  std::map<std::string, double> prices;
  for (std::size_t i = 0; i < kDearSwitches; ++i) {
    prices[space.parameters()[i].name] = kDearPrice;
  }
  return prices;
}

struct Spent {
  double cost = 0;                 // Trials and changes, mean over seeds.
  double found = 0;                // True reward of the recommendation.
  std::vector<Trial> trials = {};  // Of the last seed.
};

struct Given {
  std::map<std::string, double> prices = {};
  std::map<std::string, std::string> options = {};
  double sign = 1;  // -1: every effect is the other way round.
};

Spent Spend(const Space& space, int trials, const Given& given) {
  constexpr std::uint64_t kSeeds = 4;
  Spent spent;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    spent.trials.clear();
    auto proposer = *MakeBayes({.space = space,
                                .baseline = {.assignment = space.Defaults(), .source = {}},
                                .seed = seed,
                                .planned_trials = trials,
                                .wants_front = false,
                                .options = given.options,
                                .prices = given.prices});
    ChangePrices truth(space, space.Defaults(), DearPrices(space), 0);
    Rng rng = Rng(seed).Split("noise");
    for (std::int64_t number = 0; number < trials; ++number) {
      Trial trial;
      trial.number = number;
      trial.candidate = *proposer->Ask();
      const Assignment& at = trial.candidate.assignment;
      spent.cost += (1 + truth.Of(at)) / kSeeds;
      truth.NoteTried(at);
      trial.reward = {.mean = given.sign * Total(at) + 0.003 * rng.Normal(),
                      .standard_error = 0.003,
                      .count = 2};
      EXPECT_TRUE(proposer->Tell(trial));
      spent.trials.push_back(std::move(trial));
    }
    const auto best = *proposer->Recommend(1);
    if (!best.empty()) spent.found += given.sign * Total(best[0].candidate.assignment) / kSeeds;
  }
  return spent;
}

TEST(BayesTest, WhereChangesHaveTheirPriceMoreIsFoundForLess) {
  const Space space = Switches(kSwitches);
  const Spent priced = Spend(space, 50, {.prices = DearPrices(space)});
  const Spent blind = Spend(space, 30, {});
  EXPECT_LT(priced.cost, blind.cost / 2);
  EXPECT_GT(priced.found, blind.found);
}

TEST(BayesTest, WhileSomethingDearWasNeverMovedNothingIsSaidOfTheGainThatRemains) {
  const Space space = Switches(kSwitches);
  const auto proposer = *MakeBayes({.space = space,
                                    .baseline = {.assignment = space.Defaults(), .source = {}},
                                    .seed = 1,
                                    .planned_trials = 60,
                                    .wants_front = false,
                                    .options = {},
                                    .prices = DearPrices(space)});
  bool has_moved = false;
  for (std::int64_t number = 0; number < 20; ++number) {
    Trial trial;
    trial.number = number;
    trial.candidate = *proposer->Ask();
    trial.reward = {.mean = -0.001, .standard_error = 0.0001, .count = 2};
    ASSERT_TRUE(proposer->Tell(trial));
    has_moved |=
        ChangePrices(space, space.Defaults(), DearPrices(space), 0).Of(trial.candidate.assignment) >
        0;
    if (!has_moved) {
      EXPECT_FALSE(proposer->ExpectedRemainingGain());
    }
  }
  EXPECT_TRUE(has_moved);
}

TEST(BayesTest, WhatAnEarlierCampaignMeasuredNeedNotBeLearntAgain) {
  const Space space = Switches(kSwitches);
  const Spent earlier = Spend(space, 30, {});
  const std::map<std::string, std::string> history{{"history", HistoryText(earlier.trials)}};
  const Spent warm = Spend(space, 10, {.options = history});
  const Spent cold = Spend(space, 10, {});
  EXPECT_GT(warm.found, 1.3 * cold.found);
}

TEST(BayesTest, AnEarlierCampaignThatMisleadsIsOvercome) {
  const Space space = Switches(kSwitches);
  const Spent earlier = Spend(space, 30, {});
  const std::map<std::string, std::string> history{{"history", HistoryText(earlier.trials)}};
  const Spent misled = Spend(space, 30, {.options = history, .sign = -1});
  const Spent cold = Spend(space, 30, {.sign = -1});
  EXPECT_GT(misled.found, 0.7 * cold.found);
}

}  // namespace
}  // namespace hone::tune

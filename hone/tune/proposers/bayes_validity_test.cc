// SPDX-License-Identifier: Apache-2.0
// Whether what builds and boots is learnt from outcomes, on rules that were planted.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "hone/core/rng.h"
#include "hone/tune/proposers/bayes.h"
#include "hone/tune/proposers/model/belief_model.h"
#include "hone/tune/proposers/random_search.h"

namespace hone::tune {
namespace {

constexpr int kRuledSwitches = 30;

std::string SwitchName(int i) { return "s" + std::to_string(i); }

// Every second one is on in the baseline.
Space SwitchSpace() {
  std::vector<Parameter> parameters;
  for (int i = 0; i < kRuledSwitches; ++i) {
    Parameter& parameter = parameters.emplace_back();
    parameter.name = SwitchName(i);
    parameter.kind = Boolean{};
    parameter.default_value = i % 2 == 0;
  }
  return *Space::Make(parameters);
}

bool IsOn(const Assignment& at, int i) { return std::get<bool>(at.at(SwitchName(i))); }

// The rules. Of all candidates, three in eight keep both.
bool NeverBoots(const Assignment& at) { return !IsOn(at, 4); }
bool DoesNotBuild(const Assignment& at) { return IsOn(at, 7) && !IsOn(at, 12); }
Outcome OutcomeOf(const Assignment& at) {
  if (DoesNotBuild(at)) return Outcome::kBuildFailed;
  return NeverBoots(at) ? Outcome::kCrashed : Outcome::kAccepted;
}

// What breaks the second rule would be worth something, if it ran.
double GainOf(const Assignment& at) {
  return (IsOn(at, 1) ? 0.05 : 0) + (IsOn(at, 7) ? 0.05 : 0) - (IsOn(at, 12) ? 0.05 : 0);
}

Trial TrialWith(std::int64_t number, Candidate candidate, Rng& rng) {
  Trial trial;
  trial.number = number;
  trial.candidate = std::move(candidate);
  trial.outcome = OutcomeOf(trial.candidate.assignment);
  trial.reward = {.mean = GainOf(trial.candidate.assignment) + 0.02 * rng.Normal(),
                  .standard_error = 0.02,
                  .count = 1};
  return trial;
}

// The shares of proposals that ran, over some seeds.
struct Shares {
  double first_half = 0;
  double second_half = 0;
};

Shares SharesBy(const ProposerEntry& entry, int trials, std::uint64_t seeds) {
  const Space space = SwitchSpace();
  const double one = 2.0 / static_cast<double>(trials) / static_cast<double>(seeds);
  Shares shares;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    auto proposer = *entry.make({.space = space,
                                 .baseline = {.assignment = space.Defaults(), .source = {}},
                                 .seed = seed,
                                 .planned_trials = trials,
                                 .wants_front = false,
                                 .options = {}});
    Rng rng = Rng(seed).Split("noise");
    for (int number = 0; number < trials; ++number) {
      const Trial trial = TrialWith(number, *proposer->Ask(), rng);
      EXPECT_TRUE(proposer->Tell(trial));
      if (trial.outcome != Outcome::kAccepted) continue;
      (2 * number < trials ? shares.first_half : shares.second_half) += one;
    }
  }
  return shares;
}

TEST(BayesValidityTest, ProposalsRunMoreAndMoreOften) {
  const Shares random = SharesBy(RandomSearchEntry(), 50, 4);
  const Shares bayes = SharesBy(BayesEntry(), 50, 4);
  EXPECT_LT(random.first_half, 0.5);
  EXPECT_LT(random.second_half, 0.5);
  EXPECT_GT(bayes.first_half, random.first_half + 0.1);
  EXPECT_GT(bayes.second_half, 0.9);
}

class LearntRules : public testing::Test {
 protected:
  Assignment Draw() {
    Assignment at;
    for (int i = 0; i < kRuledSwitches; ++i) at[SwitchName(i)] = rng_.Coin();
    return at;
  }

  void Learn(int count) {
    std::map<std::int64_t, Trial> trials;
    for (int i = 0; i < count; ++i) {
      trials[i] = TrialWith(i, {.assignment = Draw(), .source = {}}, rng_);
      model_.Learn(trials, i);
    }
  }

  // The mean of what is believed where these rules are broken and no other.
  double MeanChance(bool breaks_first, bool breaks_second) {
    double sum = 0;
    int count = 0;
    for (int draws = 0; draws < 500; ++draws) {
      const Assignment at = Draw();
      if (NeverBoots(at) != breaks_first || DoesNotBuild(at) != breaks_second) continue;
      sum += model_.ChanceOfSuccess(map_.Encode(at))(0);
      ++count;
    }
    return sum / count;
  }

  const Space space_ = SwitchSpace();
  const FeatureMap map_{space_};
  BeliefModel model_{map_, space_.Defaults()};
  Rng rng_{1};
};

TEST_F(LearntRules, BothAreLearntFromOutcomesAlone) {
  Learn(80);
  EXPECT_GT(MeanChance(false, false), 0.9);
  EXPECT_LT(MeanChance(true, false), 0.05);
  EXPECT_LT(MeanChance(false, true), 0.2);
  EXPECT_LT(MeanChance(true, true), 0.05);
}

TEST_F(LearntRules, BeforeTheFirstFailureEverythingMayRun) { EXPECT_EQ(MeanChance(true, true), 1); }

}  // namespace
}  // namespace hone::tune

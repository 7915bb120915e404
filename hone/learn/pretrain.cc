// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/pretrain.h"

#include <cmath>
#include <map>
#include <utility>

#include "hone/learn/tuning_policy.h"
#include "hone/tune/proposers/model/belief_model.h"
#include "hone/tune/proposers/model/feature_map.h"

namespace hone::learn {
namespace {

constexpr int kUpdates = 40;
constexpr std::size_t kStepsPerUpdate = 32;
constexpr double kCaution = 0.5;  // Standard deviations taken off what the surrogate expects,
constexpr double kFailureReward = -1.0;  // and what a failure is worth to it.

// What the surrogate expects of each assignment, with caution where it knows little.
std::vector<double> Expected(const tune::BeliefModel& model, const tune::FeatureMap& map,
                             const std::vector<Assignment>& assignments) {
  const tune::Belief belief = model.reward().Predict(map.Encode(assignments));
  const Eigen::VectorXd chance = model.ChanceOfSuccess(belief.points);
  std::vector<double> rewards;
  for (Eigen::Index i = 0; i < belief.mean.size(); ++i) {
    const double reward = belief.mean(i) - kCaution * std::sqrt(belief.variance(i));
    rewards.push_back(chance(i) * reward + (1 - chance(i)) * kFailureReward);
  }
  return rewards;
}

}  // namespace

void PretrainOn(const std::vector<tune::Trial>& history, const Space& space,
                const Candidate& baseline, PpoLearner& learner,
                const std::vector<double>& observation, const Rng& rng) {
  const tune::FeatureMap map(space);
  tune::BeliefModel model(map, baseline.assignment);
  std::map<std::int64_t, tune::Trial> trials;
  for (const tune::Trial& trial : history) {
    const auto number = static_cast<std::int64_t>(trials.size());
    trials[number] = trial;
    trials[number].number = number;
    model.Learn(trials, number);
  }
  std::vector<double> observations;
  for (std::size_t i = 0; i < kStepsPerUpdate; ++i) {
    observations.insert(observations.end(), observation.begin(), observation.end());
  }
  const std::size_t width = space.UnitSize();
  for (int update = 0; update < kUpdates; ++update) {
    const Rng own = rng.Split(static_cast<std::uint64_t>(update));
    Rng draws = own.Split("act");
    PpoLearner::Choice choice = learner.Act(observations, {}, draws);
    Rollout rollout;
    std::vector<Assignment> assignments;
    for (std::size_t i = 0; i < kStepsPerUpdate; ++i) {
      const auto action = std::span(choice.actions).subspan(i * width, width);
      std::vector<double> unit(width);
      learner.distribution().ToUnit(action, unit);
      assignments.push_back(space.FromUnit(unit));
      const auto mask = MaskOf(space, learner.distribution(), assignments.back());
      rollout.masks.insert(rollout.masks.end(), mask.begin(), mask.end());
      rollout.log_probs.push_back(learner.LogProbOf(i, action, mask));
    }
    rollout.observations = observations;
    rollout.actions = std::move(choice.actions);
    rollout.values = std::move(choice.values);
    rollout.rewards = Expected(model, map, assignments);
    rollout.ends.assign(kStepsPerUpdate, true);
    const Advantages advantages = EstimateAdvantages(rollout, std::vector<double>(1, 0.0), 0, 1);
    static_cast<void>(learner.Update(rollout, advantages, 1, own.Split("update")));
  }
}

}  // namespace hone::learn

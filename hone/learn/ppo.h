// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hone/core/result.h"
#include "hone/core/rng.h"
#include "hone/env/vector_environment.h"
#include "hone/learn/action_distribution.h"
#include "hone/learn/actor_critic.h"
#include "hone/learn/ppo_settings.h"
#include "hone/learn/rollout.h"
#include "hone/learn/running_statistics.h"

namespace hone::learn {

// What an update did, as Stable-Baselines3 logs it: means over its minibatches.
struct UpdateReport {
  double policy_loss = 0;
  double value_loss = 0;
  double entropy_loss = 0;
  double approx_kl = 0;
  double clip_fraction = 0;
  double explained_variance = 0;
  double learning_rate = 0;
  double clip_range = 0;
  std::optional<double> clip_range_vf;
  std::int64_t minibatches = 0;
  bool was_stopped = false;  // By target_kl.

  double first_ratio_error = 0;  // Of the first minibatch: how far a ratio was from 1.
};

// A policy and how it learns, without an environment: whoever has samples may use it. Not safe for
// concurrent use.
class PpoLearner {
 public:
  // `settings` are valid.
  PpoLearner(const PpoSettings& settings, std::size_t observations,
             ActionDistribution distribution);

  const ActionDistribution& distribution() const { return distribution_; }
  ActorCritic& network() { return *network_; }
  const PpoSettings& settings() const { return settings_; }

  // What the policy does, row by row; `noise` is what DrawNoise gave for each row.
  struct Choice {
    std::vector<double> actions;
    std::vector<double> log_probs;
    std::vector<double> values;
  };
  Choice Act(std::span<const double> observations, std::span<const double> noise, Rng& rng);
  std::vector<double> ActBest(std::span<const double> observations);  // The mode.
  std::vector<double> Values(std::span<const double> observations);
  std::vector<double> DrawNoise(std::size_t rows, Rng& rng) const;

  // Of one row, in the light of the last Act or ActBest. For masks that depend on the action.
  double LogProbOf(std::size_t row, std::span<const double> action, std::span<const double> mask);

  // Improves the policy on a rollout that it made itself.
  UpdateReport Update(const Rollout& rollout, const Advantages& advantages,
                      double progress_remaining, const Rng& rng);

 private:
  struct Minibatch {
    std::vector<std::size_t> rows;
    std::vector<double> observations;
    std::vector<double> advantages;
  };

  Minibatch Gather(const Rollout& rollout, const Advantages& advantages,
                   std::span<const std::size_t> rows) const;
  // False if the policy has moved too far for another step.
  bool Improve(const Rollout& rollout, const Advantages& advantages, const Minibatch& batch,
               UpdateReport& report);
  PolicyRow RowOf(std::size_t row, std::span<const double> mask) const;

  PpoSettings settings_;
  ActionDistribution distribution_;
  std::unique_ptr<ActorCritic> network_;
};

// How training went up to an update.
struct TrainReport {
  std::int64_t steps = 0;  // Of all environments.
  std::int64_t updates = 0;
  std::int64_t episodes = 0;
  std::optional<double> mean_reward;  // Of the last episodes, before any normalisation,
  std::optional<double> mean_length;  // as many as stats_window_size; none before the first.
  UpdateReport update;
};

// Everything that decides how training goes on; see policy_file.h.
struct TrainerState {
  ActorCriticState network;
  std::int64_t steps = 0;
  std::int64_t updates = 0;
  std::int64_t episodes = 0;
  RunningStatistics observation_statistics;
  RunningStatistics return_statistics;
  std::vector<double> normaliser_returns;
  std::vector<double> episode_rewards;  // Of the episodes under way,
  std::vector<double> episode_lengths;
  std::vector<double> last_rewards;  // and of the last that ended.
  std::vector<double> last_lengths;
  env::VectorPosition environments;
};

// Trains a policy in environments: collects a rollout, improves, and again. What it does depends on
// the settings and the environments alone, and goes on bit for bit from a saved state. Not safe for
// concurrent use.
class PpoTrainer {
 public:
  // kInvalidArgument unless the settings are valid and fit. The environments outlive the trainer.
  static Result<std::unique_ptr<PpoTrainer>> Make(const PpoSettings& settings,
                                                  env::VectorEnvironment& environments);

  bool IsDone() const;
  Result<TrainReport> Iterate();  // One rollout and one update.
  std::int64_t steps() const { return steps_; }
  std::int64_t episodes() const { return episodes_; }

  TrainerState Save();
  Result<void> Load(const TrainerState& state);

  // What the policy would do now, in the unit cube, without exploring.
  std::vector<double> Decide(std::span<const double> observation);
  PpoLearner& learner() { return learner_; }

 private:
  PpoTrainer(const PpoSettings& settings, env::VectorEnvironment& environments);

  Result<void> Begin();
  std::int64_t StepsOfNextRollout() const;
  Result<Rollout> Collect(std::int64_t steps);
  void NoteStep(env::VectorStep& step, Rollout& rollout);
  void NoteEpisodes(const env::VectorStep& step);
  void SeeObservations(std::vector<double> observations);
  std::vector<double> Normalised(std::vector<double> observations) const;
  TrainReport Report(const UpdateReport& update) const;

  const PpoSettings settings_;
  env::VectorEnvironment& environments_;
  PpoLearner learner_;
  const Rng rng_;  // Never drawn from: every step and every update splits its own stream off.

  bool has_begun_ = false;
  std::vector<double> observations_;  // To act on next, normalised.
  RunningStatistics observation_statistics_;
  RewardNormaliser rewards_;
  std::int64_t steps_ = 0;
  std::int64_t updates_ = 0;
  std::int64_t episodes_ = 0;
  std::vector<double> episode_rewards_;
  std::vector<double> episode_lengths_;
  std::deque<double> last_rewards_;
  std::deque<double> last_lengths_;
};

}  // namespace hone::learn

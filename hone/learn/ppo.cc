// SPDX-License-Identifier: Apache-2.0
// Proximal policy optimisation (Schulman, Wolski, Dhariwal, Radford and Klimov, 2017), in the order
// of the paper: act, estimate advantages, improve the clipped surrogate
//
//   L = -E[min(r A, clip(r, 1 - e, 1 + e) A)] + c_v E[(V - R)²] - c_h E[H],
//   r = pi(a | s) / pi_old(a | s),
//
// and repeat. The details are those of Stable-Baselines3; docs/algorithms/ppo.md lists them.
#include "hone/learn/ppo.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "hone/core/check.h"

namespace hone::learn {
namespace {

constexpr double kDeviationFloor = 1e-8;
constexpr double kKlTolerance = 1.5;

std::vector<std::size_t> HiddenOf(const PpoSettings& settings) {
  return {settings.net_arch.begin(), settings.net_arch.end()};
}

double MeanOf(std::span<const double> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

double SquaresAround(std::span<const double> numbers, double centre) {
  double sum = 0;
  for (const double number : numbers) sum += (number - centre) * (number - centre);
  return sum;
}

// Mean 0 and deviation 1, with Bessel's correction.
void Standardise(std::vector<double>& numbers) {
  if (numbers.size() < 2) return;
  const double mean = MeanOf(numbers);
  const double deviation =
      std::sqrt(SquaresAround(numbers, mean) / static_cast<double>(numbers.size() - 1));
  for (double& number : numbers) number = (number - mean) / (deviation + kDeviationFloor);
}

// How much of the returns' variance the values foresaw; 1 is all of it.
double ExplainedVariance(const std::vector<double>& values, const std::vector<double>& returns) {
  std::vector<double> errors(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) errors[i] = returns[i] - values[i];
  const double variance = SquaresAround(returns, MeanOf(returns));
  return variance == 0 ? 0 : 1 - SquaresAround(errors, MeanOf(errors)) / variance;
}

// What a minibatch adds up to.
struct Sums {
  double policy_loss = 0;
  double value_loss = 0;
  double entropy = 0;
  double kl = 0;
  double clipped = 0;
  double ratio_error = 0;  // The largest.
};

// -min(r A, clip(r) A) of one sample; gives its derivative by the new log-probability.
double AddPolicyLoss(double log_ratio, double advantage, double clip_range, Sums& sums) {
  const double ratio = std::exp(log_ratio);
  const double plain = ratio * advantage;
  const double clipped = std::clamp(ratio, 1 - clip_range, 1 + clip_range) * advantage;
  sums.policy_loss -= std::min(plain, clipped);
  sums.kl += (ratio - 1) - log_ratio;
  sums.clipped += std::abs(ratio - 1) > clip_range ? 1 : 0;
  sums.ratio_error = std::max(sums.ratio_error, std::abs(ratio - 1));
  return plain <= clipped ? -plain : 0;
}

// (V - R)² of one sample, where V moves by at most `clip` if there is one; gives its derivative.
double AddValueLoss(double value, double old_value, double target,
                    const std::optional<double>& clip, Sums& sums) {
  const double moved = clip ? std::clamp(value - old_value, -*clip, *clip) : 0;
  const double said = clip ? old_value + moved : value;
  sums.value_loss += (said - target) * (said - target);
  return clip && moved != value - old_value ? 0 : 2 * (said - target);
}

std::span<const double> RowOfTable(std::span<const double> table, std::size_t row,
                                   std::size_t width) {
  return table.empty() ? table : table.subspan(row * width, width);
}

}  // namespace

// --- The policy ---------------------------------------------------------------------------------

PpoLearner::PpoLearner(const PpoSettings& settings, std::size_t observations,
                       ActionDistribution distribution)
    : settings_(settings),
      distribution_(std::move(distribution)),
      network_(MakeActorCritic({.observations = observations,
                                .policy_outputs = distribution_.output_count(),
                                .free_count = distribution_.free_count(),
                                .hidden = HiddenOf(settings),
                                .activation = settings.activation_fn,
                                .precision = settings.precision},
                               {.epsilon = settings.adam_eps})) {
  network_->WantFeatures(distribution_.noise_count() > 0);
  network_->Initialise(settings.ortho_init, distribution_.InitialFree(),
                       Rng(settings.seed).Split("weights"));
}

PolicyRow PpoLearner::RowOf(std::size_t row, std::span<const double> mask) const {
  return {.outputs = network_->Outputs(row),
          .features = network_->Features(row),
          .noise = {},
          .mask = mask};
}

std::vector<double> PpoLearner::DrawNoise(std::size_t rows, Rng& rng) const {
  const std::size_t width = distribution_.noise_count();
  std::vector<double> noise(rows * width);
  for (std::size_t row = 0; row < rows && width > 0; ++row) {
    distribution_.DrawNoise(network_->free(), std::span(noise).subspan(row * width, width), rng);
  }
  return noise;
}

PpoLearner::Choice PpoLearner::Act(std::span<const double> observations,
                                   std::span<const double> noise, Rng& rng) {
  network_->Forward(observations);
  const std::size_t rows = observations.size() / network_->shape().observations;
  const std::size_t width = distribution_.size();
  Choice choice;
  choice.actions.resize(rows * width);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto action = std::span(choice.actions).subspan(row * width, width);
    PolicyRow seen = RowOf(row, {});
    seen.noise = RowOfTable(noise, row, distribution_.noise_count());
    distribution_.Sample(seen, network_->free(), rng, action);
    choice.log_probs.push_back(distribution_.Evaluate(seen, network_->free(), action).log_prob);
    choice.values.push_back(network_->ValueOf(row));
  }
  return choice;
}

std::vector<double> PpoLearner::ActBest(std::span<const double> observations) {
  network_->Forward(observations);
  const std::size_t rows = observations.size() / network_->shape().observations;
  const std::size_t width = distribution_.size();
  std::vector<double> actions(rows * width);
  for (std::size_t row = 0; row < rows; ++row) {
    distribution_.Mode(RowOf(row, {}), network_->free(),
                       std::span(actions).subspan(row * width, width));
  }
  return actions;
}

double PpoLearner::LogProbOf(std::size_t row, std::span<const double> action,
                             std::span<const double> mask) {
  return distribution_.Evaluate(RowOf(row, mask), network_->free(), action).log_prob;
}

std::vector<double> PpoLearner::Values(std::span<const double> observations) {
  network_->Forward(observations);
  const std::size_t rows = observations.size() / network_->shape().observations;
  std::vector<double> values(rows);
  for (std::size_t row = 0; row < rows; ++row) values[row] = network_->ValueOf(row);
  return values;
}

// --- Collecting ---------------------------------------------------------------------------------

// The last rollout is shorter, so that no more steps are taken than were asked for.
std::int64_t PpoTrainer::StepsOfNextRollout() const {
  return std::min(settings_.n_steps, (settings_.total_timesteps - steps_) / settings_.n_envs);
}

Result<Rollout> PpoTrainer::Collect(std::int64_t steps) {
  Rollout rollout;
  rollout.environments = environments_.size();
  std::vector<double> noise;
  const std::size_t width = environments_.Facts().action_size;
  std::vector<double> units(environments_.size() * width);
  for (std::int64_t step = 0; step < steps; ++step) {
    Rng rng = rng_.Split("act").Split(static_cast<std::uint64_t>(steps_));
    if (step == 0 || (settings_.sde_sample_freq > 0 && step % settings_.sde_sample_freq == 0)) {
      noise = learner_.DrawNoise(environments_.size(), rng);
    }
    const PpoLearner::Choice choice = learner_.Act(observations_, noise, rng);
    for (std::size_t e = 0; e < environments_.size(); ++e) {
      learner_.distribution().ToUnit(std::span(choice.actions).subspan(e * width, width),
                                     std::span(units).subspan(e * width, width));
    }
    auto stepped = environments_.Step(units);
    if (!stepped) return stepped.error();
    const auto append = [](std::vector<double>& to, const std::vector<double>& more) {
      to.insert(to.end(), more.begin(), more.end());
    };
    append(rollout.observations, observations_);
    append(rollout.actions, choice.actions);
    append(rollout.log_probs, choice.log_probs);
    append(rollout.values, choice.values);
    steps_ += settings_.n_envs;
    NoteStep(*stepped, rollout);
  }
  return rollout;
}

void PpoTrainer::NoteStep(env::VectorStep& step, Rollout& rollout) {
  NoteEpisodes(step);
  std::vector<double> rewards;
  std::vector<bool> ends;
  for (const env::Transition& transition : step.transitions) {
    rewards.push_back(transition.reward);
    ends.push_back(transition.IsEnd());
  }
  SeeObservations(std::move(step.observations));
  if (settings_.norm_reward) rewards_.Normalise(rewards, ends);
  for (std::size_t e = 0; e < rewards.size(); ++e) {
    // Where time ran out more reward would have come: what the value network expects of it.
    if (!step.transitions[e].is_truncated) continue;
    rewards[e] += settings_.gamma *
                  learner_.Values(Normalised(std::move(step.transitions[e].observation))).front();
  }
  rollout.rewards.insert(rollout.rewards.end(), rewards.begin(), rewards.end());
  rollout.ends.insert(rollout.ends.end(), ends.begin(), ends.end());
}

void PpoTrainer::NoteEpisodes(const env::VectorStep& step) {
  for (std::size_t e = 0; e < step.transitions.size(); ++e) {
    episode_rewards_[e] += step.transitions[e].reward;
    episode_lengths_[e] += 1;
    if (!step.transitions[e].IsEnd()) continue;
    ++episodes_;
    last_rewards_.push_back(std::exchange(episode_rewards_[e], 0));
    last_lengths_.push_back(std::exchange(episode_lengths_[e], 0));
    if (std::ssize(last_rewards_) > settings_.stats_window_size) {
      last_rewards_.pop_front();
      last_lengths_.pop_front();
    }
  }
}

void PpoTrainer::SeeObservations(std::vector<double> observations) {
  if (settings_.norm_obs) observation_statistics_.Update(observations);
  observations_ = Normalised(std::move(observations));
}

std::vector<double> PpoTrainer::Normalised(std::vector<double> observations) const {
  if (settings_.norm_obs) NormaliseObservations(observation_statistics_, observations);
  return observations;
}

// --- Improving ----------------------------------------------------------------------------------

UpdateReport PpoLearner::Update(const Rollout& rollout, const Advantages& advantages,
                                double progress_remaining, const Rng& rng) {
  UpdateReport report;
  report.learning_rate = settings_.learning_rate.At(progress_remaining);
  report.clip_range = settings_.clip_range.At(progress_remaining);
  if (settings_.clip_range_vf)
    report.clip_range_vf = settings_.clip_range_vf->At(progress_remaining);
  std::vector<std::size_t> order(rollout.size());
  const auto batch_size = static_cast<std::size_t>(settings_.batch_size);
  for (std::int64_t epoch = 0; epoch < settings_.n_epochs && !report.was_stopped; ++epoch) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    rng.Split(static_cast<std::uint64_t>(epoch)).Shuffle(order);
    for (std::size_t at = 0; at < order.size() && !report.was_stopped; at += batch_size) {
      const std::size_t count = std::min(batch_size, order.size() - at);
      const Minibatch batch = Gather(rollout, advantages, std::span(order).subspan(at, count));
      report.was_stopped = !Improve(rollout, advantages, batch, report);
    }
  }
  const auto count = static_cast<double>(report.minibatches);
  for (double* mean : {&report.policy_loss, &report.value_loss, &report.entropy_loss,
                       &report.approx_kl, &report.clip_fraction}) {
    *mean /= count;
  }
  report.explained_variance = ExplainedVariance(rollout.values, advantages.returns);
  return report;
}

PpoLearner::Minibatch PpoLearner::Gather(const Rollout& rollout, const Advantages& advantages,
                                         std::span<const std::size_t> rows) const {
  Minibatch batch;
  batch.rows.assign(rows.begin(), rows.end());
  const std::size_t width = network_->shape().observations;
  batch.observations.reserve(rows.size() * width);
  batch.advantages.reserve(rows.size());
  for (const std::size_t row : rows) {
    const auto seen = RowOfTable(rollout.observations, row, width);
    batch.observations.insert(batch.observations.end(), seen.begin(), seen.end());
    batch.advantages.push_back(advantages.advantages[row]);
  }
  if (settings_.normalize_advantage) Standardise(batch.advantages);
  return batch;
}

bool PpoLearner::Improve(const Rollout& rollout, const Advantages& advantages,
                         const Minibatch& batch, UpdateReport& report) {
  network_->Forward(batch.observations);
  const std::size_t width = distribution_.size();
  const std::size_t outputs = distribution_.output_count();
  const auto count = static_cast<double>(batch.rows.size());
  std::vector<double> by_outputs(batch.rows.size() * outputs, 0);
  std::vector<double> by_values(batch.rows.size(), 0);
  std::vector<double> by_free(distribution_.free_count(), 0);
  Sums sums;
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    const std::size_t row = batch.rows[i];
    const auto action = RowOfTable(rollout.actions, row, width);
    const PolicyRow seen = RowOf(i, RowOfTable(rollout.masks, row, distribution_.mask_count()));
    const LogTerms terms = distribution_.Evaluate(seen, network_->free(), action);
    const double by_log_prob = AddPolicyLoss(terms.log_prob - rollout.log_probs[row],
                                             batch.advantages[i], report.clip_range, sums);
    sums.entropy += terms.entropy;
    distribution_.Differentiate(seen, network_->free(), action, by_log_prob / count,
                                -settings_.ent_coef / count,
                                std::span(by_outputs).subspan(i * outputs, outputs), by_free);
    by_values[i] = settings_.vf_coef / count *
                   AddValueLoss(network_->ValueOf(i), rollout.values[row], advantages.returns[row],
                                report.clip_range_vf, sums);
  }
  if (report.minibatches++ == 0) report.first_ratio_error = sums.ratio_error;
  report.policy_loss += sums.policy_loss / count;
  report.value_loss += sums.value_loss / count;
  report.entropy_loss -= sums.entropy / count;
  report.approx_kl += sums.kl / count;
  report.clip_fraction += sums.clipped / count;
  if (settings_.target_kl && sums.kl / count > kKlTolerance * *settings_.target_kl) return false;
  network_->Backward(by_outputs, by_values, by_free);
  network_->Step(report.learning_rate, settings_.max_grad_norm);
  return true;
}

// --- The loop -----------------------------------------------------------------------------------

Result<std::unique_ptr<PpoTrainer>> PpoTrainer::Make(const PpoSettings& settings,
                                                     env::VectorEnvironment& environments) {
  if (auto valid = Validate(settings); !valid) return valid.error();
  if (environments.size() != static_cast<std::size_t>(settings.n_envs)) {
    return Error{Errc::kInvalidArgument, fmt::format("n_envs: {} were asked for, there are {}",
                                                     settings.n_envs, environments.size())};
  }
  if (settings.total_timesteps < settings.n_envs) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("total_timesteps: {} is less than one step of the {} environments",
                             settings.total_timesteps, settings.n_envs)};
  }
  return std::unique_ptr<PpoTrainer>(new PpoTrainer(settings, environments));
}

PpoTrainer::PpoTrainer(const PpoSettings& settings, env::VectorEnvironment& environments)
    : settings_(settings),
      environments_(environments),
      learner_(settings, environments.Facts().observations.size(),
               DistributionFor(environments.Facts(), settings.KindOfPolicy(),
                               HiddenOf(settings).back(), settings.log_std_init)),
      rng_(Rng(settings.seed).Split("ppo")),
      observation_statistics_(environments.Facts().observations.size()),
      rewards_(environments.size(), settings.gamma),
      episode_rewards_(environments.size(), 0),
      episode_lengths_(environments.size(), 0) {}

bool PpoTrainer::IsDone() const { return StepsOfNextRollout() < 1; }

Result<void> PpoTrainer::Begin() {
  auto first = environments_.Reset(rng_.Split("environments").Next());
  if (!first) return first.error();
  SeeObservations(std::move(*first));
  has_begun_ = true;
  return {};
}

Result<TrainReport> PpoTrainer::Iterate() {
  HONE_CHECK(!IsDone());
  if (!has_begun_) {
    if (auto begun = Begin(); !begun) return begun.error();
  }
  const auto rollout = Collect(StepsOfNextRollout());
  if (!rollout) return rollout.error();
  const Advantages advantages = EstimateAdvantages(*rollout, learner_.Values(observations_),
                                                   settings_.gamma, settings_.gae_lambda);
  const double progress_remaining =
      1 - static_cast<double>(steps_) / static_cast<double>(settings_.total_timesteps);
  const UpdateReport update =
      learner_.Update(*rollout, advantages, progress_remaining,
                      rng_.Split("update").Split(static_cast<std::uint64_t>(updates_)));
  ++updates_;
  return Report(update);
}

TrainReport PpoTrainer::Report(const UpdateReport& update) const {
  TrainReport report{.steps = steps_,
                     .updates = updates_,
                     .episodes = episodes_,
                     .mean_reward = std::nullopt,
                     .mean_length = std::nullopt,
                     .update = update};
  if (!last_rewards_.empty()) {
    report.mean_reward = MeanOf(std::vector<double>(last_rewards_.begin(), last_rewards_.end()));
    report.mean_length = MeanOf(std::vector<double>(last_lengths_.begin(), last_lengths_.end()));
  }
  return report;
}

std::vector<double> PpoTrainer::Decide(std::span<const double> observation) {
  const auto action =
      learner_.ActBest(Normalised(std::vector<double>(observation.begin(), observation.end())));
  std::vector<double> unit(action.size());
  learner_.distribution().ToUnit(action, unit);
  return unit;
}

TrainerState PpoTrainer::Save() {
  return {.network = learner_.network().Save(),
          .steps = steps_,
          .updates = updates_,
          .episodes = episodes_,
          .observation_statistics = observation_statistics_,
          .return_statistics = rewards_.statistics,
          .normaliser_returns = rewards_.returns,
          .episode_rewards = episode_rewards_,
          .episode_lengths = episode_lengths_,
          .last_rewards = {last_rewards_.begin(), last_rewards_.end()},
          .last_lengths = {last_lengths_.begin(), last_lengths_.end()},
          .environments = environments_.Position()};
}

Result<void> PpoTrainer::Load(const TrainerState& state) {
  const std::size_t width = environments_.size();
  if (state.normaliser_returns.size() != width || state.episode_rewards.size() != width ||
      state.episode_lengths.size() != width ||
      state.observation_statistics.mean.size() != observation_statistics_.mean.size()) {
    return Error{Errc::kInvalidArgument, "policy: saved with other environments than these"};
  }
  if (auto loaded = learner_.network().Load(state.network); !loaded) return loaded;
  steps_ = state.steps;
  updates_ = state.updates;
  episodes_ = state.episodes;
  observation_statistics_ = state.observation_statistics;
  rewards_.statistics = state.return_statistics;
  rewards_.returns = state.normaliser_returns;
  episode_rewards_ = state.episode_rewards;
  episode_lengths_ = state.episode_lengths;
  last_rewards_.assign(state.last_rewards.begin(), state.last_rewards.end());
  last_lengths_.assign(state.last_lengths.begin(), state.last_lengths.end());
  if (updates_ == 0) return {};
  auto observations = environments_.Restore(state.environments);
  if (!observations) return observations.error();
  observations_ = Normalised(std::move(*observations));
  has_begun_ = true;
  return {};
}

}  // namespace hone::learn

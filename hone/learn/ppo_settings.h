// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/learn/action_distribution.h"
#include "hone/learn/actor_critic.h"
#include "hone/learn/schedule.h"

namespace hone::learn {

// Every hyper-parameter of PPO in Stable-Baselines3, by its name there and with its default.
struct PpoSettings {
  Schedule learning_rate{3e-4};
  std::int64_t n_steps = 2048;  // Of each environment between two updates.
  std::int64_t batch_size = 64;
  std::int64_t n_epochs = 10;
  double gamma = 0.99;
  double gae_lambda = 0.95;
  Schedule clip_range{0.2};
  std::optional<Schedule> clip_range_vf;
  bool normalize_advantage = true;
  double ent_coef = 0;
  double vf_coef = 0.5;
  double max_grad_norm = 0.5;
  bool use_sde = false;
  std::int64_t sde_sample_freq =
      -1;  // Steps between two draws; -1: at the start of a rollout only.
  std::optional<double> target_kl;
  std::int64_t stats_window_size = 100;  // Episodes in the means that are reported.

  // Of the policy (policy_kwargs).
  std::vector<std::int64_t> net_arch = {64, 64};
  Activation activation_fn = Activation::kTanh;
  bool ortho_init = true;
  double log_std_init = 0;
  PolicyKind policy = PolicyKind::kGaussian;  // Of continuous actions; sde comes from use_sde too.
  double adam_eps = 1e-5;

  // Of the run.
  std::int64_t n_envs = 1;
  std::int64_t total_timesteps = 100'000;  // Kept to: the last rollout is shorter.
  bool norm_obs = false;                   // VecNormalize.
  bool norm_reward = false;
  Precision precision = Precision::kSingle;
  std::uint64_t seed = 1;

  PolicyKind KindOfPolicy() const;
};

// What a hyper-parameter is called, what it is for, and how it is read and written as text.
struct PpoOption {
  std::string name;
  std::string description;
  std::string allowed;
};
const std::vector<PpoOption>& PpoOptions();

// An Error names the option, what was found and what is allowed.
Result<void> SetPpoOption(PpoSettings& settings, const std::string& name, const std::string& text);
std::map<std::string, std::string> ToOptions(const PpoSettings& settings);
Result<void> Validate(const PpoSettings& settings);

// The settings of rl-baselines3-zoo for a classic control task; the defaults for any other.
PpoSettings ZooSettings(const std::string& environment);

// For a domain as an environment: every step costs runs, and none changes what the next is worth.
PpoSettings DomainSettings();

}  // namespace hone::learn

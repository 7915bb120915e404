// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/tuning_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hone::learn {
namespace {

// A campaign has tens of trials where a simulator gives millions of steps: small rollouts, large
// steps, and no discount, for a trial does not change what the next one is worth.
PpoSettings DefaultsFor(const tune::ProposerSettings& settings) {
  PpoSettings ppo;
  ppo.n_steps = 6;
  ppo.batch_size = 6;
  ppo.n_epochs = 10;
  ppo.learning_rate = {0.02, false};
  ppo.gamma = 0;
  ppo.gae_lambda = 1;
  ppo.clip_range = {0.3, false};
  ppo.max_grad_norm = 1;
  ppo.net_arch = {16};
  ppo.total_timesteps = std::max<std::int64_t>(settings.planned_trials, 1);
  if (settings.planned_trials <= 0) ppo.total_timesteps = 1'000'000'000;
  ppo.policy = PolicyKind::kBeta;
  ppo.seed = settings.seed;
  return ppo;
}

Result<std::int64_t> ParseSteps(const std::string& name, const std::string& text) {
  PpoSettings scratch;
  if (text == "0") return 0;
  if (!SetPpoOption(scratch, "n_steps", text)) {
    return Error{
        Errc::kInvalidArgument,
        fmt::format("{}: expected a whole number of at least 0, found \"{}\"", name, text)};
  }
  return scratch.n_steps;
}

// The policy to begin with, whose networks are then the default.
Result<void> ReadPolicyOption(const std::string& text, const Space& space, TuningOptions& options) {
  auto policy = ReadCampaignPolicy(text, "option initial_policy");
  if (!policy) return policy.error();
  if (const std::string why = WhyUnfit(policy->space, space); !why.empty()) {
    return Error{
        Errc::kInvalidArgument,
        fmt::format("option initial_policy: it was trained for other parameters: {}", why)};
  }
  options.ppo.net_arch = policy->net_arch;
  options.ppo.activation_fn = policy->activation_fn;
  options.ppo.precision = policy->precision;
  options.initial_policy = std::move(*policy);
  return {};
}

Result<void> CheckShape(const TuningOptions& options) {
  const CampaignPolicy& policy = *options.initial_policy;
  if (options.ppo.net_arch == policy.net_arch &&
      options.ppo.activation_fn == policy.activation_fn &&
      options.ppo.precision == policy.precision) {
    return {};
  }
  return Error{
      Errc::kInvalidArgument,
      "option initial_policy: it has other networks than net_arch, activation_fn and precision "
      "say; leave those away"};
}

}  // namespace

Result<TuningOptions> ReadTuningOptions(const tune::ProposerSettings& settings) {
  TuningOptions options;
  options.ppo = DefaultsFor(settings);
  if (const auto policy = settings.options.find("initial_policy");
      policy != settings.options.end()) {
    if (auto read = ReadPolicyOption(policy->second, settings.space, options); !read) {
      return read.error();
    }
  }
  for (const auto& [name, text] : settings.options) {
    if (name == "initial_policy") continue;
    if (name == "history") {
      options.history = text;
    } else if (name == "max_steps_per_episode" || name == "patience") {
      const auto steps = ParseSteps(name, text);
      if (!steps) return steps.error();
      (name == "patience" ? options.wait_timeout : options.steps_per_episode) = *steps;
    } else if (name == "n_envs" || name == "policy" || name == "use_sde" || name == "norm_obs" ||
               name == "norm_reward" || name == "sde_sample_freq") {
      return Error{
          Errc::kInvalidArgument,
          fmt::format("option {}: it has no meaning in a campaign, only in hone train", name)};
    } else if (auto set = SetPpoOption(options.ppo, name, text); !set) {
      return set.error();
    }
  }
  if (options.initial_policy) {
    if (auto fits = CheckShape(options); !fits) return fits.error();
  }
  return options;
}

}  // namespace hone::learn

// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/ppo_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>

#include "hone/core/nearest.h"

namespace hone::learn {
namespace {

struct Entry {
  PpoOption facts;
  std::function<Result<void>(PpoSettings&, const std::string&)> set;
  std::function<std::string(const PpoSettings&)> get;
};

Error Unexpected(const PpoOption& facts, const std::string& text) {
  return {Errc::kInvalidArgument,
          fmt::format("{}: expected {}, found \"{}\"", facts.name, facts.allowed, text)};
}

template <typename T>
std::optional<T> Parse(const std::string& text) {
  T number{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Entry Integer(std::string name, std::string description, std::int64_t PpoSettings::*field,
              std::int64_t min) {
  PpoOption facts{std::move(name), std::move(description),
                  fmt::format("a whole number of at least {}", min)};
  return {facts,
          [facts, field, min](PpoSettings& settings, const std::string& text) -> Result<void> {
            const auto number = Parse<std::int64_t>(text);
            if (!number || *number < min) return Unexpected(facts, text);
            settings.*field = *number;
            return {};
          },
          [field](const PpoSettings& settings) { return fmt::format("{}", settings.*field); }};
}

Entry Real(std::string name, std::string description, double PpoSettings::*field, double low,
           double high) {
  PpoOption facts{std::move(name), std::move(description),
                  fmt::format("a number from {} to {}", low, high)};
  return {
      facts,
      [facts, field, low, high](PpoSettings& settings, const std::string& text) -> Result<void> {
        const auto number = Parse<double>(text);
        if (!number || !(*number >= low && *number <= high)) return Unexpected(facts, text);
        settings.*field = *number;
        return {};
      },
      [field](const PpoSettings& settings) { return fmt::format("{}", settings.*field); }};
}

Entry Switch(std::string name, std::string description, bool PpoSettings::*field) {
  PpoOption facts{std::move(name), std::move(description), "true or false"};
  return {facts,
          [facts, field](PpoSettings& settings, const std::string& text) -> Result<void> {
            if (text != "true" && text != "false") return Unexpected(facts, text);
            settings.*field = text == "true";
            return {};
          },
          [field](const PpoSettings& settings) { return fmt::format("{}", settings.*field); }};
}

Entry Scheduled(std::string name, std::string description, Schedule PpoSettings::*field) {
  PpoOption facts{std::move(name), std::move(description), "a number, or lin_ and a number"};
  return {facts,
          [facts, field](PpoSettings& settings, const std::string& text) -> Result<void> {
            const auto schedule = ParseSchedule(facts.name, text);
            if (!schedule) return schedule.error();
            settings.*field = *schedule;
            return {};
          },
          [field](const PpoSettings& settings) { return ToText(settings.*field); }};
}

template <typename E>
Entry Choice(std::string name, std::string description, E PpoSettings::*field,
             std::vector<std::pair<std::string, E>> choices) {
  std::vector<std::string> names;
  names.reserve(choices.size());
  for (const auto& [word, value] : choices) names.push_back(word);
  PpoOption facts{std::move(name), std::move(description),
                  fmt::format("one of {}", fmt::join(names, ", "))};
  return {facts,
          [facts, field, choices](PpoSettings& settings, const std::string& text) -> Result<void> {
            for (const auto& [word, value] : choices) {
              if (word != text) continue;
              settings.*field = value;
              return {};
            }
            return Unexpected(facts, text);
          },
          [field, choices](const PpoSettings& settings) {
            for (const auto& [word, value] : choices) {
              if (settings.*field == value) return word;
            }
            return std::string();
          }};
}

Entry ClipRangeVf() {
  PpoOption facts{"clip_range_vf", "how far the value may move in one update",
                  "none, a number, or lin_ and a number"};
  return {facts,
          [](PpoSettings& settings, const std::string& text) -> Result<void> {
            settings.clip_range_vf.reset();
            if (text == "none") return {};
            const auto schedule = ParseSchedule("clip_range_vf", text);
            if (!schedule) return schedule.error();
            settings.clip_range_vf = *schedule;
            return {};
          },
          [](const PpoSettings& settings) {
            return settings.clip_range_vf ? ToText(*settings.clip_range_vf) : "none";
          }};
}

Entry TargetKl() {
  PpoOption facts{"target_kl", "ends an update early where the policy moved 1.5 times so far",
                  "none or a number above 0"};
  return {facts,
          [facts](PpoSettings& settings, const std::string& text) -> Result<void> {
            settings.target_kl.reset();
            if (text == "none") return {};
            const auto number = Parse<double>(text);
            if (!number || !(*number > 0)) return Unexpected(facts, text);
            settings.target_kl = *number;
            return {};
          },
          [](const PpoSettings& settings) {
            return settings.target_kl ? fmt::format("{}", *settings.target_kl) : "none";
          }};
}

Entry NetArch() {
  PpoOption facts{"net_arch", "widths of the hidden layers of both networks",
                  "widths from 1 to 4096 with commas between, such as 64,64"};
  return {facts,
          [facts](PpoSettings& settings, const std::string& text) -> Result<void> {
            std::vector<std::int64_t> widths;
            for (std::size_t at = 0; at <= text.size();) {
              const std::size_t comma = std::min(text.find(',', at), text.size());
              const auto width = Parse<std::int64_t>(text.substr(at, comma - at));
              if (!width || *width < 1 || *width > 4096) return Unexpected(facts, text);
              widths.push_back(*width);
              at = comma + 1;
            }
            settings.net_arch = std::move(widths);
            return {};
          },
          [](const PpoSettings& settings) {
            return fmt::format("{}", fmt::join(settings.net_arch, ","));
          }};
}

std::vector<Entry> MakeEntries() {
  using S = PpoSettings;
  return {
      Scheduled("learning_rate", "step size of Adam", &S::learning_rate),
      Integer("n_steps", "steps of each environment between two updates", &S::n_steps, 1),
      Integer("batch_size", "samples in a minibatch", &S::batch_size, 1),
      Integer("n_epochs", "passes over a rollout in an update", &S::n_epochs, 1),
      Real("gamma", "discount of what comes later", &S::gamma, 0, 1),
      Real("gae_lambda", "bias against variance of the advantages", &S::gae_lambda, 0, 1),
      Scheduled("clip_range", "how far a probability may move in one update", &S::clip_range),
      ClipRangeVf(),
      Switch("normalize_advantage", "advantages of a minibatch have mean 0, deviation 1",
             &S::normalize_advantage),
      Real("ent_coef", "weight of the entropy", &S::ent_coef, 0, 1e6),
      Real("vf_coef", "weight of the value's loss", &S::vf_coef, 0, 1e6),
      Real("max_grad_norm", "longest gradient", &S::max_grad_norm, 1e-12, 1e12),
      Switch("use_sde", "state-dependent exploration", &S::use_sde),
      Integer("sde_sample_freq", "steps between two draws of its noise; -1: each rollout",
              &S::sde_sample_freq, -1),
      TargetKl(),
      Integer("stats_window_size", "episodes in the reported means", &S::stats_window_size, 1),
      NetArch(),
      Choice<Activation>("activation_fn", "of the hidden layers", &S::activation_fn,
                         {{"tanh", Activation::kTanh}, {"relu", Activation::kRelu}}),
      Switch("ortho_init", "orthogonal initial weights", &S::ortho_init),
      Real("log_std_init", "initial log of the standard deviation", &S::log_std_init, -20, 10),
      Choice<PolicyKind>("policy", "how continuous actions are distributed", &S::policy,
                         {{"gaussian", PolicyKind::kGaussian},
                          {"squashed", PolicyKind::kSquashed},
                          {"beta", PolicyKind::kBeta},
                          {"sde", PolicyKind::kSde},
                          {"squashed_sde", PolicyKind::kSquashedSde}}),
      Real("adam_eps", "epsilon of Adam", &S::adam_eps, 0, 1),
      Integer("n_envs", "environments that run side by side", &S::n_envs, 1),
      Integer("total_timesteps", "steps of all environments together", &S::total_timesteps, 1),
      Switch("norm_obs", "observations are normalised by running statistics", &S::norm_obs),
      Switch("norm_reward", "rewards are normalised by the spread of returns", &S::norm_reward),
      Choice<Precision>("precision", "of the networks", &S::precision,
                        {{"single", Precision::kSingle}, {"double", Precision::kDouble}}),
  };
}

const std::vector<Entry>& Entries() {
  static const std::vector<Entry> entries = MakeEntries();
  return entries;
}

}  // namespace

PolicyKind PpoSettings::KindOfPolicy() const {
  if (!use_sde) return policy;
  return policy == PolicyKind::kSquashed || policy == PolicyKind::kSquashedSde
             ? PolicyKind::kSquashedSde
             : PolicyKind::kSde;
}

const std::vector<PpoOption>& PpoOptions() {
  static const std::vector<PpoOption> options = [] {
    std::vector<PpoOption> facts;
    for (const Entry& entry : Entries()) facts.push_back(entry.facts);
    return facts;
  }();
  return options;
}

Result<void> SetPpoOption(PpoSettings& settings, const std::string& name, const std::string& text) {
  std::vector<std::string> names;
  for (const Entry& entry : Entries()) {
    if (entry.facts.name == name) return entry.set(settings, text);
    names.push_back(entry.facts.name);
  }
  const auto nearest = Nearest(name, names);
  return Error{Errc::kInvalidArgument,
               fmt::format("option {}: ppo has none of this name{}; it has {}", name,
                           nearest ? fmt::format(", did you mean {}", *nearest) : "",
                           fmt::join(names, ", "))};
}

std::map<std::string, std::string> ToOptions(const PpoSettings& settings) {
  std::map<std::string, std::string> options;
  for (const Entry& entry : Entries()) options[entry.facts.name] = entry.get(settings);
  return options;
}

Result<void> Validate(const PpoSettings& settings) {
  if (settings.use_sde && settings.policy == PolicyKind::kBeta) {
    return Error{Errc::kInvalidArgument,
                 "use_sde: it goes with the policies gaussian, sde and squashed, not with beta"};
  }
  if (settings.sde_sample_freq == 0) {
    return Error{Errc::kInvalidArgument, "sde_sample_freq: expected -1 or at least 1, found 0"};
  }
  return {};
}

PpoSettings ZooSettings(const std::string& environment) {
  PpoSettings s;
  if (environment == "CartPole-v1") {
    s.n_envs = 8;
    s.n_steps = 32;
    s.batch_size = 256;
    s.n_epochs = 20;
    s.gamma = 0.98;
    s.gae_lambda = 0.8;
    s.learning_rate = {1e-3, true};
    s.clip_range = {0.2, true};
  } else if (environment == "Acrobot-v1" || environment == "MountainCar-v0") {
    const bool is_acrobot = environment == "Acrobot-v1";
    s.n_envs = 16;
    s.n_steps = is_acrobot ? 256 : 16;
    s.n_epochs = 4;
    s.gae_lambda = is_acrobot ? 0.94 : 0.98;
    s.norm_obs = s.norm_reward = true;
    s.total_timesteps = 1'000'000;
  } else if (environment == "MountainCarContinuous-v0") {
    s.n_steps = 8;
    s.batch_size = 256;
    s.gamma = 0.9999;
    s.gae_lambda = 0.9;
    s.learning_rate = {7.77e-5, false};
    s.clip_range = {0.1, false};
    s.ent_coef = 0.00429;
    s.vf_coef = 0.19;
    s.max_grad_norm = 5;
    s.use_sde = true;
    s.log_std_init = -3.29;
    s.ortho_init = false;
    s.norm_obs = s.norm_reward = true;
    s.total_timesteps = 20'000;
  } else if (environment == "Pendulum-v1") {
    s.n_envs = 4;
    s.n_steps = 1024;
    s.gamma = 0.9;
    s.learning_rate = {1e-3, false};
    s.use_sde = true;
    s.sde_sample_freq = 4;
  }
  return s;
}

PpoSettings DomainSettings() {
  PpoSettings s;
  s.n_steps = 64;
  s.gamma = 0;
  s.gae_lambda = 1;
  s.learning_rate = {3e-3, false};
  s.policy = PolicyKind::kBeta;
  s.total_timesteps = 10'000;
  return s;
}

}  // namespace hone::learn

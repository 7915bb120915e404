// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/ppo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "hone/base/temp_dir.h"
#include "hone/env/classic_control.h"
#include "hone/learn/policy_file.h"

namespace hone::learn {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<env::VectorEnvironment> Classic(const std::string& name, std::int64_t count) {
  std::vector<std::unique_ptr<env::Environment>> environments;
  for (std::int64_t i = 0; i < count; ++i) environments.push_back(*env::MakeClassicControl(name));
  return std::move(*env::VectorEnvironment::Make(std::move(environments), 1));
}

// One step an episode; the reward is best at an action inside the bounds.
class Bandit final : public env::Environment {
 public:
  explicit Bandit(double best) : best_(best) {
    facts_ = {.action_size = 1, .observations = {"nothing"}, .max_steps = 1, .actions = {{}}};
  }
  const env::EnvironmentFacts& Facts() const override { return facts_; }
  Result<std::vector<double>> Reset(std::uint64_t) override { return std::vector<double>{0}; }
  Result<env::Transition> Step(std::span<const double> action) override {
    env::Transition transition;
    transition.observation = {0};
    transition.reward = -(action[0] - best_) * (action[0] - best_);
    transition.is_terminated = true;
    return transition;
  }

 private:
  double best_;
  env::EnvironmentFacts facts_;
};

PpoSettings SmallSettings(const std::string& name, std::int64_t steps) {
  PpoSettings settings = ZooSettings(name);
  settings.total_timesteps = steps;
  return settings;
}

std::string Trained(const std::string& name, const PpoSettings& settings) {
  const auto environments = Classic(name, settings.n_envs);
  auto trainer = PpoTrainer::Make(settings, *environments);
  EXPECT_TRUE(trainer) << trainer.error().message;
  while (!(*trainer)->IsDone()) EXPECT_TRUE((*trainer)->Iterate());
  return ToText(PolicyFile{name, settings, (*trainer)->Save()});
}

TEST(PpoTest, TheFirstMinibatchOfEveryUpdateHasRatiosOfExactlyOne) {
  for (const std::string& name : env::ClassicControlNames()) {
    for (const Precision precision : {Precision::kSingle, Precision::kDouble}) {
      PpoSettings settings = SmallSettings(name, 2048);
      settings.n_steps = 512 / settings.n_envs;
      settings.precision = precision;
      const auto environments = Classic(name, settings.n_envs);
      const auto trainer = *PpoTrainer::Make(settings, *environments);
      while (!trainer->IsDone()) {
        EXPECT_EQ(trainer->Iterate()->update.first_ratio_error, 0) << name;
      }
    }
  }
}

TEST(PpoTest, TheSameSeedGivesTheSameRunBitForBit) {
  for (const std::string name : {"CartPole-v1", "Pendulum-v1", "Acrobot-v1"}) {
    PpoSettings settings = SmallSettings(name, 2000);
    settings.n_steps = std::min<std::int64_t>(settings.n_steps, 64);
    const std::string first = Trained(name, settings);
    EXPECT_EQ(Trained(name, settings), first) << name;
    settings.seed = 2;
    EXPECT_NE(Trained(name, settings), first) << name;
  }
}

TEST(PpoTest, AResumedRunEqualsOneThatWasNeverInterrupted) {
  for (const std::string name : {"CartPole-v1", "Acrobot-v1", "Pendulum-v1"}) {
    PpoSettings settings = SmallSettings(name, 3000);
    settings.n_steps = std::min<std::int64_t>(settings.n_steps, 64);
    const auto environments = Classic(name, settings.n_envs);
    auto trainer = *PpoTrainer::Make(settings, *environments);
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(trainer->Iterate());
    const auto read = ReadPolicy(ToText(PolicyFile{name, settings, trainer->Save()}), "copy");
    ASSERT_TRUE(read) << read.error().message;
    trainer.reset();

    const auto others = Classic(name, settings.n_envs);
    trainer = *PpoTrainer::Make(read->settings, *others);
    ASSERT_TRUE(trainer->Load(read->state));
    while (!trainer->IsDone()) ASSERT_TRUE(trainer->Iterate());
    EXPECT_EQ(ToText(PolicyFile{name, settings, trainer->Save()}), Trained(name, settings)) << name;
  }
}

TEST(PpoTest, NoMoreStepsAreTakenThanWereAskedFor) {
  PpoSettings settings = SmallSettings("CartPole-v1", 1001);
  const auto environments = Classic("CartPole-v1", settings.n_envs);
  const auto trainer = *PpoTrainer::Make(settings, *environments);
  std::int64_t steps = 0;
  while (!trainer->IsDone()) steps = trainer->Iterate()->steps;
  EXPECT_EQ(steps, 1000);  // A step of all eight would make it 1008.
}

class BanditTest : public ::testing::TestWithParam<PolicyKind> {};

TEST_P(BanditTest, AnOptimumInsideTheBoundsIsFoundAndNoBoundIsStuckTo) {
  constexpr double kBest = 0.3;
  std::vector<std::unique_ptr<env::Environment>> environments;
  environments.push_back(std::make_unique<Bandit>(kBest));
  const auto vector = *env::VectorEnvironment::Make(std::move(environments), 1);
  PpoSettings settings;
  settings.policy = GetParam();
  settings.n_steps = 256;
  settings.learning_rate = {3e-3, true};
  settings.total_timesteps = 20'000;
  const auto trainer = *PpoTrainer::Make(settings, *vector);
  double mean_reward = -1;
  while (!trainer->IsDone()) mean_reward = *trainer->Iterate()->mean_reward;
  EXPECT_NEAR(trainer->Decide(std::vector<double>{0}).front(), kBest, 0.05);
  EXPECT_GT(mean_reward, -0.02);  // So few of its samples lie at a bound.
}

INSTANTIATE_TEST_SUITE_P(Policies, BanditTest,
                         ::testing::Values(PolicyKind::kGaussian, PolicyKind::kSquashed,
                                           PolicyKind::kBeta));

TEST(PpoTest, ItLearnsToBalanceAPole) {
  PpoSettings settings = SmallSettings("CartPole-v1", 25'000);
  const auto environments = Classic("CartPole-v1", settings.n_envs);
  const auto trainer = *PpoTrainer::Make(settings, *environments);
  double reward = 0;
  while (!trainer->IsDone()) reward = trainer->Iterate()->mean_reward.value_or(0);
  EXPECT_GT(reward, 100);  // A random policy has 22.
}

TEST(PpoTest, AMoveThatIsTooFarEndsTheUpdate) {
  PpoSettings settings = SmallSettings("CartPole-v1", 2048);
  settings.target_kl = 1e-6;
  const auto environments = Classic("CartPole-v1", settings.n_envs);
  const auto trainer = *PpoTrainer::Make(settings, *environments);
  const auto report = trainer->Iterate();
  EXPECT_TRUE(report->update.was_stopped);
  EXPECT_LT(report->update.minibatches, settings.n_epochs);
}

TEST(PpoTest, SettingsThatDoNotFitAreRefused) {
  const auto environments = Classic("CartPole-v1", 2);
  PpoSettings settings;
  settings.n_envs = 3;
  EXPECT_THAT(PpoTrainer::Make(settings, *environments).error().message, HasSubstr("n_envs"));
  settings.n_envs = 2;
  settings.total_timesteps = 1;
  EXPECT_FALSE(PpoTrainer::Make(settings, *environments));
  settings.total_timesteps = 100;
  settings.use_sde = true;
  settings.policy = PolicyKind::kBeta;
  EXPECT_FALSE(PpoTrainer::Make(settings, *environments));
}

TEST(PpoSettingsTest, EveryOptionIsReadAsItIsWritten) {
  PpoSettings settings = ZooSettings("MountainCarContinuous-v0");
  settings.clip_range_vf = Schedule{0.25, true};
  settings.target_kl = 0.01;
  settings.net_arch = {32, 16, 8};
  PpoSettings copy;
  for (const auto& [name, text] : ToOptions(settings)) {
    EXPECT_TRUE(SetPpoOption(copy, name, text)) << name << "=" << text;
  }
  EXPECT_EQ(ToOptions(copy), ToOptions(settings));
}

TEST(PpoSettingsTest, TheDefaultsAreThoseOfStableBaselines3) {
  const auto defaults = ToOptions(PpoSettings());
  const std::map<std::string, std::string> expected = {
      {"learning_rate", "0.0003"}, {"n_steps", "2048"},         {"batch_size", "64"},
      {"n_epochs", "10"},          {"gamma", "0.99"},           {"gae_lambda", "0.95"},
      {"clip_range", "0.2"},       {"clip_range_vf", "none"},   {"normalize_advantage", "true"},
      {"ent_coef", "0"},           {"vf_coef", "0.5"},          {"max_grad_norm", "0.5"},
      {"use_sde", "false"},        {"sde_sample_freq", "-1"},   {"target_kl", "none"},
      {"net_arch", "64,64"},       {"activation_fn", "tanh"},   {"ortho_init", "true"},
      {"log_std_init", "0"},       {"stats_window_size", "100"}};
  for (const auto& [name, text] : expected) EXPECT_EQ(defaults.at(name), text) << name;
}

TEST(PpoSettingsTest, AMistakeIsNamedWithWhatIsAllowed) {
  PpoSettings settings;
  EXPECT_EQ(SetPpoOption(settings, "batch_size", "many").error().message,
            "batch_size: expected a whole number of at least 1, found \"many\"");
  EXPECT_THAT(SetPpoOption(settings, "bach_size", "8").error().message,
              HasSubstr("did you mean batch_size"));
  EXPECT_FALSE(SetPpoOption(settings, "learning_rate", "lin_"));
  EXPECT_FALSE(SetPpoOption(settings, "net_arch", "64,,64"));
  EXPECT_FALSE(SetPpoOption(settings, "gamma", "nan"));
}

TEST(PolicyFileTest, AFileThatWasChangedIsNoticed) {
  const std::string text = Trained("CartPole-v1", SmallSettings("CartPole-v1", 256));
  EXPECT_TRUE(ReadPolicy(text, "policy"));
  for (std::size_t at = 0; at < text.size(); at += 997) {
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    const auto read = ReadPolicy(changed, "policy");
    if (read) continue;  // A letter of a name that nothing depends on.
    EXPECT_EQ(read.error().code, Errc::kCorrupt);
  }
  for (const std::size_t size : {std::size_t{0}, text.size() / 2, text.size() - 1}) {
    EXPECT_EQ(ReadPolicy(text.substr(0, size), "policy").error().code, Errc::kCorrupt);
  }
  std::string last = text;
  last.back() = static_cast<char>(last.back() ^ 1);
  EXPECT_THAT(ReadPolicy(last, "policy").error().message, HasSubstr("not those that were written"));
}

TEST(PolicyFileTest, ASavedPolicyIsLoadedFromItsFile) {
  const auto folder = TempDir::Make("policy");
  ASSERT_TRUE(folder);
  const std::string text = Trained("CartPole-v1", SmallSettings("CartPole-v1", 256));
  const auto path = folder->path() / "cartpole.policy";
  ASSERT_TRUE(SavePolicy(*ReadPolicy(text, "policy"), path));
  EXPECT_EQ(ToText(*LoadPolicy(path)), text);
  EXPECT_EQ(LoadPolicy(folder->path() / "none").error().code, Errc::kNotFound);
}

TEST(RunningStatisticsTest, BatchesGiveWhatAllRowsGive) {
  Rng rng(1);
  RunningStatistics running(2);
  std::vector<double> all;
  for (int batch = 0; batch < 50; ++batch) {
    std::vector<double> rows;
    for (int i = 0; i < 8; ++i) rows.insert(rows.end(), {3 + rng.Normal(), 10 * rng.Normal()});
    running.Update(rows);
    all.insert(all.end(), rows.begin(), rows.end());
  }
  RunningStatistics once(2);
  once.Update(all);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(running.mean[j], once.mean[j], 1e-9);
    EXPECT_NEAR(running.variance[j], once.variance[j], 1e-9);
  }
  EXPECT_NEAR(running.mean[0], 3, 0.2);
}

}  // namespace
}  // namespace hone::learn

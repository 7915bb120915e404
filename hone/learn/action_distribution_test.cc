// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/action_distribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>
#include <string>

#include "hone/learn/special_functions.h"

namespace hone::learn {
namespace {

constexpr std::size_t kFeatures = 4;

// A distribution with what decides it, to be changed by tests.
struct Subject {
  explicit Subject(ActionDistribution made) : distribution(std::move(made)) {
    Rng rng(5);
    const auto fill = [&rng](std::vector<double>& to, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) to.push_back(0.5 * rng.Normal());
    };
    fill(outputs, distribution.output_count());
    fill(logs, distribution.free_count());
    fill(features, kFeatures);
    Exponentiate();
    noise.resize(distribution.noise_count());
    distribution.DrawNoise(Free(), noise, rng);
    action.resize(distribution.size());
    distribution.Sample(Row(), Free(), rng, action);
  }

  void Exponentiate() {
    spreads.clear();
    for (const double log : logs) spreads.push_back(std::exp(log));
  }
  PolicyRow Row() const {
    return {.outputs = outputs, .features = features, .noise = noise, .mask = mask};
  }
  FreeParameters Free() const { return {.logs = logs, .spreads = spreads}; }
  double Loss() {
    Exponentiate();
    const LogTerms terms = distribution.Evaluate(Row(), Free(), action);
    return 0.7 * terms.log_prob + 0.3 * terms.entropy;
  }

  ActionDistribution distribution;
  std::vector<double> outputs;
  std::vector<double> logs;
  std::vector<double> spreads;
  std::vector<double> features;
  std::vector<double> noise;
  std::vector<double> mask;
  std::vector<double> action;
};

ActionDistribution Of(PolicyKind kind) {
  return DistributionFor({.action_size = 3,
                          .observations = {},
                          .max_steps = 1,
                          .actions = {{.low = -2, .high = 2}, {.choices = 4}, {}}},
                         kind, kFeatures, -0.5);
}

void ExpectGradientsEqualFiniteDifferences(Subject& subject) {
  std::vector<double> by_outputs(subject.outputs.size(), 0);
  std::vector<double> by_free(subject.logs.size(), 0);
  subject.distribution.Differentiate(subject.Row(), subject.Free(), subject.action, 0.7, 0.3,
                                     by_outputs, by_free);
  const auto expect = [&](double& number, double gradient) {
    constexpr double kStep = 1e-6;
    const double start = number;
    number = start + kStep;
    const double above = subject.Loss();
    number = start - kStep;
    const double below = subject.Loss();
    number = start;
    EXPECT_NEAR(gradient, (above - below) / (2 * kStep), 2e-7);
  };
  for (std::size_t i = 0; i < by_outputs.size(); ++i) expect(subject.outputs[i], by_outputs[i]);
  for (std::size_t i = 0; i < by_free.size(); ++i) expect(subject.logs[i], by_free[i]);
}

class DistributionTest : public ::testing::TestWithParam<PolicyKind> {};

TEST_P(DistributionTest, GradientsEqualFiniteDifferences) {
  Subject subject(Of(GetParam()));
  ExpectGradientsEqualFiniteDifferences(subject);
  subject.mask = {1, 1, 0, 1, 1, 0, 1};  // The last part does not exist, the third choice neither.
  subject.action[1] = 1;
  ExpectGradientsEqualFiniteDifferences(subject);
}

TEST_P(DistributionTest, ProbabilitiesOfWhatIsDrawnAddUpToOne) {
  Subject subject(ActionDistribution(DistributionFor(
      {.action_size = 1, .observations = {}, .max_steps = 1, .actions = {{.low = -2, .high = 2}}},
      GetParam(), kFeatures, -0.5)));
  const bool is_beta = GetParam() == PolicyKind::kBeta;
  const bool is_squashed =
      GetParam() == PolicyKind::kSquashed || GetParam() == PolicyKind::kSquashedSde;
  const double low = is_beta ? 0 : -14;
  const double high = is_beta ? 1 : 14;
  constexpr int kSteps = 200'000;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    subject.action[0] = low + (high - low) * (i + 0.5) / kSteps;
    double density = std::exp(
        subject.distribution.Evaluate(subject.Row(), subject.Free(), subject.action).log_prob);
    if (is_squashed) density *= 1 - std::pow(std::tanh(subject.action[0]), 2);
    sum += density * (high - low) / kSteps;
  }
  EXPECT_NEAR(sum, 1, 1e-4);
}

TEST_P(DistributionTest, UnitsOfSamplesLieInTheUnitCube) {
  Subject subject(Of(GetParam()));
  Rng rng(9);
  for (int i = 0; i < 500; ++i) {
    subject.distribution.DrawNoise(subject.Free(), subject.noise, rng);
    subject.distribution.Sample(subject.Row(), subject.Free(), rng, subject.action);
    std::vector<double> unit(3);
    subject.distribution.ToUnit(subject.action, unit);
    for (const double u : unit) EXPECT_TRUE(u >= 0 && u <= 1);
    EXPECT_TRUE(std::isfinite(subject.Loss()));
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, DistributionTest,
                         ::testing::Values(PolicyKind::kGaussian, PolicyKind::kSde,
                                           PolicyKind::kSquashedSde, PolicyKind::kSquashed,
                                           PolicyKind::kBeta));

TEST(CategoryPartTest, AChoiceThatIsNotAllowedIsNeverTaken) {
  const auto part = MakeCategoryPart(4);
  const std::vector<double> logits = {3, 0, 0, 1};
  const std::vector<double> allowed = {0, 1, 0, 1};
  const PartInput input{.outputs = logits,
                        .free = {},
                        .spreads = {},
                        .features = {},
                        .noise = {},
                        .allowed = allowed};
  Rng rng(1);
  std::set<double> taken;
  for (int i = 0; i < 300; ++i) taken.insert(part->Sample(input, rng));
  EXPECT_THAT(taken, ::testing::ElementsAre(1, 3));
  EXPECT_EQ(part->Mode(input), 3);
  EXPECT_NEAR(
      std::exp(part->Evaluate(input, 1).log_prob) + std::exp(part->Evaluate(input, 3).log_prob), 1,
      1e-12);
}

TEST(BetaPartTest, SamplesHaveTheMeanOfTheDistributionAndKeepOffTheBounds) {
  const auto part = MakeBetaPart();
  const std::vector<double> outputs = {1.5, -0.5};
  const PartInput input{
      .outputs = outputs, .free = {}, .spreads = {}, .features = {}, .noise = {}, .allowed = {}};
  const double a = 1 + Softplus(1.5);
  const double b = 1 + Softplus(-0.5);
  Rng rng(1);
  double sum = 0;
  int at_a_bound = 0;
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) {
    const double x = part->Sample(input, rng);
    sum += x;
    at_a_bound += x < 1e-3 || x > 1 - 1e-3 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kDraws, a / (a + b), 0.006);
  EXPECT_LT(at_a_bound, kDraws / 100);
}

TEST(SpecialFunctionsTest, KnownValues) {
  EXPECT_NEAR(Digamma(1), -0.57721566490153286, 1e-14);
  EXPECT_NEAR(Digamma(0.5), -1.9635100260214235, 1e-13);
  EXPECT_NEAR(Digamma(30), 3.384438132685525, 1e-13);
  EXPECT_NEAR(Trigamma(1), 1.6449340668482264, 1e-13);
  EXPECT_NEAR(Trigamma(0.5), 4.934802200544679, 1e-12);
  EXPECT_NEAR(LogGamma(0.5), 0.57236494292470008, 1e-14);
  EXPECT_EQ(Softplus(800), 800);
  EXPECT_NEAR(Sigmoid(-800), 0, 1e-300);
}

}  // namespace
}  // namespace hone::learn

// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/actor_critic.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hone::learn {
namespace {

constexpr std::size_t kRows = 6;

ActorCriticShape SmallShape(Activation activation, Precision precision) {
  return {.observations = 3,
          .policy_outputs = 2,
          .free_count = 2,
          .hidden = {5, 4},
          .activation = activation,
          .precision = precision};
}

std::vector<double> Normals(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> numbers(count);
  for (double& number : numbers) number = rng.Normal();
  return numbers;
}

// Some scalar of everything that the networks say.
double Loss(ActorCritic& net, const std::vector<double>& observations) {
  net.Forward(observations);
  double sum = 0;
  for (std::size_t row = 0; row < kRows; ++row) {
    const double weight = 1 + static_cast<double>(row);
    sum += weight * net.Outputs(row)[0] * net.Outputs(row)[1] + std::sin(net.ValueOf(row)) * weight;
  }
  return sum + net.free().logs[0] * net.free().logs[1];
}

void Differentiate(ActorCritic& net, const std::vector<double>& observations) {
  net.Forward(observations);
  std::vector<double> by_outputs;
  std::vector<double> by_values;
  for (std::size_t row = 0; row < kRows; ++row) {
    const double weight = 1 + static_cast<double>(row);
    by_outputs.push_back(weight * net.Outputs(row)[1]);
    by_outputs.push_back(weight * net.Outputs(row)[0]);
    by_values.push_back(weight * std::cos(net.ValueOf(row)));
  }
  const std::vector<double> by_free = {net.free().logs[1], net.free().logs[0]};
  net.Backward(by_outputs, by_values, by_free);
}

class ActorCriticTest : public ::testing::TestWithParam<Activation> {};

TEST_P(ActorCriticTest, GradientsEqualFiniteDifferences) {
  const auto net = MakeActorCritic(SmallShape(GetParam(), Precision::kDouble));
  net->Initialise(false, std::vector<double>{0.3, -0.7}, Rng(1));
  const auto observations = Normals(kRows * 3, 2);
  Differentiate(*net, observations);
  const auto gradient = net->ListedGradient();
  const auto start = net->Listed();
  for (std::size_t i = 0; i < start.size(); ++i) {
    constexpr double kStep = 1e-5;
    auto moved = start;
    moved[i] = start[i] + kStep;
    net->SetListed(moved);
    const double above = Loss(*net, observations);
    moved[i] = start[i] - kStep;
    net->SetListed(moved);
    const double below = Loss(*net, observations);
    EXPECT_NEAR(gradient[i], (above - below) / (2 * kStep), 1e-6) << "parameter " << i;
  }
}

TEST_P(ActorCriticTest, SinglePrecisionFollowsDoublePrecision) {
  const auto single = MakeActorCritic(SmallShape(GetParam(), Precision::kSingle));
  const auto twofold = MakeActorCritic(SmallShape(GetParam(), Precision::kDouble));
  const auto observations = Normals(kRows * 3, 2);
  for (ActorCritic* net : {single.get(), twofold.get()}) {
    net->Initialise(true, std::vector<double>{0.3, -0.7}, Rng(1));
    for (int i = 0; i < 10; ++i) {
      Differentiate(*net, observations);
      net->Step(1e-2, 0.5);
    }
  }
  const auto a = single->Listed();
  const auto b = twofold->Listed();
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 2e-3);
}

INSTANTIATE_TEST_SUITE_P(Activations, ActorCriticTest,
                         ::testing::Values(Activation::kTanh, Activation::kRelu));

TEST(ActorCriticTest, OrthogonalLayersHaveOrthonormalColumnsTimesTheGain) {
  const auto net = MakeActorCritic({.observations = 4,
                                    .policy_outputs = 2,
                                    .free_count = 0,
                                    .hidden = {8, 8},
                                    .precision = Precision::kDouble});
  net->Initialise(true, {}, Rng(3));
  const auto listed = net->Listed();
  const auto second = std::span(listed).subspan(4 * 8 + 8, 64);  // A row an output.
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < 8; ++j) {
      double product = 0;
      for (std::size_t k = 0; k < 8; ++k) product += second[i * 8 + k] * second[j * 8 + k];
      EXPECT_NEAR(product, i == j ? 2 : 0, 1e-12);
    }
  }
  const auto head = std::span(listed).subspan(4 * 8 + 8 + 64 + 8, 16);
  double square = 0;
  for (std::size_t k = 0; k < 8; ++k) square += head[k] * head[k];
  EXPECT_NEAR(square, 0.0001, 1e-12);
}

TEST(ActorCriticTest, ASavedNetworkGoesOnAsIfNothingHadHappened) {
  const auto shape = SmallShape(Activation::kTanh, Precision::kSingle);
  const auto observations = Normals(kRows * 3, 2);
  const auto net = MakeActorCritic(shape);
  net->Initialise(true, std::vector<double>{0, 0}, Rng(1));
  const auto train = [&](ActorCritic& any) {
    for (int i = 0; i < 5; ++i) {
      Differentiate(any, observations);
      any.Step(1e-2, 0.5);
    }
  };
  train(*net);
  const auto copy = MakeActorCritic(shape);
  ASSERT_TRUE(copy->Load(net->Save()));
  train(*net);
  train(*copy);
  EXPECT_EQ(net->Save(), copy->Save());
  auto other = shape;
  other.hidden = {64};
  EXPECT_FALSE(MakeActorCritic(other)->Load(net->Save()));
}

TEST(ActorCriticTest, AGradientThatIsTooLongIsScaledDown) {
  const auto shape = SmallShape(Activation::kTanh, Precision::kDouble);
  const auto observations = Normals(kRows * 3, 2);
  const auto net = MakeActorCritic(shape, {.epsilon = 1e3});  // So that steps show the length.
  net->Initialise(true, std::vector<double>{0, 0}, Rng(1));
  const auto length_of_step = [&](double max_norm) {
    const auto state = net->Save();
    Differentiate(*net, observations);
    net->Step(1, max_norm);
    double square = 0;
    for (std::size_t i = 0; i < state.parameters.size(); ++i) {
      square += std::pow(net->Save().parameters[i] - state.parameters[i], 2);
    }
    EXPECT_TRUE(net->Load(state));
    return std::sqrt(square) * 1e3;
  };
  EXPECT_NEAR(length_of_step(0.25), 0.25, 1e-3);
  EXPECT_GT(length_of_step(1e9), 1);
}

}  // namespace
}  // namespace hone::learn

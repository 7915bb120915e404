// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "hone/core/rng.h"
#include "hone/domains/compute/judge/timing.h"
#include "hone/domains/compute/problem/input_data.h"
#include "hone/domains/compute/problem/problem.h"
#include "hone/domains/compute/runner/fake_runner_for_test.h"
#include "hone/testing/fake_clock.h"

// Candidate and reference on runners with a clock of their own.
namespace hone::compute {

class TimingTest : public ::testing::Test {
 protected:
  using Behaviour = FakeRunner::Behaviour;

  static void Add(std::span<const Tensor> inputs, Tensors& outputs) {
    const auto a = inputs[0].As<float>();
    const auto b = inputs[1].As<float>();
    for (std::size_t i = 0; i < a.size(); ++i) outputs[0].As<float>()[i] = a[i] + b[i];
  }

  TimingTest() {
    order_.sizes = {{"n", 64}};
    order_.outputs = {problem_.outputs[0].At(order_.sizes)};
    order_.tolerances = {{{1e-6, 1e-6}}};
    order_.draw = [this](std::size_t variant, Rng& rng) -> Result<Tensors> {
      return DrawInputs(problem_, order_.sizes, variant, Rng(rng.Next()));
    };
    order_.secret = [this] { return secrets_.Next(); };
    order_.clock = &clock_;
    order_.deadline = clock_.Now() + std::chrono::hours{1};
    order_.budget = std::chrono::milliseconds{50};
  }

  TimingReport Measure(FakeRunner::Behave candidate, FakeRunner::Behave reference,
                       FakeRunner::Kernel kernel = Add) {
    candidate_ = std::make_unique<FakeRunner>(clock_, std::move(kernel), std::move(candidate));
    reference_ = std::make_unique<FakeRunner>(clock_, Add, std::move(reference));
    if (order_.seals) candidate_->WorkOnADevice();
    if (order_.seals) reference_->WorkOnADevice();
    auto report = MeasureTimes(*candidate_, *reference_, order_);
    EXPECT_TRUE(report) << report.error().message;
    return report ? std::move(*report) : TimingReport{};
  }

  static FakeRunner::Behave Always(Behaviour behaviour) {
    return [behaviour](std::int64_t) { return behaviour; };
  }

  // Noise of so many per cent, from a stream of its own.
  FakeRunner::Behave Noisy(double time, double share) {
    const auto noise = std::make_shared<Rng>(secrets_.Next());
    return [=](std::int64_t) { return Behaviour{time * std::exp(share * noise->Normal())}; };
  }

  FakeClock clock_;
  Rng secrets_{1};
  Problem problem_ = FindProblem("vector_add").value();
  TimingOrder order_{problem_};
  std::unique_ptr<FakeRunner> candidate_;
  std::unique_ptr<FakeRunner> reference_;
};

}  // namespace hone::compute

// SPDX-License-Identifier: Apache-2.0
#include "hone/env/classic_physics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace hone::env {
namespace {

constexpr double kPi = std::numbers::pi;

// Into [-pi, pi].
double Wrapped(double angle) { return angle - 2 * kPi * std::floor((angle + kPi) / (2 * kPi)); }

// Barto, Sutton and Anderson, 1983.
class CartPole final : public ClassicPhysics {
 public:
  void Begin(Rng rng) override {
    for (double* number : {&x_, &speed_, &angle_, &spin_}) *number = rng.Uniform(-0.05, 0.05);
  }

  Motion Advance(double action) override {
    const double force = action == 1 ? kForce : -kForce;
    const double sine = std::sin(angle_);
    const double cosine = std::cos(angle_);
    const double push = (force + kPoleMoment * spin_ * spin_ * sine) / kMass;
    const double spin_change = (kGravity * sine - cosine * push) /
                               (kHalfLength * (4.0 / 3.0 - kPoleMass * cosine * cosine / kMass));
    const double speed_change = push - kPoleMoment * spin_change * cosine / kMass;
    x_ += kStep * speed_;
    speed_ += kStep * speed_change;
    angle_ += kStep * spin_;
    spin_ += kStep * spin_change;
    return {.reward = 1, .is_terminated = std::abs(x_) > kFarthest || std::abs(angle_) > kSteepest};
  }

  std::vector<double> Observe() const override { return {x_, speed_, angle_, spin_}; }

 private:
  static constexpr double kGravity = 9.8;
  static constexpr double kPoleMass = 0.1;
  static constexpr double kMass = 1.0 + kPoleMass;
  static constexpr double kHalfLength = 0.5;
  static constexpr double kPoleMoment = kPoleMass * kHalfLength;
  static constexpr double kForce = 10;
  static constexpr double kStep = 0.02;
  static constexpr double kFarthest = 2.4;
  static constexpr double kSteepest = 12 * kPi / 180;

  double x_ = 0;
  double speed_ = 0;
  double angle_ = 0;
  double spin_ = 0;
};

// Moore, 1990: a car that is too weak for the slope, with three gears or with any force.
class MountainCar final : public ClassicPhysics {
 public:
  explicit MountainCar(bool is_continuous) : is_continuous_(is_continuous) {}

  void Begin(Rng rng) override {
    x_ = rng.Uniform(-0.6, -0.4);
    speed_ = 0;
  }

  Motion Advance(double action) override {
    const double force = is_continuous_ ? action * 0.0015 : (action - 1) * 0.001;
    speed_ = std::clamp(speed_ + force - 0.0025 * std::cos(3 * x_), -0.07, 0.07);
    x_ = std::clamp(x_ + speed_, kLeft, 0.6);
    if (x_ == kLeft && speed_ < 0) speed_ = 0;
    const bool is_there = x_ >= (is_continuous_ ? 0.45 : 0.5) && speed_ >= 0;
    if (!is_continuous_) return {.reward = -1, .is_terminated = is_there};
    return {.reward = (is_there ? 100 : 0) - 0.1 * action * action, .is_terminated = is_there};
  }

  std::vector<double> Observe() const override { return {x_, speed_}; }

 private:
  static constexpr double kLeft = -1.2;

  bool is_continuous_;
  double x_ = 0;
  double speed_ = 0;
};

class Pendulum final : public ClassicPhysics {
 public:
  void Begin(Rng rng) override {
    angle_ = rng.Uniform(-kPi, kPi);
    spin_ = rng.Uniform(-1, 1);
  }

  Motion Advance(double torque) override {
    const double upright = Wrapped(angle_);
    const double cost = upright * upright + 0.1 * spin_ * spin_ + 0.001 * torque * torque;
    spin_ += (1.5 * kGravity * std::sin(angle_) + 3 * torque) * kStep;
    spin_ = std::clamp(spin_, -kFastest, kFastest);
    angle_ += spin_ * kStep;
    return {.reward = -cost, .is_terminated = false};
  }

  std::vector<double> Observe() const override {
    return {std::cos(angle_), std::sin(angle_), spin_};
  }

 private:
  static constexpr double kGravity = 10;
  static constexpr double kStep = 0.05;
  static constexpr double kFastest = 8;

  double angle_ = 0;
  double spin_ = 0;
};

// Sutton and Barto, 1998: two links, torque on the joint between them, all masses and lengths 1.
class Acrobot final : public ClassicPhysics {
 public:
  void Begin(Rng rng) override {
    for (double& number : state_) number = rng.Uniform(-0.1, 0.1);
  }

  // One step of the classic Runge-Kutta method.
  Motion Advance(double action) override {
    const double torque = action - 1;
    const State k1 = Change(state_, torque);
    const State k2 = Change(Moved(k1, kStep / 2), torque);
    const State k3 = Change(Moved(k2, kStep / 2), torque);
    const State k4 = Change(Moved(k3, kStep), torque);
    for (std::size_t i = 0; i < state_.size(); ++i) {
      state_[i] += kStep / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
    state_[0] = Wrapped(state_[0]);
    state_[1] = Wrapped(state_[1]);
    state_[2] = std::clamp(state_[2], -4 * kPi, 4 * kPi);
    state_[3] = std::clamp(state_[3], -9 * kPi, 9 * kPi);
    const bool is_up = -std::cos(state_[0]) - std::cos(state_[1] + state_[0]) > 1;
    return {.reward = is_up ? 0.0 : -1.0, .is_terminated = is_up};
  }

  std::vector<double> Observe() const override {
    return {std::cos(state_[0]), std::sin(state_[0]), std::cos(state_[1]),
            std::sin(state_[1]), state_[2],           state_[3]};
  }

 private:
  using State = std::array<double, 4>;  // Two angles and their speeds.
  static constexpr double kStep = 0.2;
  static constexpr double kGravity = 9.8;
  static constexpr double kCentre = 0.5;  // Of mass, from the joint.
  static constexpr double kInertia = 1;

  State Moved(const State& change, double by) const {
    State moved = state_;
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += by * change[i];
    return moved;
  }

  static State Change(const State& s, double torque) {
    const double sine = std::sin(s[1]);
    const double cosine = std::cos(s[1]);
    const double d1 =
        kCentre * kCentre + (1 + kCentre * kCentre + 2 * kCentre * cosine) + 2 * kInertia;
    const double d2 = kCentre * kCentre + kCentre * cosine + kInertia;
    const double phi2 = kCentre * kGravity * std::cos(s[0] + s[1] - kPi / 2);
    const double phi1 = -kCentre * s[3] * s[3] * sine - 2 * kCentre * s[3] * s[2] * sine +
                        (kCentre + 1) * kGravity * std::cos(s[0] - kPi / 2) + phi2;
    const double second = (torque + d2 / d1 * phi1 - kCentre * s[2] * s[2] * sine - phi2) /
                          (kCentre * kCentre + kInertia - d2 * d2 / d1);
    const double first = -(d2 * second + phi1) / d1;
    return {s[2], s[3], first, second};
  }

  State state_ = {};
};

template <typename Physics, auto... Arguments>
std::unique_ptr<ClassicPhysics> Make() {
  return std::make_unique<Physics>(Arguments...);
}

}  // namespace

const std::vector<ClassicTask>& ClassicTasks() {
  static const std::vector<ClassicTask> tasks = {
      {"Acrobot-v1",
       {"cos first", "sin first", "cos second", "sin second", "speed first", "speed second"},
       {.choices = 3},
       500,
       Make<Acrobot>},
      {"CartPole-v1",
       {"position", "speed", "angle", "angular speed"},
       {.choices = 2},
       500,
       Make<CartPole>},
      {"MountainCar-v0", {"position", "speed"}, {.choices = 3}, 200, Make<MountainCar, false>},
      {"MountainCarContinuous-v0",
       {"position", "speed"},
       {.low = -1, .high = 1},
       999,
       Make<MountainCar, true>},
      {"Pendulum-v1",
       {"cos angle", "sin angle", "angular speed"},
       {.low = -2, .high = 2},
       200,
       Make<Pendulum>},
  };
  return tasks;
}

}  // namespace hone::env

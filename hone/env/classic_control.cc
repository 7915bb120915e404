// SPDX-License-Identifier: Apache-2.0
#include "hone/env/classic_control.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "hone/env/classic_physics.h"

namespace hone::env {
namespace {

class ClassicEnvironment final : public Environment {
 public:
  explicit ClassicEnvironment(const ClassicTask& task)
      : name_(task.name), action_(task.action), physics_(task.make()) {
    facts_ = {.action_size = 1,
              .observations = task.observations,
              .max_steps = task.max_steps,
              .actions = {task.action}};
  }

  const EnvironmentFacts& Facts() const override { return facts_; }

  Result<std::vector<double>> Reset(std::uint64_t seed) override {
    physics_->Begin(Rng(seed).Split(name_));
    steps_ = 0;
    is_going_on_ = true;
    return physics_->Observe();
  }

  Result<Transition> Step(std::span<const double> action) override {
    if (!is_going_on_) return Invalid("no episode is going on; call Reset");
    if (action.size() != 1 || !std::isfinite(action[0])) {
      return Invalid("an action is one finite number");
    }
    const Motion motion = physics_->Advance(OwnUnit(std::clamp(action[0], 0.0, 1.0)));
    ++steps_;
    Transition transition;
    transition.observation = physics_->Observe();
    transition.reward = motion.reward;
    transition.is_terminated = motion.is_terminated;
    transition.is_truncated = !motion.is_terminated && steps_ >= facts_.max_steps;
    is_going_on_ = !transition.IsEnd();
    return transition;
  }

 private:
  double OwnUnit(double unit) const {
    if (action_.choices == 0) return action_.low + unit * (action_.high - action_.low);
    const auto choices = static_cast<double>(action_.choices);
    return std::min(std::floor(unit * choices), choices - 1);
  }

  Error Invalid(std::string_view message) const {
    return {Errc::kInvalidArgument, fmt::format("environment {}: {}", name_, message)};
  }

  const std::string name_;
  const ActionCoordinate action_;
  EnvironmentFacts facts_;
  std::unique_ptr<ClassicPhysics> physics_;
  std::int64_t steps_ = 0;
  bool is_going_on_ = false;
};

}  // namespace

Result<std::unique_ptr<VectorEnvironment>> MakeClassicControls(const std::string& name,
                                                               std::int64_t count) {
  std::vector<std::unique_ptr<Environment>> environments;
  for (std::int64_t i = 0; i < count; ++i) {
    auto environment = MakeClassicControl(name);
    if (!environment) return environment.error();
    environments.push_back(std::move(*environment));
  }
  return VectorEnvironment::Make(std::move(environments), 1);
}

std::vector<std::string> ClassicControlNames() {
  std::vector<std::string> names;
  names.reserve(ClassicTasks().size());
  for (const ClassicTask& task : ClassicTasks()) names.push_back(task.name);
  return names;
}

Result<std::unique_ptr<Environment>> MakeClassicControl(const std::string& name) {
  for (const ClassicTask& task : ClassicTasks()) {
    if (task.name == name) return std::make_unique<ClassicEnvironment>(task);
  }
  return Error{Errc::kNotFound,
               fmt::format("environment {}: there is none of this name; there are {}", name,
                           fmt::join(ClassicControlNames(), ", "))};
}

}  // namespace hone::env

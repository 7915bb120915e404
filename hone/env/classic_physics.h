// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hone/core/rng.h"
#include "hone/env/environment.h"

// The equations of motion behind classic_control.h; nobody else needs them.
namespace hone::env {

struct Motion {
  double reward = 0;
  bool is_terminated = false;
};

class ClassicPhysics {
 public:
  virtual ~ClassicPhysics() = default;

  virtual void Begin(Rng rng) = 0;

  // The action in the task's own unit: a number within its bounds, or the index of a choice.
  virtual Motion Advance(double action) = 0;
  virtual std::vector<double> Observe() const = 0;
};

struct ClassicTask {
  std::string name;
  std::vector<std::string> observations;
  ActionCoordinate action;
  std::int64_t max_steps = 0;
  std::function<std::unique_ptr<ClassicPhysics>()> make;
};

const std::vector<ClassicTask>& ClassicTasks();

}  // namespace hone::env

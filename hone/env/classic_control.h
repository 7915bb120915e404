// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/env/environment.h"
#include "hone/env/vector_environment.h"

namespace hone::env {

// The classic control tasks with the physics, bounds, rewards and time limits of Gymnasium, on
// which learners are compared. An action is a point of the unit cube: 0 and 1 are the ends of what
// Gymnasium allows, and a discrete action is a slice of the unit interval. kNotFound lists the
// names.
Result<std::unique_ptr<Environment>> MakeClassicControl(const std::string& name);

// So many of one name, stepped together.
Result<std::unique_ptr<VectorEnvironment>> MakeClassicControls(const std::string& name,
                                                               std::int64_t count);

// "Acrobot-v1", "CartPole-v1", "MountainCar-v0", "MountainCarContinuous-v0", "Pendulum-v1".
std::vector<std::string> ClassicControlNames();

}  // namespace hone::env

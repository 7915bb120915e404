// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/env/environment.h"

namespace hone::env {

// What an environment is examined with. What it evaluates is deterministic.
struct EnvironmentExam {
  std::function<Result<std::unique_ptr<Environment>>()> make;
  int episodes = 3;  // To try, with random actions.
  std::uint64_t seed = 1;
};

// One question of the exam. The answer lists what is wrong, one sentence each: none is a pass.
struct EnvironmentQuestion {
  std::string name;  // As a test is named: "StepAfterTheEndIsAnError".
  std::function<std::vector<std::string>(const EnvironmentExam&)> complaints;
};

// What every environment promises, beyond what the compiler sees.
const std::vector<EnvironmentQuestion>& EnvironmentQuestions();

// The answers to all questions, each with the question's name before it.
std::vector<std::string> ComplaintsAbout(const EnvironmentExam& exam);

}  // namespace hone::env

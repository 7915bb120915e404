// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hone/domains/compute/backends/backend.h"

namespace hone::compute {

// What a backend is examined with: sources for one problem, each of which behaves in one way.
struct BackendExam {
  std::function<Result<std::unique_ptr<Backend>>(const std::filesystem::path& cache)> make;
  std::string problem_text;
  std::string good;            // Right.
  std::string does_not_build;  // Empty where nothing is built; else the compiler refuses it…
  std::string complaint;       // …and this stands in its output.
  std::string crashes;         // Dies, or throws, in its first call.
  std::string hangs;           // Never returns from its first call.
  std::string changes_input;
  bool protects_inputs = false;  // Whoever writes to them fails.
  std::string leaves_output;     // Returns without writing.
};

struct BackendQuestion {
  std::string name;
  std::function<std::vector<std::string>(const BackendExam&)> complaints;
};

const std::vector<BackendQuestion>& BackendQuestions();

}  // namespace hone::compute

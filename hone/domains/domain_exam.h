// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hone/core/task.h"
#include "hone/domains/domain.h"

namespace hone {

// What a domain is examined with.
struct DomainExam {
  DomainEntry entry;
  Options options;
  // Options under which a run takes long, added to the others: "duration_ms=3600000". Without
  // them it cannot be seen whether a run ends when it is asked to.
  Options slow_options;
  int candidates = 50;               // Random ones to try.
  std::vector<std::string> sources;  // Texts to try, where candidates are texts.
  std::uint64_t seed = 1;
  std::chrono::milliseconds run_timeout{60'000};
};

// One question of the exam. The answer lists what is wrong, one sentence each: none is a pass.
struct DomainQuestion {
  std::string name;  // As a test is named: "BaselineReportsEveryMetric".
  std::function<std::vector<std::string>(const DomainExam&)> complaints;
};

// What every domain promises, beyond what the compiler sees.
const std::vector<DomainQuestion>& DomainQuestions();

// The answers to all questions, each with the question's name before it.
std::vector<std::string> ComplaintsAbout(const DomainExam& exam);

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hone/core/evaluation.h"

namespace hone::tune {

// Counts what domains marked as "suspicious: …": reasons to doubt that the numbers were measured at
// all.
class Suspicions {
 public:
  void Add(const Evaluation& evaluation);

  // Each reason once: "the benchmark opened vm.swappiness (in 12 of 24 runs)".
  std::vector<std::string> Texts() const;

  // The same where they make a gain doubtful, else none. A benchmark that reads what it is scored
  // on does so in run after run, under one reason or another; what is seen in less than a quarter
  // of the runs may be an outsider who looked and was gone before it was known.
  std::vector<std::string> GraveTexts() const;

 private:
  std::map<std::string, std::int64_t> counts_;
  std::int64_t runs_ = 0;
  std::int64_t suspicious_runs_ = 0;
};

}  // namespace hone::tune

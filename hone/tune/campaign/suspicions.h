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

  // Those that make a gain doubtful. A benchmark that reads what it is scored on does so in run
  // after run; what is seen in few may be an outsider who looked and was gone before it was known.
  std::vector<std::string> GraveTexts() const;

 private:
  std::vector<std::string> TextsFrom(std::int64_t min_count) const;

  std::map<std::string, std::int64_t> counts_;
  std::int64_t runs_ = 0;
};

}  // namespace hone::tune

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hone/core/evaluation.h"

namespace hone::compute {

// What a check of the judge found against a candidate.
struct Finding {
  Outcome outcome = Outcome::kWrong;
  std::string reason;              // One sentence.
  std::vector<Evidence> evidence;  // "difference", "cheat", "exception", …
};

using MaybeFinding = std::optional<Finding>;

}  // namespace hone::compute

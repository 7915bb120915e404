// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/core/result.h"

namespace hone::learn {

// A hyper-parameter over the course of training: constant, or falling to 0 in a straight line.
struct Schedule {
  double start = 0;
  bool is_linear = false;

  double At(double progress_remaining) const {  // 1 at the beginning, 0 at the end.
    return is_linear ? start * progress_remaining : start;
  }
  bool operator==(const Schedule&) const = default;
};

// "0.0003", or "lin_0.0003" as the rl-zoo writes it.
Result<Schedule> ParseSchedule(const std::string& what, const std::string& text);
std::string ToText(const Schedule& schedule);

}  // namespace hone::learn

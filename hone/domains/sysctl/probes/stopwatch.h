// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace hone::sysctl {

// Measures from when it is made.
class Stopwatch {
 public:
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// How often a probe tells how it goes.
inline constexpr double kSeriesPeriodSeconds = 0.1;

}  // namespace hone::sysctl

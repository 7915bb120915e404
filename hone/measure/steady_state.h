// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace hone {

struct SteadyState {
  enum class Kind {
    kSteady,
    kNeverSteady,  // Still moving in the second half: run longer, or look for what moves it.
    kTooShort,     // Fewer values than can tell.
  };
  Kind kind = Kind::kTooShort;
  std::int64_t warm_up = 0;  // Values to leave out at the front; only if steady.
};

struct SteadyStateRule {
  double significance = 0.01;  // Of the change that is looked for after the warm-up.
  double tolerance = 0.01;     // A change smaller than this part of the level does not matter.
};

// Where the warm-up ends inside one run's time series (operations per second, say). MSER-5 (White,
// 1997) proposes the cut that makes the standard error of the rest smallest; then what remains is
// searched for a change point, and the cut moves behind it, until none is left. A cut in the second
// half means that the run never was steady.
SteadyState FindSteadyState(std::span<const double> series, SteadyStateRule rule = {});

}  // namespace hone

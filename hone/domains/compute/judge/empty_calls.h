// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/compute/runner/runner.h"

namespace hone::compute {

inline double Ns(std::chrono::nanoseconds time) { return static_cast<double>(time.count()); }

// What an empty publication takes, in ns: the medians of some.
struct EmptyCall {
  double time = 0;
  double busy = 0;    // As of CallReport.
  double spread = 0;  // Of the times: nothing shorter can be told from nothing.
  double aside = 0;   // Processor time of the one that should have slept meanwhile.
  double arming = 0;  // Processor time until it was ready, at most.
};

// Who gains by slow empty calls must sleep while they are made.
Result<EmptyCall> TimeOfNothing(Runner& runner, const Runner& sleeper, int calls = 9);

// What a publication took beyond an empty one, in ns: by the clock, or by what its process did if
// that was more. An honest one has both alike; one that says "done" too early has only the second.
// At least what empty ones differ by.
double NetTime(double time, double busy, const EmptyCall& empty);

// What they take, by the processor from which they are made: a way that begins on the processor on
// which the runner will wake is another one than from beside it. Those made beside timed calls
// replace those made before all: a way that begins after a while of something else is another one.
class EmptyCalls {
 public:
  void Begin(int processor, const EmptyCall& call) { empty_[processor].call = call; }
  void See(int processor, double time, double busy);
  const EmptyCall& At(int processor) const { return empty_.at(processor).call; }

 private:
  struct Empty {
    EmptyCall call;
    std::vector<double> times;
    std::vector<double> busy;
  };
  std::map<int, Empty> empty_;
};

}  // namespace hone::compute

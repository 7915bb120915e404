// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace hone::compute {

// What a process did for one publication while no clock ran, ns (CallReport).
struct UnclockedWork {
  double arming = 0;
  double rehearsal = 0;
};

// Who loads caches or cleans up while it is made ready, or instead of rehearsing, would have that
// for nothing. Both sides pay for what goes beyond the reference's own:
//   limit = median + 2 (ninth decile - median)   of what the reference did so far
// so that equal processes on a noisy machine are charged alike, and seldom. A rehearsal is besides
// allowed twice the time of the call: it finds caches as another process left them. Nobody is
// accused by this.
class UnclockedLimit {
 public:
  void See(const UnclockedWork& reference);

  // To be added to the time of a publication that took `time`. 0 while little is known.
  double ChargeFor(const UnclockedWork& work, double time) const;

 private:
  std::vector<double> armings_;
  std::vector<double> rehearsals_;
  double arming_ = 0;
  double rehearsal_ = 0;
};

}  // namespace hone::compute

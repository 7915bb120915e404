// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace hone::compute {

// What a process did for one publication while no clock ran, ns (CallReport).
struct UnclockedWork {
  double arming = 0;
  double rehearsal = 0;  // Beyond what the call took.
};

// Who loads caches or cleans up while it is made ready, or instead of rehearsing, would have that
// for nothing. All of a rehearsal is paid that takes longer than the call: it is the same work, on
// values that are there already. Of the arming both sides pay for what goes beyond the reference's:
//   limit = median + 2 (ninth decile - median)   of what the reference did so far
// so that equal processes on a noisy machine are charged alike, and seldom. Nobody is accused by
// this.
class UnclockedLimit {
 public:
  void See(const UnclockedWork& reference);

  // To be added to the time of its publication. Of the arming 0 while little is known.
  double ChargeFor(const UnclockedWork& work) const;

 private:
  std::vector<double> armings_;
  double arming_ = 0;
};

}  // namespace hone::compute

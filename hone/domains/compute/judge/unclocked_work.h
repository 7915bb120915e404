// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace hone::compute {

// Who loads caches or cleans up while it is made ready would have that for nothing. Both sides pay
// for what goes beyond the reference's:
//   limit = median + 2 (ninth decile - median)   of what the reference did so far, ns
// so that equal processes on a noisy machine are charged alike, and seldom. Nobody is accused by
// this.
class UnclockedLimit {
 public:
  void See(double reference_ns);

  // To be added to the time of its publication; 0 while little is known.
  double ChargeFor(double ns) const;

 private:
  std::vector<double> seen_;
  double limit_ = 0;
};

}  // namespace hone::compute

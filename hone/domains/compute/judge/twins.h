// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

namespace hone::compute {

// Two processes that hold the same code are not equally fast: where their pages lie, and which
// processor's threads ran first, stays with them. No number of pairs of calls between one of each
// tells that apart from a better kernel. So fresh processes of the reference are timed against each
// other now and then, as a kernel is, and the interval of a speedup is at least as wide as what
// that found between equals. What is known of the twins of one reference on this machine. The
// machine changes: it is renewed.
class Twins {
 public:
  // Counts an evaluation. How many comparisons should be made in it, of at most `max`, which is 1
  // where they are dear: until some are known, as many as can be; where they are cheap, one in
  // every third until enough are known; then one in every eighth.
  int Due(int max);
  void Keep(double log_ratio);  // Of two of them.

  // At least 95 of 100 pairs of processes are found to differ by less than this, as a logarithm.
  double Reach() const;

 private:
  std::int64_t evaluations_ = 0;
  std::deque<double> log_ratios_;  // The latest.
};

}  // namespace hone::compute

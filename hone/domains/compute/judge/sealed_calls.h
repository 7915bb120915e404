// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "hone/base/json/json.h"

namespace hone::compute {

// What a kernel does beyond the time that its runner's answers show. Code on a GPU may reach what
// the driver of its own process keeps there, so that "done" could come too early, or work be done
// before the call. Some calls are sealed (CallOrder::is_sealed): of these the judge sees from
// outside when nothing works any more. With medians over pairs, in ns:
//   unseen = median(candidate's span - reference's) - median(candidate's time - reference's)
// the spans of sealed pairs, the times of all others. It is 0 for who does in the time that it says
// all that it does, sealed or not; how long the GPU takes to turn is in both spans. Charged is what
// chance does not explain:
//   charge = max(0, unseen - 5 standard errors)
struct Unseen {
  std::size_t pairs = 0;  // That were sealed; 0: none were wanted.
  double ns = 0;
  double error = 0;  // Its standard error.
  double charge = 0;

  Json ToJson() const;
};

class SealedCalls {
 public:
  // The times of a pair that was not sealed, and the spans of one that was.
  void SeeOpen(double candidate, double reference);
  void SeeSealed(double candidate, double reference);

  // As many as it takes: few where a call is long, more where a short one seems to gain and what is
  // not known of it is no small part of that.
  bool HasEnough() const;
  std::size_t pairs() const { return spans_.size(); }
  Unseen Conclude() const;

 private:
  std::vector<double> spans_;       // The candidate's less the reference's.
  std::vector<double> times_;       // The same of times.
  std::vector<double> candidates_;  // Times.
  std::vector<double> references_;
};

}  // namespace hone::compute

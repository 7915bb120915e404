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
//   unseen = quartile(candidate's span - reference's) - quartile(candidate's time - reference's)
// the spans of sealed pairs, the times of all others. It is 0 for who does in the time that it says
// all that it does, sealed or not; how long the GPU takes to turn is in both spans. Charged is what
// chance does not explain:
//   charge = max(0, unseen - 5 standard errors)
// The errors are the reference's, as if the candidate's calls were as unequal: how much these
// scatter the candidate chooses. It is the lower quartile for the same reason. Spans that are
// longer by lot do not move it, none is shorter than the work; and who hides work in some calls
// only has to do it in a quarter of them, while the speedup (Hodges and Lehmann) stays what it is
// until 29 % are shorter. An honest kernel whose calls are less equal than the reference's gets
// more sealed pairs, and is charged little of what is left.
struct Unseen {
  std::size_t pairs = 0;  // That were sealed; 0: none were wanted.
  double ns = 0;
  double error = 0;  // Its standard error, by the reference.
  double charge = 0;

  Json ToJson() const;
};

class SealedCalls {
 public:
  // The times of a pair that was not sealed, and the spans of one that was.
  void SeeOpen(double candidate, double reference);
  void SeeSealed(double candidate, double reference);

  // As many as it takes: few where a call is long, more where a short one seems to gain, or calls
  // of the candidate's are unequal, and what is not known of it is no small part of that.
  bool HasEnough() const;
  std::size_t pairs() const { return spans_.size(); }
  Unseen Conclude() const;

 private:
  std::vector<double> spans_;            // The candidate's less the reference's.
  std::vector<double> reference_spans_;  // The reference's own.
  std::vector<double> times_;            // As `spans_`, of times.
  std::vector<double> candidates_;       // Times.
  std::vector<double> references_;
};

}  // namespace hone::compute

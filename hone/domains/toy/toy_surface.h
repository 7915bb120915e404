// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/core/space.h"
#include "hone/core/value.h"
#include "hone/domains/toy/toy_shapes.h"

namespace hone::toy {

// What a run would report if there were no noise and no drift.
struct Truth {
  double throughput = 0;  // ops/s
  double latency_ms = 0;
  double stability = 0;  // From 0 to 1.
  bool is_crash = false;
};

// A made-up system whose truth is known everywhere, so that what a learner claims can be checked.
// The baseline (the space's defaults) does 1000 ops/s at 10 ms. Immutable, so free to share.
class Surface {
 public:
  // The throughput is scaled so that the optimum's is 1 + gain times the baseline's. Where no
  // parameter matters ("flat") the optimum is the baseline, whatever the gain asked for.
  // `gain` is at least 0. kInvalidArgument lists the surfaces there are.
  static Result<Surface> Make(const std::string& name, double gain);

  const std::string& name() const { return shape_->name; }
  const std::string& summary() const { return shape_->summary; }
  const Space& space() const { return space_; }
  const Assignment& optimum() const { return shape_->optimum; }  // Of the throughput.

  // The Pareto front of throughput and latency, from the lowest latency to the highest
  // throughput. Only the optimum, where the two do not compete.
  std::vector<Assignment> Front() const;

  // The assignment is valid in the space.
  Truth At(const Assignment& assignment) const;

 private:
  Surface(const Shape& shape, Space space, double gain);

  const Shape* shape_;  // Lives as long as the process.
  Space space_;
  double scale_ = 0;  // Of a score, to make it a log-ratio.
  double baseline_score_ = 0;
  double baseline_latency_score_ = 0;
};

// In the order of the documentation.
std::vector<std::string> SurfaceNames();

// The true log-ratio of throughputs over the baseline: log(1 + gain) at the optimum.
double TrueLogGain(const Surface& surface, const Assignment& assignment);

}  // namespace hone::toy

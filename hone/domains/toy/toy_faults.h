// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "hone/core/candidate.h"
#include "hone/core/rng.h"
#include "hone/domains/domain.h"
#include "hone/domains/toy/toy_options.h"
#include "hone/domains/toy/toy_surface.h"

namespace hone::toy {

// Says which candidates and runs have the fault that the options ask for. It never strikes the
// baseline, which must always run, nor the optimum, which must stay one. Immutable.
class FaultPlan {
 public:
  // The surface outlives the plan.
  FaultPlan(const ToyOptions& options, const Surface& surface);

  Fault OfPreparing(const Candidate& candidate) const;  // kBuild or kNone.
  Fault OfRun(const RunOrder& order) const;             // Never kBuild.

 private:
  bool IsExempt(const Candidate& candidate) const;
  bool IsInRegion(const Candidate& candidate) const;
  bool Strikes(const Candidate& candidate) const;

  Fault fault_;
  FaultPlace place_;
  double rate_;
  Rng rng_;
  const Surface& surface_;
  Assignment baseline_;
};

}  // namespace hone::toy

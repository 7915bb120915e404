// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/toy/toy_faults.h"

namespace hone::toy {

FaultPlan::FaultPlan(const ToyOptions& options, const Surface& surface)
    : fault_(options.fault),
      place_(options.fault_place),
      rate_(options.fault_rate),
      rng_(Rng(options.noise.seed).Split("fault")),
      surface_(surface),
      baseline_(surface.space().Defaults()) {}

Fault FaultPlan::OfPreparing(const Candidate& candidate) const {
  return fault_ == Fault::kBuild && Strikes(candidate) ? fault_ : Fault::kNone;
}

Fault FaultPlan::OfRun(const RunOrder& order) const {
  if (fault_ == Fault::kNone || fault_ == Fault::kBuild) return Fault::kNone;
  if (place_ != FaultPlace::kRuns) return Strikes(order.candidate) ? fault_ : Fault::kNone;
  Rng run = rng_.Split(order.seed).Split(static_cast<std::uint64_t>(order.position));
  return !IsExempt(order.candidate) && run.Uniform() < rate_ ? fault_ : Fault::kNone;
}

bool FaultPlan::Strikes(const Candidate& candidate) const {
  if (IsExempt(candidate)) return false;
  if (place_ == FaultPlace::kRegion) return IsInRegion(candidate);
  return rng_.Split(DigestOf(candidate)).Uniform() < rate_;
}

bool FaultPlan::IsExempt(const Candidate& candidate) const {
  return candidate.assignment == baseline_ || candidate.assignment == surface_.optimum();
}

bool FaultPlan::IsInRegion(const Candidate& candidate) const {
  const Space& space = surface_.space();
  const double here = space.ToUnit(candidate.assignment).front();
  const double best = space.ToUnit(surface_.optimum()).front();
  return best < 0.5 ? here > 1 - rate_ : here < rate_;
}

}  // namespace hone::toy

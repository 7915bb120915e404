// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/roofline.h"

namespace hone::compute {

Roofline RooflineOf(const Problem& problem, const Sizes& sizes, const MachinePeak& peak) {
  const double threads = problem.policy.threads;
  return {static_cast<double>(problem.bytes.At(sizes)),
          static_cast<double>(problem.operations.At(sizes)),
          {peak.bytes_per_ns * threads, peak.operations_per_ns * threads}};
}

}  // namespace hone::compute

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "hone/domains/compute/judge/machine_peak.h"
#include "hone/domains/compute/problem/problem.h"

namespace hone::compute {

// What a problem declares for one shape, and how long a machine at its best takes for it.
struct Roofline {
  double bytes = 0;       // At least so many,
  double operations = 0;  // and so many.
  MachinePeak peak;       // Of all threads that a kernel may have.

  double BytesNs() const { return bytes > 0 ? bytes / peak.bytes_per_ns : 0; }
  double OperationsNs() const { return operations > 0 ? operations / peak.operations_per_ns : 0; }
  double Floor() const { return std::max(BytesNs(), OperationsNs()); }
};

Roofline RooflineOf(const Problem& problem, const Sizes& sizes, const MachinePeak& peak);

}  // namespace hone::compute

// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hone::compute {

// What one core of this machine can do at best, as measured here: reading from its nearest caches,
// and multiply-adds in its widest vectors. A bound, not a goal.
struct MachinePeak {
  double bytes_per_ns = 0;
  double operations_per_ns = 0;
};

// The lower figure of two in each respect, and the higher.
MachinePeak MinOf(const MachinePeak& one, const MachinePeak& other);
MachinePeak MaxOf(const MachinePeak& one, const MachinePeak& other);

// Measured on the first call (some milliseconds), then remembered. Safe for concurrent use.
MachinePeak MeasuredPeak();

// Measured once more: the best of all that was seen, which is what is remembered from now on.
MachinePeak RaiseMeasuredPeak();

}  // namespace hone::compute

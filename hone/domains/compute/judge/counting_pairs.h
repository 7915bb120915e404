// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hone/domains/compute/judge/timing_report.h"

namespace hone::compute {

// Whether somebody had to wait for a processor for a notable part of a call.
bool IsDisturbed(double time_ns, double delay_ns);

// Of each pair whether the speedup is made of it: those in which nobody had to wait for a
// processor, unless they are fewer than `min`. A candidate that is disturbed much more often than
// the reference disturbs itself: then all of them count. What does not count since it worked when
// it should have slept is a part of the same allowance.
std::vector<bool> CountingPairs(const TimingReport& report, std::int64_t min);

}  // namespace hone::compute

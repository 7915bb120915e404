// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/domains/compute/judge/finding.h"
#include "hone/domains/compute/judge/machine_peak.h"
#include "hone/domains/compute/judge/timing.h"
#include "hone/domains/compute/problem/problem.h"

namespace hone::compute {

// A finding of outcome cheated. `check` names the check, `seen` what it saw.
Finding Cheated(std::string_view check, std::string seen);

// A time below what the machine can do: bytes and operations over its measured peak.
MaybeFinding CheckFloor(const Problem& problem, const Sizes& sizes, const TimingReport& times,
                        const MachinePeak& peak);

// The runner's clock against the judge's, seen beside the reference's runner.
MaybeFinding CheckClocks(const TimingReport& times);

// How much processor time between two calls is not remarkable, ns: what the reference's runner
// takes to wake up and to fall asleep, and some more. What a call takes beyond is added to its
// time, so that work done early gains nothing.
double IdleAllowance(const TimingReport& times);

// Work done between the calls, where an honest runner waits.
MaybeFinding CheckIdleWork(const TimingReport& times);

}  // namespace hone::compute

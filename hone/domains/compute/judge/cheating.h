// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/domains/compute/judge/finding.h"
#include "hone/domains/compute/judge/machine_peak.h"
#include "hone/domains/compute/judge/timing_report.h"
#include "hone/domains/compute/problem/problem.h"

namespace hone::compute {

// A finding of outcome cheated. `check` names the check, `seen` what it saw.
Finding Cheated(std::string_view check, std::string seen);

// A time below what the machine can do: bytes and operations over its measured peak, or what the
// reference was seen to take, if that is less.
MaybeFinding CheckFloor(const Problem& problem, const Sizes& sizes, const TimingReport& times,
                        const MachinePeak& peak);

// The runner's clock against the judge's, seen beside the reference's runner.
MaybeFinding CheckClocks(const TimingReport& times);

// Work at a time at which a runner sleeps: when its inputs are there and the clock does not run
// yet, or while the other side is timed. None of it was ever paid; who does it again and again is
// accused.
MaybeFinding CheckWatch(const TimingReport& times);

// Most of what it does on a device lies outside of the time that its runner's answers show.
MaybeFinding CheckUnseen(const TimingReport& times);

}  // namespace hone::compute

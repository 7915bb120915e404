// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/domains/compute/judge/quiet_periods.h"

namespace hone::compute {

// The pulse (runner/pulse.h) of this machine at its best, as far as this process has seen it, in
// ns; 0 if it has not.
double KnownPulse();

void SeePulses(const QuietPeriods& seen);

}  // namespace hone::compute

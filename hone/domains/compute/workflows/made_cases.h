// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <stop_token>
#include <vector>

#include "hone/domains/compute/judge/correctness.h"
#include "hone/domains/compute/workflows/session_builds.h"

namespace hone::compute {

// How close is close enough where neither the case nor the problem says it: KernelGYM's numbers.
Tolerance CaseTolerance(const Problem& problem, std::optional<double> rtol,
                        std::optional<double> atol, DType dtype);

// The cases that the problem's own code makes (torch: get_cases), in a process of its own, so that
// the candidate never sees what is expected. kInvalidArgument if it makes none.
Result<std::vector<SharedTrial>> MakeCases(SessionBuilds& builds, std::chrono::nanoseconds limit,
                                           const std::stop_token& stop);

}  // namespace hone::compute

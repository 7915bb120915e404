// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/server/router.h"
#include "hone/server/service.h"

namespace hone {

// KernelGYM's API at the root: submitting, results, cancelling.
std::vector<Route> KernelGymRoutes(Service& service);

// The rest of it: health, metrics, workers, nodes, monitoring.
std::vector<Route> KernelGymSystemRoutes(Service& service);

}  // namespace hone

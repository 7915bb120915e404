// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/server/http/router.h"
#include "hone/server/service/service.h"

namespace hone::server {

// KernelGYM's API at the root: submitting, results, cancelling.
std::vector<Route> KernelGymRoutes(Service& service);

// The rest of it: health, metrics, workers, nodes, monitoring.
std::vector<Route> KernelGymSystemRoutes(Service& service);

// The expected backends for which there is no worker.
std::vector<std::string> UnservedBackends(const ServiceSettings& settings,
                                          const std::vector<WorkerCard>& workers);

}  // namespace hone::server

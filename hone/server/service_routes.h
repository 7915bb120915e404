// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/server/router.h"
#include "hone/server/service.h"
#include "hone/server/service_watch.h"

namespace hone {

// What the dashboard asks of a service besides the rest of /v1: lists, history, and all of that
// live.
std::vector<Route> ServiceRoutes(Service& service, ServiceWatch& watch);

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/server/http/router.h"
#include "hone/server/service/service.h"
#include "hone/server/service/service_watch.h"

namespace hone::server {

// What the dashboard asks of a service besides the rest of /v1: lists, history, and all of that
// live.
std::vector<Route> ServiceRoutes(Service& service, ServiceWatch& watch);

}  // namespace hone::server

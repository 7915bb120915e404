// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/server/router.h"
#include "hone/server/service.h"

namespace hone {

// What the dashboard asks of a service besides the rest of /v1: lists and history.
std::vector<Route> ServiceRoutes(Service& service);

}  // namespace hone

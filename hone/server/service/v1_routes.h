// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/server/http/router.h"
#include "hone/server/service/service.h"

namespace hone::server {

// The native API: every domain, waiting without polling, events.
std::vector<Route> V1Routes(Service& service);

}  // namespace hone::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/server/router.h"
#include "hone/server/service.h"

namespace hone {

// The native API: every domain, waiting without polling, events.
std::vector<Route> V1Routes(Service& service);

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/server/environments/environment_board.h"
#include "hone/server/http/router.h"

namespace hone::server {

// /v1/environments and what is under it.
std::vector<Route> EnvironmentRoutes(EnvironmentBoard& board);

}  // namespace hone::server

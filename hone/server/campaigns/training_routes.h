// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/server/campaigns/training_board.h"
#include "hone/server/http/router.h"

namespace hone::server {

// /v1/training and what is under it. `reading` says who may look; only an admin may stop it.
std::vector<Route> TrainingRoutes(TrainingBoard& board, Access reading);

}  // namespace hone::server

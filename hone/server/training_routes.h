// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/server/router.h"
#include "hone/server/training_board.h"

namespace hone {

// /v1/training and what is under it. `reading` says who may look; only an admin may stop it.
std::vector<Route> TrainingRoutes(TrainingBoard& board, Access reading);

}  // namespace hone

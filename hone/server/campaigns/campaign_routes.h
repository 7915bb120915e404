// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/server/campaigns/campaign_board.h"
#include "hone/server/http/router.h"

namespace hone::server {

// /v1/campaigns and what is under it. `reading` says who may look: where that takes a token, each
// sees its own campaigns and those that have no submitter, an admin all. Only an admin may control.
std::vector<Route> CampaignRoutes(CampaignBoard& board, Access reading);

// What /v1/about says, to anyone.
struct AboutFacts {
  std::string version;
  bool reads_need_token = false;
  bool controls_need_token = true;
  bool has_campaigns = false;
  bool has_service = false;
  bool has_training = false;
};
Route AboutRoute(AboutFacts facts, Clock& clock);

}  // namespace hone::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "hone/base/clock.h"
#include "hone/core/result.h"
#include "hone/server/api_app.h"
#include "hone/server/campaigns/campaign_board.h"
#include "hone/server/campaigns/training_board.h"
#include "hone/server/http/http_server.h"

namespace hone::server {

inline constexpr std::uint16_t kDashboardPort = 5000;

struct DashboardSettings {
  HttpSettings http;
  AccessSettings access;
  CampaignSettings campaigns;
  bool has_training = false;  // This process trains, and training() shows it.
};

// The dashboard without a service: the page at the root, the campaigns of a store, and the training
// of this process.
class DashboardServer {
 public:
  virtual ~DashboardServer() = default;  // Stops.

  virtual std::uint16_t port() const = 0;
  virtual CampaignBoard& board() = 0;
  virtual TrainingBoard& training() = 0;
};

// Listens from now on. Who reaches it may look; control takes an admin's token. `clock` outlives
// the server. kInvalidArgument for an address that is not loopback; kUnavailable if the port is
// taken.
Result<std::unique_ptr<DashboardServer>> StartDashboard(Clock& clock, DashboardSettings settings);

}  // namespace hone::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "hone/cli/verb.h"
#include "hone/server/dashboard_server.h"

// What `hone tune`, `hone resume` and `hone dashboard` share.
namespace hone {

struct DashboardChoice {
  bool is_wanted = false;
  std::uint16_t port = kDashboardPort;  // 0: any that is free.
};

// --dashboard[=PORT]; the target outlives it.
Flag DashboardFlag(DashboardChoice& choice);

// What the server shows of the store, and with what it exports.
CampaignSettings BoardSettings(const std::filesystem::path& store);

// Listens on this machine and says where, and where the token for the buttons lies.
Result<std::unique_ptr<DashboardServer>> OpenDashboard(Shell& shell, std::uint16_t port);

// The same if it is wanted; else null.
Result<std::unique_ptr<DashboardServer>> MaybeOpenDashboard(Shell& shell,
                                                            const DashboardChoice& choice);

}  // namespace hone

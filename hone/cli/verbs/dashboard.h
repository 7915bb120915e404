// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "hone/cli/verb.h"
#include "hone/server/dashboard_server.h"

// What `hone tune`, `hone resume`, `hone train` and `hone dashboard` share.
namespace hone::cli {

struct DashboardChoice {
  bool is_wanted = false;
  std::uint16_t port = server::kDashboardPort;  // 0: any that is free.
};

// --dashboard[=PORT]; the target outlives it.
Flag DashboardFlag(DashboardChoice& choice);

// What the server shows of the store, and with what it exports.
server::CampaignSettings BoardSettings(const std::filesystem::path& store);

enum class DashboardUse { kCampaigns, kTraining };

// Listens on this machine and says where, and where the token for the buttons lies.
Result<std::unique_ptr<server::DashboardServer>> OpenDashboard(
    Shell& shell, std::uint16_t port, DashboardUse use = DashboardUse::kCampaigns);

// The same if it is wanted; else null.
Result<std::unique_ptr<server::DashboardServer>> MaybeOpenDashboard(
    Shell& shell, const DashboardChoice& choice, DashboardUse use = DashboardUse::kCampaigns);

// On a terminal, blocks until Ctrl-C, so that the page can still be read.
void KeepShowing(Shell& shell);

}  // namespace hone::cli

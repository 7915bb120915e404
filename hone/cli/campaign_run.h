// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "hone/base/json.h"
#include "hone/cli/campaign_text.h"
#include "hone/cli/local_campaign.h"
#include "hone/cli/verb.h"
#include "hone/server/dashboard_server.h"

namespace hone {

// Works on a stored campaign with progress and Ctrl-C, then tells its verdict: what `tune` and
// `resume` share. The hooks of `settings` are set here. It is shown on the dashboard, if there is
// one, which on a terminal stays until the next Ctrl-C.
Result<ExitCode> RunAndTell(Shell& shell, CampaignStore& store, const std::string& id,
                            LocalSettings settings, DashboardServer* dashboard = nullptr);

Json JsonOf(const CampaignSummary& summary, const std::filesystem::path& store);

// The campaign and its verdict on standard output, as text or JSON. kNo if it found no gain.
Result<ExitCode> TellVerdict(Shell& shell, CampaignStore& store, const std::string& id);

}  // namespace hone

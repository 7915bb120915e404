// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "hone/app/campaign/local_campaign.h"
#include "hone/base/json/json.h"
#include "hone/cli/text/campaign_text.h"
#include "hone/cli/verb.h"
#include "hone/server/dashboard_server.h"

namespace hone::cli {

// Works on a stored campaign with progress and Ctrl-C, then tells its verdict: what `tune` and
// `resume` share. The hooks of `settings` are set here. It is shown on the dashboard, if there is
// one, which on a terminal stays until the next Ctrl-C.
Result<ExitCode> RunAndTell(Shell& shell, tune::CampaignStore& store, const std::string& id,
                            app::LocalSettings settings,
                            server::DashboardServer* dashboard = nullptr);

// With what came of asking its language model.
Result<CampaignSummary> SummaryOf(const Shell& shell, const tune::CampaignHistory& history);

Json JsonOf(const CampaignSummary& summary, const std::filesystem::path& store);

// The campaign and its verdict on standard output, as text or JSON. kNo if it found no gain.
Result<ExitCode> TellVerdict(Shell& shell, tune::CampaignStore& store, const std::string& id);

}  // namespace hone::cli

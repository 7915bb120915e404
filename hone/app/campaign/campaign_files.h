// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/server/campaigns/campaign_board.h"
#include "hone/tune/campaign/campaign_history.h"

// A campaign as files: what `hone export` writes and the dashboard offers.
namespace hone::app {

const std::vector<std::string>& AllForms();  // "json", "csv", "sysctl.d", …

// Those that this campaign has, the report included.
std::vector<std::string> FormsOf(const tune::CampaignHistory& history);

// One form. `pick` chooses a point of a trade-off, from 1. kNotFound: there is nothing to install,
// and the message says why.
Result<server::ExportedFile> MakeFile(const tune::CampaignHistory& history, const std::string& form,
                                      std::optional<std::size_t> pick = std::nullopt);

}  // namespace hone::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "hone/base/clock.h"
#include "hone/core/result.h"
#include "hone/tune/campaign/campaign_history.h"
#include "hone/tune/campaign/campaign_store.h"

namespace hone::app {

// kNotFound, with what to do, if nothing was ever stored there.
Result<tune::CampaignStore> OpenForReading(const std::filesystem::path& store, Clock& clock);

// `run` is the id of a campaign, or "last".
Result<tune::CampaignHistory> LoadRun(const std::filesystem::path& store, Clock& clock,
                                      const std::string& run);

}  // namespace hone::app

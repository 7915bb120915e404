// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "hone/core/result.h"
#include "hone/tune/campaign/campaign_history.h"

namespace hone::app {

// Whether the campaign is about the options of a kernel.
bool IsAboutKernels(const tune::CampaignHistory& history);

// What it found: "fragment", the lines to merge into a .config with what each is worth, or
// "config", all of it. The source tree must still be there. Errors as those of SettingsOfRun.
Result<std::string> KernelOfRun(const tune::CampaignHistory& history, const std::string& form,
                                std::optional<std::size_t> pick);

}  // namespace hone::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/tune/campaign/campaign_history.h"

namespace hone::app {

// Whether the campaign is about the options of a kernel.
bool IsAboutKernels(const tune::CampaignHistory& history);

// "fragment", the lines to merge into a .config with what each is worth; "config", all of it;
// "defconfig", what of it is not the tree's default.
const std::vector<std::string>& KernelForms();

// What it found, in one of these forms. The source tree must still be there. Errors as those of
// SettingsOfRun.
Result<std::string> KernelOfRun(const tune::CampaignHistory& history, const std::string& form,
                                std::optional<std::size_t> pick);

}  // namespace hone::app

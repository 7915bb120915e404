// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "hone/core/result.h"
#include "hone/domains/sysctl/knowledge/settings_export.h"
#include "hone/tune/campaign/campaign_history.h"

namespace hone::app {

// Whether the campaign is about kernel parameters, so that it can end in settings to install.
bool IsAboutParameters(const tune::CampaignHistory& history);

// The proven candidate; of a trade-off the one that was picked, from 1. Errors as below.
Result<const tune::Proof*> WinnerOf(const tune::StoredCampaign& campaign,
                                    std::optional<std::size_t> pick);

// What an exported file says of the point that it holds, doubts included.
std::string VerdictText(const tune::CampaignSpec& spec, const tune::Verdict& verdict,
                        const tune::Proof& winner);

// What the ablation says of one change; empty if it says nothing.
std::string EffectText(const tune::CampaignSpec& spec, const tune::Verdict& verdict,
                       const std::string& name);

// What the campaign found, ready to install. On a trade-off `pick` says which point, from 1.
// kInvalidArgument: it is not about kernel parameters, is not finished, or a point must be picked.
// kNotFound: it found no gain or was a rehearsal, so there is nothing to install.
Result<sysctl::SettingsExport> SettingsOfRun(const tune::CampaignHistory& history,
                                             std::optional<std::size_t> pick);

}  // namespace hone::app

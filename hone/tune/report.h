// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/tune/campaign_history.h"

namespace hone {

// One HTML page about a campaign, finished or not: what came out, how sure that is, what was tried,
// how noisy the machine was, how to do it again. It needs nothing from outside, no script, and
// stays below 2 MB, however long the campaign was. All texts of the campaign are escaped.
std::string RenderReport(const CampaignHistory& history);

}  // namespace hone

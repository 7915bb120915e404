// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "hone/tune/campaign/campaign_history.h"

namespace hone::report {

// What the plots of a campaign are drawn from: {"campaign": …, "events": [{"kind", "data"}, …]}, as
// the dashboard gets them (campaign_json.h). JSON that can stand in a script element, as it has no
// "<". Where it would be longer than `max_bytes` details are left out: first what single runs
// measured, then the comparisons of the search; empty if even that is too long.
std::string PlotsText(const tune::CampaignHistory& history, std::size_t max_bytes);

}  // namespace hone::report

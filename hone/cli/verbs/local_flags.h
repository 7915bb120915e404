// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/app/campaign/local_campaign.h"
#include "hone/cli/verb.h"

namespace hone::cli {

// How this process works on a campaign: flags of `tune` and `resume`. The target outlives them.
std::vector<Flag> LocalFlags(app::LocalSettings& settings);

}  // namespace hone::cli

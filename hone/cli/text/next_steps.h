// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/cli/invocation.h"
#include "hone/cli/text/campaign_text.h"

namespace hone::cli {

// What people want after a verdict, as commands that can be typed as they stand: the file and to
// try it where there is something to install, then to look again. `has_policy`: a learner's, that a
// later campaign can begin with.
std::string NextSteps(const CampaignSummary& summary, const Invocation& invocation,
                      bool has_policy);

}  // namespace hone::cli

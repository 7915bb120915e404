// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/core/result.h"
#include "hone/tune/campaign/campaign_store.h"

namespace hone::app {

// Puts into the brief of a campaign that asks a language model what earlier campaigns of the store
// measured of its parameters: those of its domain on a machine with the same processors; those of
// its workload first, then the newest; those of another submitter than its own are left out, unless
// it has none. It is kept with the campaign, so that a replay asks with the same words whatever was
// measured since. Another campaign stays as it is.
Result<void> KeepEarlier(tune::CampaignStore& store, tune::CampaignStart& start);

}  // namespace hone::app

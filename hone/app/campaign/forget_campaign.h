// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "hone/base/clock.h"
#include "hone/core/result.h"

namespace hone::app {

struct ForgottenCampaign {
  std::string id;
  std::int64_t evaluations = 0;
};

// Removes a campaign with all that was measured for it. `run` is its id, or "last". kStale if some
// process runs it. Killed in between, it can be done again.
Result<ForgottenCampaign> ForgetCampaign(const std::filesystem::path& store, Clock& clock,
                                         const std::string& run);

}  // namespace hone::app

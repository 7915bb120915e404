// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/tune/campaign/progress.h"

namespace hone::cli {

// What becomes of a campaign that is interrupted for the `count`-th time in this phase: only in the
// search does the first one end anything at once. `resume`: the command that goes on later.
std::string InterruptText(int count, bool is_comparison, tune::Phase phase,
                          const std::string& resume);

}  // namespace hone::cli

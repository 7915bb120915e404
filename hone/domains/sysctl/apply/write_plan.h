// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/sysctl/apply/held_state.h"
#include "hone/domains/sysctl/kernel/setting.h"

namespace hone::sysctl {

struct PlannedWrite {
  Setting setting;
  bool is_asked = false;  // Else it goes back to its original.

  bool operator==(const PlannedWrite&) const = default;
};

// What must be written to get from what is in force to the originals with `settings` on top (also
// an original that is back, while its service was not told so):
// first what goes back, then what is asked for, in the order given, and files after all of them.
// `asked`: what was asked for the last time, by path; the same text again is not written again,
// however the kernel rounded it. What is gone, and what a setting moves with it, is left to the
// transaction, which looks when the settings are in force.
// kInvalidArgument: a setting is not under this transaction, or is there twice, or with its twin.
Result<std::vector<PlannedWrite>> PlanWrites(const HeldState& state,
                                             const std::vector<Setting>& settings,
                                             const std::map<std::string, std::string>& asked);

}  // namespace hone::sysctl

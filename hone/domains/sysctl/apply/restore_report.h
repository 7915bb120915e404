// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/domains/sysctl/kernel/setting.h"

namespace hone::sysctl {

// What putting back did.
struct RestoreReport {
  std::vector<Change> restored;
  std::vector<Change> kept;  // Somebody else changed it under us; theirs is left. `before` is ours.
  std::vector<Change> failed;   // The kernel refused. `before` is the original, `after` is what is
                                // in force, and why.
  std::vector<Change> noticed;  // Never written by us, not as at the start, and left alone.

  bool IsClean() const { return kept.empty() && failed.empty(); }
};

}  // namespace hone::sysctl

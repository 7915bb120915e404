// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/domains/sysctl/apply/files_beside.h"
#include "hone/domains/sysctl/apply/held_state.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"
#include "hone/domains/sysctl/kernel/setting.h"

namespace hone::sysctl {

// What putting back did.
struct RestoreReport {
  std::vector<Change> restored;
  std::vector<Change> kept;  // Somebody else changed it under us; theirs is left. `before` is ours.
  std::vector<Change> failed;  // The kernel refused, or a file is not where it was. `before` is the
                               // original, `after` is what is in force, and why.
  std::vector<Change> noticed;  // Never written by us, not as at the start, and left alone.
  std::vector<std::string> reload_faults;  // A service's file is back, the service was not told;
                                           // HeldParameter::reload_fault has it too.

  bool IsClean() const { return kept.empty() && failed.empty(); }
};

struct Restored {
  RestoreReport report;
  // False: an original is not back that may be put back another time. The journal must stay.
  bool is_settled = true;
};

// Puts back every original that is ours to put back. A text that is neither the original nor what
// we left there is somebody else's, and is kept. Looks again after writing, since one parameter
// may move another. Notes in `state` what is then in force.
Restored RestoreHeld(FilesBeside& files, HeldState& state);
// Looks for the folders of files anew.
Restored RestoreHeld(KernelFiles& kernel, HeldState& state);

// Parameters that the transaction never wrote, and that are not as they were when it began: what
// somebody else did in the meantime, or a side effect of a write whose end nobody saw.
std::vector<Change> UnexplainedChanges(KernelFiles& files, const HeldState& state);

}  // namespace hone::sysctl

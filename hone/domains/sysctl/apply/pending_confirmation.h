// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/sysctl/apply/restore.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"

// After a transaction was left to be confirmed (ParameterTransaction::LeaveToConfirm), and after it
// was kept.
namespace hone::sysctl {

// What was left to be confirmed in the folder stays. The journal becomes a record of what was
// before. kNotFound: nothing waits. kStale: a transaction that does not wait for this; or it came
// too late, and the originals are in force again.
Result<void> ConfirmKept(KernelFiles& files, const std::filesystem::path& folder);

// What was left to be confirmed is put back now. nullopt: nothing waits.
Result<std::optional<RestoreReport>> RevertKept(KernelFiles& files,
                                                const std::filesystem::path& folder);

// Something that was applied to stay and not undone yet.
struct AppliedToStay {
  std::string reason;           // "hone sysctl apply 90-hone.conf"
  std::string started;          // UTC: 2026-11-15T08:30:00Z.
  std::vector<Change> changes;  // What undoing it would change, but for what depends on it.
};

// The newest of these, which RestorePrevious undoes. nullopt: there is none.
Result<std::optional<AppliedToStay>> NewestApplied(KernelFiles& files,
                                                   const std::filesystem::path& folder);

// Undoes the newest of what was applied to stay. nullopt: there is none.
Result<std::optional<RestoreReport>> RestorePrevious(KernelFiles& files,
                                                     const std::filesystem::path& folder);

// The note that a guardian leaves of what it put back: a line each. Empty if there is none.
std::string LastGuardianNote(const std::filesystem::path& folder);

}  // namespace hone::sysctl

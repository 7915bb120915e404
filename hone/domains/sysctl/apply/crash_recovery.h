// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "hone/core/result.h"
#include "hone/domains/sysctl/apply/restore.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"

namespace hone::sysctl {

// For who has the lock of the folder. Puts back what its journal says and removes it.
// kUnavailable: something could not be put back, or the journal cannot be removed; it stays.
Result<std::optional<RestoreReport>> RestoreJournal(KernelFiles& files,
                                                    const std::filesystem::path& folder);

// The same from a file that is not the folder's journal.
Result<RestoreReport> RestoreFromFile(KernelFiles& files, const std::filesystem::path& file);

}  // namespace hone::sysctl

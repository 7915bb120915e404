// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/sysctl/apply/files_beside.h"
#include "hone/domains/sysctl/apply/held_state.h"
#include "hone/domains/sysctl/apply/transaction.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"

// What a transaction looks at before it changes anything.
namespace hone::sysctl {

// The parameters to be held with their originals, and their twins and effects where this kernel
// has them. An Error names the first that cannot be held.
Result<HeldState> MakeState(FilesBeside& files, const TransactionSettings& settings);

// Adds to `state` what is there besides what is held: all of sysctl, and these folders.
void SeeAll(KernelFiles& files, const std::vector<std::string>& folders, HeldState& state);

}  // namespace hone::sysctl

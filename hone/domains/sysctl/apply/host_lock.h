// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "hone/base/file.h"
#include "hone/core/result.h"

namespace hone::sysctl {

// The right to change this host's parameters, whichever folder the journal is in: two holds at
// once would take each other's changes for side effects of their own. Held until destroyed.
// kStale: another process has it; the message names it. kInvalidArgument: the file is another
// user's, or no plain file. Nothing where it cannot be made: who has no right to do that has none
// to change parameters, and the transaction says so.
Result<std::optional<FileLock>> LockHost(const std::filesystem::path& file = "/run/hone-host.lock");

}  // namespace hone::sysctl

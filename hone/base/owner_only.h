// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "hone/core/result.h"

namespace hone {

// Takes from everybody else what they may do with the file or folder, if it is there and ours.
void KeepForOwner(const std::filesystem::path& path);

// Creates the folder and its parents for what nobody else may read: the folder itself gets the mode
// 0700, also if it is there already.
Result<void> MakePrivateFolder(const std::filesystem::path& path);

// Whether nobody but this process' user can have put there what the file or folder holds: theirs,
// no link, and nobody else may write to it. kCorrupt: somebody could; the message says what to do.
Result<void> CheckOnlyWeWrite(const std::filesystem::path& path);

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "hone/core/result.h"

namespace hone {

// What is said of something in the place of a regular file: "PATH: not a regular file but a pipe".
Error NotRegular(const std::filesystem::path& path, mode_t mode);

}  // namespace hone

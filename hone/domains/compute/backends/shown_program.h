// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "hone/core/result.h"

namespace hone::compute {

// A program of ours as a file in the cache that a sandbox can show: everybody may read it.
Result<std::filesystem::path> ShownProgram(const std::filesystem::path& cache,
                                           const std::string& name, std::string_view image);

}  // namespace hone::compute

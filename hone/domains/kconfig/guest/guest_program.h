// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "hone/core/result.h"
#include "hone/domains/kconfig/guest/guest_arch.h"

namespace hone::kernels {

// The first program of a guest (harness/guest_init.c, guest_commands.c), linked statically for its
// processor: compiled once by the compiler that kernels are built with, then kept in the folder.
Result<std::string> GuestProgram(const GuestArch& arch, const std::filesystem::path& folder);

}  // namespace hone::kernels

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/kconfig/guest/guest_arch.h"
#include "hone/domains/kconfig/guest/initramfs.h"

namespace hone::kernels {

// The files of a guest in which a person gets a shell: the first program, and this machine's
// busybox. An Error says what to install.
Result<std::vector<InitramfsFile>> GuestShellFiles(const GuestArch& arch,
                                                   const std::string& program);

// Whether a program in ELF's 64-bit form needs no linker at run time.
bool IsStaticProgram(const std::string& elf);

}  // namespace hone::kernels

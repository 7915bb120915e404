// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/kconfig/guest/guest_workload.h"
#include "hone/domains/kconfig/guest/initramfs.h"

namespace hone::kernels {

// What a workload takes along of this machine, each file where it lies here: its programs, found in
// PATH, and its files, folders with all that is below. Nothing of it is run: what a program asks of
// the dynamic linker is read from it and looked for in the folders of libraries (the usual ones, if
// none are given). Libraries come with programs, with files that are named by themselves, and with
// those in folders that nobody but root and this user can change. A link is followed where it is
// named by itself, or stays in its folder. An Error names what is not there.
Result<std::vector<InitramfsFile>> TakenAlong(
    const GuestWorkload& workload, const std::vector<std::filesystem::path>& library_folders = {});

}  // namespace hone::kernels

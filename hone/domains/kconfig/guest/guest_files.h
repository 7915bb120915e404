// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/kconfig/guest/guest_workload.h"
#include "hone/domains/kconfig/guest/initramfs.h"

namespace hone::kernels {

// What a workload takes along of this machine, each file where it lies here: its programs, found in
// PATH, with the libraries that the dynamic linker gives them, and its files, folders with all that
// is below. An Error names what is not there.
Result<std::vector<InitramfsFile>> TakenAlong(const GuestWorkload& workload);

}  // namespace hone::kernels

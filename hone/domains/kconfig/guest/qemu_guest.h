// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hone/domains/kconfig/guest/guest.h"

namespace hone::kernels {

// QEMU, in a sandbox of its own: what breaks out of the guest is still there.
// The image is read by everybody (the sandbox is another user).
std::unique_ptr<Guest> MakeQemuGuest();

// The command that boots it, inside of the sandbox; the program first.
std::vector<std::string> QemuArguments(const GuestOrder& order);

}  // namespace hone::kernels

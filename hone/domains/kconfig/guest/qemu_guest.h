// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hone/domains/kconfig/guest/guest.h"

namespace hone::kernels {

// QEMU without acceleration, in a sandbox of its own: what breaks out of the guest is still there.
// The image is read by everybody (the sandbox is another user).
std::unique_ptr<Guest> MakeQemuGuest();

}  // namespace hone::kernels

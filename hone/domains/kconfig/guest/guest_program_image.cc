// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/guest_program_image.h"

#include "hone/core/embedded_file.h"

HONE_EMBED(kHoneGuestInit, HONE_GUEST_INIT_FILE)

namespace hone::kernels {

std::string_view GuestProgramSource() { return kHoneGuestInit(); }

}  // namespace hone::kernels

// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hone {

// Opens what a name leads to below an open folder, links on the way included; -1 with EXDEV if it
// leads out of the folder, by whatever way, and with ENOSYS before Linux 5.6.
int OpenBeneath(int folder, const char* name, int flags);

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "hone/base/descriptor.h"

namespace hone {

// Writes what the pipe takes without waiting, and takes it off `rest`; closes the pipe when all is
// written or nobody reads any more, without the SIGPIPE that would end us.
void WriteAvailable(Descriptor& to, std::string_view& rest);

}  // namespace hone

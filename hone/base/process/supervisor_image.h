// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/core/result.h"

namespace hone {

// The supervisor, as HONE_EMBED_PROGRAM gives it.
Result<int> SupervisorFile();

}  // namespace hone

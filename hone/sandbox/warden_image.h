// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/core/result.h"

namespace hone {

// The warden, as HONE_EMBED_PROGRAM gives it.
Result<int> WardenFile();

}  // namespace hone

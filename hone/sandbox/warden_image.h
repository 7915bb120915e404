// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/core/result.h"

namespace hone {

// The warden as an open file that can be executed; open as long as this process lives. It is part
// of our own program and is laid out in memory once, so nothing has to be installed or found.
Result<int> WardenFile();

}  // namespace hone

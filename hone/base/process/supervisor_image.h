// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/core/result.h"

namespace hone {

// A path under which this process, and its children until they execute something, can execute the
// supervisor. The program is part of our own and is laid out in memory once, so nothing has to be
// installed or found.
Result<std::string> SupervisorPath();

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/core/result.h"

namespace hone::sysctl {

// A path under which a child of this process can execute the guardian, until it executes something.
// The program is part of our own and is laid out in memory once: nothing has to be installed.
Result<std::string> GuardianPath();

}  // namespace hone::sysctl

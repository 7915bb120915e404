// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/core/result.h"

namespace hone::kconfig {

// The program of shell_jail_main.cc, which is embedded in the library; shell_jail.cc starts it.
Result<int> ShellJailFile();

}  // namespace hone::kconfig

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "hone/kconfig/shell/shell_jail.h"

namespace hone::kconfig {

// Why commands cannot be restricted on this machine; empty if they can.
inline std::string WhyNoJailHere() {
  ShellJail jail(ShellJailSettings{});
  const auto output = jail.Run("true", std::chrono::seconds{60});
  return output || output.error().code != Errc::kUnsupported ? "" : output.error().message;
}

}  // namespace hone::kconfig

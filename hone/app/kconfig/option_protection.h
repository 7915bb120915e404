// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/agent/walk/option_editor.h"

namespace hone::app {

// What a language model may not change of a kernel's options, unless `allowed` names it: what a
// machine needs to boot and what keeps it secure (data/kernels/protected.txt), and texts by which a
// build or a boot does something else: files of the machine that builds, programs, the command
// line.
agent::ProtectionRule OptionProtection(std::vector<std::string> allowed);

}  // namespace hone::app

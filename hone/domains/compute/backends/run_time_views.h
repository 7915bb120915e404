// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/sandbox/sandbox.h"

namespace hone::compute {

// The C and C++ run-time libraries and nothing else of this machine: where a policy allows no
// libraries, there are none to be found, by whatever way.
std::vector<SandboxView> RunTimeViews();

}  // namespace hone::compute

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/core/result.h"
#include "hone/domains/compute/backends/backend.h"
#include "hone/sandbox/warm_sandboxes.h"

namespace hone::compute {

// Hands a spare whose program speaks load_message.h what it shall hold (a library, a document),
// with shared memory of the order's size, and waits until it has loaded it.
Result<Loaded> LoadIntoRunner(WarmSandbox warm, int content, const std::string& entry_point,
                              const LoadOrder& order);

}  // namespace hone::compute

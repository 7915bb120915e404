// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>

#include "hone/core/result.h"

namespace hone::compute {

// Sends a runner its one message with these descriptors, waits until it has mapped what it shares
// with us, and returns its process: the kernel says who answered.
Result<pid_t> HandOver(int socket, std::span<const std::byte> message,
                       std::span<const int> descriptors);

}  // namespace hone::compute

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "hone/core/result.h"

namespace hone {

enum class Came { kReady, kInterrupt, kNothing };

// Blocks until the descriptor has one of poll's `events`, `interrupt` (if any) can be read, or
// `end` comes.
Result<Came> WaitFor(int descriptor, short events, std::chrono::steady_clock::time_point end,
                     int interrupt);

// The same, where only kReady will do: kUnavailable otherwise.
Result<void> AwaitReady(int descriptor, short events, std::chrono::steady_clock::time_point end,
                        int interrupt);

}  // namespace hone

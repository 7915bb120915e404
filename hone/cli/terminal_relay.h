// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/core/result.h"

namespace hone::cli {

// Connects a terminal with a stream socket until the other end closes that: every key goes through
// as it is pressed, Ctrl-C too, and what comes is shown as it comes. The terminal is then as it was
// before. Blocks.
Result<void> RelayTerminal(int input, int output, int socket);

}  // namespace hone::cli

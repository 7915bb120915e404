// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "hone/agent/mcp/mcp_server.h"
#include "hone/core/result.h"

namespace hone::agent {

// Serves one client over two descriptors, a message a line, until its input ends, until it reads no
// more, or until a stop is asked for. Then what it started is abandoned. Writes nothing to `out`
// but messages, and takes neither descriptor over.
Result<void> ServeStdio(McpServer& server, int in, int out, ToolCaller caller,
                        const std::stop_token& stop);

}  // namespace hone::agent

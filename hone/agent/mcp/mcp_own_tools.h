// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/agent/mcp/mcp_tool.h"

namespace hone::agent {

// The tools of the server itself, for what runs under a handle: get_result, get_record, stop_work.
// They are described here and done by the server; their `use` is empty.
std::vector<McpTool> McpOwnTools();

// The schemas of a tool that takes long, as clients see them: it takes `wait_s`, and its answer
// says how far it is beside what it found.
Json LongInputSchema(Json input);
Json LongOutputSchema(const Json& output);

}  // namespace hone::agent

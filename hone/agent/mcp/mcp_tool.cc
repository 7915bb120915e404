// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/mcp/mcp_tool.h"

#include <utility>

#include "hone/agent/chat/plain_text.h"

namespace hone::agent {

McpTool McpToolFrom(Tool tool) {
  McpTool made;
  made.name = tool.description.name;
  made.title = tool.description.name;
  made.description = tool.description.description;
  made.input_schema = tool.description.parameters;
  made.use = [use = std::move(tool.use)](const Json& arguments,
                                         const ToolRun&) -> Result<ToolAnswer> {
    auto text = use(arguments);
    if (!text) return text.error();
    return ToolAnswer{.text = QuotedText("found", *text), .facts = nullptr, .record = *text};
  };
  return made;
}

}  // namespace hone::agent

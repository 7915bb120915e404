// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "hone/agent/chat/tool.h"
#include "hone/base/json/json.h"
#include "hone/core/result.h"

namespace hone::agent {

// What a tool found out. That a candidate failed is an answer; an Error says that the tool failed.
struct ToolAnswer {
  std::string text;         // For the model: short. Others' words in it are quoted (plain_text.h).
  Json facts = nullptr;     // The same for programs, an object as the tool's output schema has it.
  std::string record = {};  // Everything, as long as it may be; fetched by handle.
};

// Who calls, as far as the transport knows.
struct ToolCaller {
  bool may_change_host = false;  // Where the server was told to allow it at all.
  std::string name = {};         // Whose it is what he starts; empty: there is only one.
  bool sees_all = false;         // What others have started too.

  bool Sees(const ToolCaller& other) const { return sees_all || name == other.name; }
};

// What a tool is given besides its arguments. All of it may be used from any thread until it
// returns.
struct ToolRun {
  std::stop_token wrap_up;  // To come to an end soon, with what there is.
  std::stop_token abandon;  // To stop at once; its answer is not wanted any more.
  std::function<void(std::string status)> tell;  // One line: where it is now.
  ToolCaller caller;
};

// A tool as a client of the Model Context Protocol sees it.
// NOLINTNEXTLINE(bugprone-exception-escape): of moving a Json, which does not throw.
struct McpTool {
  std::string name;
  std::string title;
  std::string description;
  Json input_schema;             // Of an object; what argument_check.h understands.
  Json output_schema = nullptr;  // Of ToolAnswer::facts; null: it has none.
  bool is_long = false;          // Runs on by itself; its answer is fetched by handle.
  bool is_read_only = true;      // It starts nothing and stores nothing.

  // Called in a thread of its own with arguments that fit the schema.
  std::function<Result<ToolAnswer>(const Json& arguments, const ToolRun& run)> use;
};

// The same tool with a text as its answer. The text is quoted: it comes from documents.
McpTool McpToolFrom(Tool tool);

}  // namespace hone::agent

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "hone/agent/chat/tool.h"
#include "hone/agent/mcp/mcp_tool.h"
#include "hone/app/builtins.h"
#include "hone/app/kernel/kernel_judge.h"
#include "hone/base/clock.h"
#include "hone/core/result.h"

// The tools of `hone mcp`, split by topic: mcp_tools_*.cc.
namespace hone::app {

struct McpToolSettings {
  std::filesystem::path store;
  std::vector<std::filesystem::path> readable;  // Folders whose files the tools may read.
  bool allows_host = false;                     // Campaigns may change this host.
  bool allows_deviations = false;               // From problems by name; verdicts say so.
  std::vector<std::string> only;                // Names of tools; empty: all.
};

// Lets campaigns that measure this machine run one after another.
class CampaignTurns;

// What the tools share.
struct McpToolShop {
  const Builtins& builtins;
  Clock& clock;
  McpToolSettings settings;
  KernelJudge judge;
  std::shared_ptr<CampaignTurns> turns;

  // The path itself if it lies in one of the folders; kInvalidArgument, with what to do, if not.
  Result<std::string> Readable(const std::string& path) const;
};
using McpToolShopPtr = std::shared_ptr<McpToolShop>;

// All tools, those of `more` behind the others, or those that are asked for. What is passed by
// reference outlives the tools. kInvalidArgument for a name that there is not.
Result<std::vector<agent::McpTool>> MakeMcpTools(const Builtins& builtins, Clock& clock,
                                                 McpToolSettings settings,
                                                 std::vector<agent::Tool> more = {});

// How the tools go together, for models.
std::string McpInstructions();

// One topic each.
std::vector<agent::McpTool> McpKernelTools(const McpToolShopPtr& shop);
std::vector<agent::McpTool> McpCampaignTools(const McpToolShopPtr& shop);
std::vector<agent::McpTool> McpKconfigTools(const McpToolShopPtr& shop);
std::vector<agent::McpTool> McpParameterTools();

// Parts of schemas.
Json SchemaOf(Json properties, const std::vector<std::string>& required);
Json TextSchema(std::string description, std::size_t max = 4096);
Json CountSchema(std::string description, std::int64_t min, std::int64_t max);
Json ListSchema(std::string description, std::size_t max);

// The first items of a list.
Json FirstItems(const Json& list, std::size_t max);

}  // namespace hone::app

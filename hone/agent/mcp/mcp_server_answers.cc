// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "hone/agent/chat/plain_text.h"
#include "hone/agent/mcp/mcp_server.h"
#include "hone/agent/mcp/protocol.h"

namespace hone::agent {
namespace {

constexpr std::int64_t kListTtlMs = 3'600'000;  // The tools do not change while the server lives.
constexpr std::string_view kRecordUri = "hone://results/";

Json ToolFacts(const McpTool& tool) {
  Json facts{{"name", tool.name},
             {"title", tool.title},
             {"description", tool.description},
             {"inputSchema", tool.input_schema},
             {"annotations",
              {{"readOnlyHint", tool.is_read_only},
               {"destructiveHint", false},
               {"openWorldHint", false}}}};
  if (!tool.output_schema.is_null()) facts["outputSchema"] = tool.output_schema;
  return facts;
}

// The place in the list that a cursor of ours stands for.
std::optional<std::size_t> PlaceOf(const Json& cursor) {
  if (!cursor.is_string()) return std::nullopt;
  const auto text = cursor.get<std::string>();
  if (text.empty() || text.size() > 6 ||
      text.find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  return std::stoul(text);
}

}  // namespace

Json McpServer::ServerFacts() const {
  return {{"name", "hone"}, {"title", "Hone"}, {"version", settings_.version}};
}

Json McpServer::Capabilities(bool is_modern) const {
  Json can{{"tools", Json::object()}, {"resources", Json::object()}};
  if (is_modern) can["extensions"] = {{kMcpTasksExtension, Json::object()}};
  return can;
}

void McpServer::SendResult(const Request& request, Json result) const {
  if (request.is_modern) {
    if (!result.contains("resultType")) result["resultType"] = "complete";
    result["_meta"][kMcpServerInfoKey] = ServerFacts();
  }
  request.reply->Answer(RpcResultText(request.message.id, result), 200);
}

void McpServer::SendList(const Request& request, Json result, bool is_public) const {
  if (request.is_modern) {
    result["ttlMs"] = is_public ? kListTtlMs : 0;
    result["cacheScope"] = is_public ? "public" : "private";
  }
  SendResult(request, std::move(result));
}

void McpServer::SendFault(const Request& request, const RpcFault& fault) const {
  request.reply->Answer(RpcFaultText(request.message.id, fault), fault.status);
}

void McpServer::Discover(const Request& request) {
  Json versions = Json::array({kMcpModernVersion});
  for (const std::string_view version : kMcpLegacyVersions) versions.push_back(version);
  SendList(request,
           {{"supportedVersions", std::move(versions)},
            {"capabilities", Capabilities(true)},
            {"instructions", settings_.instructions}},
           true);
}

void McpServer::ListTools(const Request& request) {
  std::vector<const McpTool*> all;
  for (const McpTool& tool : settings_.tools) all.push_back(&tool);
  for (const McpTool& tool : own_tools_) all.push_back(&tool);
  std::size_t place = 0;
  if (const auto cursor = request.message.params.find("cursor");
      cursor != request.message.params.end()) {
    const auto asked = PlaceOf(*cursor);
    if (!asked || *asked >= all.size()) {
      SendFault(request, {kRpcInvalidParams, "cursor: not one of this server's", nullptr, 200});
      return;
    }
    place = *asked;
  }
  Json tools = Json::array();
  const std::size_t end = std::min(all.size(), place + settings_.page);
  for (; place < end; ++place) tools.push_back(ToolFacts(*all[place]));
  Json result{{"tools", std::move(tools)}};
  if (end < all.size()) result["nextCursor"] = std::to_string(end);
  SendList(request, std::move(result), true);
}

void McpServer::ListResources(const Request& request) {
  Json resources = Json::array();
  for (const WorkView& view : long_.List(request.caller)) {
    if (!view.answer || view.answer->record.empty()) continue;
    resources.push_back({{"uri", fmt::format("{}{}", kRecordUri, view.handle)},
                         {"name", fmt::format("{} {}", view.tool, view.handle)},
                         {"mimeType", "application/json"},
                         {"size", view.answer->record.size()}});
  }
  SendList(request, {{"resources", std::move(resources)}}, false);
}

void McpServer::ListTemplates(const Request& request) {
  const Json record{{"uriTemplate", fmt::format("{}{{handle}}", kRecordUri)},
                    {"name", "record"},
                    {"description", "Everything about a finished call, by its handle."},
                    {"mimeType", "application/json"}};
  SendList(request, {{"resourceTemplates", Json::array({record})}}, true);
}

void McpServer::ReadResource(const Request& request) {
  const Json uri = request.message.params.value("uri", Json(nullptr));
  const std::string name = uri.is_string() ? uri.get<std::string>() : "";
  const bool is_ours = name.starts_with(kRecordUri);
  const auto view =
      is_ours ? long_.Look(name.substr(kRecordUri.size()), request.caller)
              : Result<WorkView>(Error{Errc::kNotFound, "uri: expected hone://results/HANDLE"});
  if (!view || !view->answer) {
    const std::string why =
        view ? "it has no record: " + std::string(NameOf(view->state)) : view.error().message;
    SendFault(request, {request.is_modern ? kRpcInvalidParams : kMcpResourceNotFound,
                        fmt::format("Resource not found: {}", why),
                        {{"uri", name.substr(0, 200)}},
                        200});
    return;
  }
  const Json content{
      {"uri", name}, {"mimeType", "application/json"}, {"text", PlainText(view->answer->record)}};
  SendList(request, {{"contents", Json::array({content})}}, false);
}

}  // namespace hone::agent

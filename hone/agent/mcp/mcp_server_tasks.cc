// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "hone/agent/chat/plain_text.h"
#include "hone/agent/mcp/mcp_server.h"
#include "hone/agent/mcp/protocol.h"
#include "hone/base/json/records.h"

namespace hone::agent {
namespace {

constexpr std::int64_t kTaskTtlMs = 86'400'000;
constexpr std::int64_t kTaskPollMs = 1'000;
constexpr std::size_t kMaxFollowed = 100;  // Tasks of one subscription.

RpcFault MissingTasks() {
  const Json needed{{"extensions", {{kMcpTasksExtension, Json::object()}}}};
  return {kMcpMissingCapability,
          "Missing required client capability",
          {{"requiredCapabilities", needed}},
          400};
}

std::string_view TaskStatus(WorkState state) {
  switch (state) {
    case WorkState::kWaiting:
    case WorkState::kRunning:
      return "working";
    case WorkState::kStopped:
      return "cancelled";
    default:
      return "completed";  // A tool that failed has a result that says so.
  }
}

}  // namespace

Json McpServer::TaskJson(const WorkView& view, const Request& request) const {
  Json task{{"taskId", view.handle},
            {"status", TaskStatus(view.state)},
            {"createdAt", IsoTime(view.created)},
            {"lastUpdatedAt", IsoTime(view.updated)},
            {"ttlMs", kTaskTtlMs},
            {"pollIntervalMs", kTaskPollMs}};
  if (!view.status.empty()) task["statusMessage"] = PlainText(view.status);
  if (view.HasEnded() && view.state != WorkState::kStopped) {
    task["result"] = ResultOf(view, request);
    task["result"]["resultType"] = "complete";
  }
  return task;
}

void McpServer::CreateTask(const RequestPtr& request, const std::string& handle) {
  const auto view = long_.Look(handle, request->caller);
  if (!view) {
    Conclude(*request, ToolError(view.error()));
    return;
  }
  Json task = TaskJson(*view, *request);
  task.erase("result");  // It is fetched, even if it is there by now.
  task["status"] = "working";
  task["resultType"] = "task";
  if (!Conclude(*request, std::move(task))) {
    static_cast<void>(long_.Stop(handle, request->caller, true));
  }
}

void McpServer::HandleTask(const RequestPtr& request) {
  const std::string& method = request->message.method;
  const bool is_known =
      method == "tasks/get" || method == "tasks/update" || method == "tasks/cancel";
  if (!is_known) {
    SendFault(*request, {kRpcMethodNotFound,
                         fmt::format("Method not found: {}", method.substr(0, 80)), nullptr, 404});
    return;
  }
  if (!request->has_tasks) return SendFault(*request, MissingTasks());
  const Json id = request->message.params.value("taskId", Json(nullptr));
  const auto view = long_.Look(id.is_string() ? id.get<std::string>() : "", request->caller);
  if (!view) {
    return SendFault(*request,
                     {kRpcInvalidParams, "taskId: " + view.error().message, nullptr, 200});
  }
  if (method == "tasks/get") return SendResult(*request, TaskJson(*view, *request));
  // An update is only acknowledged: nothing here ever asks for input.
  if (method == "tasks/cancel") {
    static_cast<void>(long_.Stop(view->handle, request->caller, true));
  }
  SendResult(*request, Json::object());
}

void McpServer::Listen(const RequestPtr& request) {
  const Json filter = request->message.params.value("notifications", Json::object());
  const Json wanted = filter.is_object() ? filter.value("taskIds", Json::array()) : Json::array();
  if (!wanted.is_array() || wanted.size() > kMaxFollowed) {
    SendFault(*request,
              {kRpcInvalidParams, fmt::format("taskIds: expected at most {} ids", kMaxFollowed),
               nullptr, 400});
    return;
  }
  if (!wanted.empty() && !request->has_tasks) return SendFault(*request, MissingTasks());
  if (!Claim(request, true)) return;
  // The lists here never change: tasks are all that can be subscribed to.
  Json followed = Json::array();
  for (const Json& id : wanted) {
    const bool is_there = id.is_string() && long_.Look(id.get<std::string>(), request->caller);
    if (is_there) followed.push_back(id);
  }
  const Json meta{{kMcpSubscriptionKey, request->message.id}};
  Json honoured = Json::object();
  if (!followed.empty()) honoured["taskIds"] = followed;
  request->reply->Notify(RpcNotificationText("notifications/subscriptions/acknowledged",
                                             {{"_meta", meta}, {"notifications", honoured}}));
  std::vector<WorkBoard::Watch> watches;
  for (const Json& id : followed) {
    auto watch =
        long_.Follow(id.get<std::string>(), request->caller, std::nullopt,
                     [this, request, meta](const WorkView& view, bool) {
                       Json task = TaskJson(view, *request);
                       task["_meta"] = meta;
                       const std::lock_guard lock(mutex_);
                       const auto found = in_flight_.find(request->Key());
                       if (found == in_flight_.end() || found->second.is_cancelled) return;
                       request->reply->Notify(RpcNotificationText("notifications/tasks", task));
                     });
    if (watch) watches.push_back(*watch);
  }
  OnCancel(*request, [this, watches] {
    for (const WorkBoard::Watch& watch : watches) long_.Unwatch(watch);
  });
}

}  // namespace hone::agent

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hone/agent/chat/plain_text.h"
#include "hone/agent/mcp/argument_check.h"
#include "hone/agent/mcp/mcp_server.h"
#include "hone/agent/mcp/protocol.h"
#include "hone/core/nearest.h"

namespace hone::agent {
namespace {

constexpr std::size_t kMaxText = 24 << 10;
constexpr std::size_t kMaxFacts = 256 << 10;
constexpr std::size_t kRecordPage = 16 << 10;

Json TextContent(std::string_view text) { return {{"type", "text"}, {"text", text}}; }

Json PlainResult(const std::string& text) {
  return {{"content", Json::array({TextContent(text)})}};
}

WorkBoard::Deadline DeadlineIn(Clock& clock, const Json& arguments,
                               std::chrono::milliseconds usual) {
  const auto found = arguments.find("wait_s");
  if (found == arguments.end()) return clock.Now() + usual;
  return clock.Now() +
         std::chrono::milliseconds(static_cast<std::int64_t>(1000 * found->get<double>()));
}

std::string StandingText(const WorkView& view) {
  const std::string status = view.status.empty() ? "" : ": " + view.status;
  switch (view.state) {
    case WorkState::kStopped:
      return fmt::format("stopped{}\nhandle: {}\n", status, view.handle);
    case WorkState::kWaiting:
      return fmt::format("waiting for its turn\nhandle: {}\nCall get_result with this handle.\n",
                         view.handle);
    default:
      return fmt::format("running{}\nhandle: {}\nCall get_result with this handle.\n", status,
                         view.handle);
  }
}

const McpTool* ToolNamed(const std::vector<McpTool>& tools, const std::string& name) {
  const auto found = std::find_if(tools.begin(), tools.end(),
                                  [&](const McpTool& tool) { return tool.name == name; });
  return found == tools.end() ? nullptr : &*found;
}

std::string UnknownTool(const std::string& name, const std::vector<McpTool>& tools,
                        const std::vector<McpTool>& own) {
  std::vector<std::string> names;
  for (const auto* const list : {&tools, &own}) {
    for (const McpTool& tool : *list) names.push_back(tool.name);
  }
  return "Unknown tool: " + NoSuch("tool", name.substr(0, 80), names);
}

}  // namespace

Json McpServer::ToolError(const Error& error) const {
  Json result = PlainResult(CutText(PlainText(error.message), kMaxText));
  result["isError"] = true;
  return result;
}

Json McpServer::ResultOf(const WorkView& view, const Request& request) const {
  if (view.error) return ToolError(*view.error);
  const bool is_kept = long_.Look(view.handle, request.caller).has_value();
  Json facts = view.answer ? PlainJson(view.answer->facts) : Json(nullptr);
  if (is_kept) {
    Json standing{
        {"handle", view.handle}, {"state", NameOf(view.state)}, {"status", PlainText(view.status)}};
    if (!facts.is_null()) standing["result"] = std::move(facts);
    facts = std::move(standing);
  }
  const std::string text =
      view.answer ? CutText(PlainText(view.answer->text), kMaxText) : StandingText(view);
  Json result = PlainResult(text);
  if (view.answer && is_kept && !view.answer->record.empty() &&
      HasMcpResourceLinks(request.version)) {
    result["content"].push_back({{"type", "resource_link"},
                                 {"uri", fmt::format("hone://results/{}", view.handle)},
                                 {"name", "the whole record"},
                                 {"mimeType", "application/json"}});
  }
  if (facts.is_null()) return result;
  if (Dump(facts).size() > kMaxFacts) {
    return ToolError({Errc::kUnsupported, "the answer is too large: ask for less"});
  }
  result["structuredContent"] = std::move(facts);
  return result;
}

// Tells how far it is, and at last answers.
WorkBoard::Watcher McpServer::AnswerWith(const RequestPtr& request) {
  const Json token = request->message.Meta("progressToken");
  const bool wants_progress = token.is_string() || token.is_number_integer();
  const auto step = std::make_shared<std::int64_t>(0);  // Only the board's thread counts.
  return [this, request, token, wants_progress, step](const WorkView& view, bool is_last) {
    if (is_last) {
      Conclude(*request, ResultOf(view, *request));
      return;
    }
    if (!wants_progress || view.status.empty()) return;
    const std::lock_guard lock(mutex_);  // So that none follows a cancellation.
    const auto found = in_flight_.find(request->Key());
    if (found == in_flight_.end() || found->second.is_cancelled) return;
    request->reply->Notify(RpcNotificationText(
        "notifications/progress",
        {{"progressToken", token}, {"progress", ++*step}, {"message", PlainText(view.status)}}));
  };
}

void McpServer::CallTool(const RequestPtr& request) {
  const Json& params = request->message.params;
  const Json name = params.value("name", Json(nullptr));
  const Json arguments = params.value("arguments", Json::object());
  if (!name.is_string() || !arguments.is_object()) {
    SendFault(*request, {kRpcInvalidParams,
                         "tools/call: expected {\"name\": a text, \"arguments\": an object}",
                         nullptr, request->is_modern ? 400 : 200});
    return;
  }
  const McpTool* own = ToolNamed(own_tools_, name.get<std::string>());
  const McpTool* tool = own != nullptr ? own : ToolNamed(settings_.tools, name.get<std::string>());
  if (tool == nullptr) {
    SendFault(*request,
              {kRpcInvalidParams, UnknownTool(name.get<std::string>(), settings_.tools, own_tools_),
               nullptr, 200});
    return;
  }
  if (const auto fits = CheckArguments(arguments, tool->input_schema); !fits) {
    SendResult(*request, ToolError(fits.error()));  // So that the model can correct it.
    return;
  }
  if (!Claim(request)) return;
  if (own != nullptr) {
    CallOwnTool(request, tool->name, arguments);
  } else if (tool->is_long) {
    UseForLong(request, *tool, arguments);
  } else {
    UseQuickly(request, *tool, arguments);
  }
}

void McpServer::UseQuickly(const RequestPtr& request, const McpTool& tool, const Json& arguments) {
  auto watch = quick_.Start(
      tool.name, [&tool, arguments](const ToolRun& run) { return tool.use(arguments, run); },
      request->caller, std::nullopt, AnswerWith(request));
  if (!watch) {
    Conclude(*request, ToolError(watch.error()));
    return;
  }
  OnCancel(*request, [this, watch = *watch, caller = request->caller] {
    quick_.Unwatch(watch);
    static_cast<void>(quick_.Stop(watch.handle, caller, true));
  });
}

void McpServer::UseForLong(const RequestPtr& request, const McpTool& tool, Json arguments) {
  const WorkBoard::Deadline until = DeadlineIn(clock_, arguments, settings_.wait);
  arguments.erase("wait_s");
  const bool is_task = request->is_modern && request->has_tasks;
  auto watch = long_.Start(
      tool.name,
      [&tool, arguments = std::move(arguments)](const ToolRun& run) {
        return tool.use(arguments, run);
      },
      request->caller, until,
      is_task ? WorkBoard::Watcher([](const WorkView&, bool) {}) : AnswerWith(request));
  if (!watch) {
    Conclude(*request, ToolError(watch.error()));
    return;
  }
  if (is_task) {
    CreateTask(request, watch->handle);
    return;
  }
  OnCancel(*request, [this, watch = *watch, caller = request->caller] {
    long_.Unwatch(watch);
    static_cast<void>(long_.Stop(watch.handle, caller, true));
  });
}

void McpServer::CallOwnTool(const RequestPtr& request, const std::string& name,
                            const Json& arguments) {
  if (name == "get_result") return GetResult(request, arguments);
  if (name == "get_record") return GetRecord(request, arguments);
  StopWork(request, arguments);
}

void McpServer::GetResult(const RequestPtr& request, const Json& arguments) {
  auto watch = long_.Follow(arguments["handle"].get<std::string>(), request->caller,
                            DeadlineIn(clock_, arguments, settings_.wait), AnswerWith(request));
  if (!watch) {
    Conclude(*request, ToolError(watch.error()));
    return;
  }
  OnCancel(*request, [this, watch = *watch] { long_.Unwatch(watch); });
}

void McpServer::GetRecord(const RequestPtr& request, const Json& arguments) {
  const auto view = long_.Look(arguments["handle"].get<std::string>(), request->caller);
  if (!view || !view->answer || view->answer->record.empty()) {
    Conclude(*request, ToolError(!view ? view.error()
                                       : Error{Errc::kUnavailable,
                                               fmt::format("{}: it has no record: it is {}",
                                                           view->handle, NameOf(view->state))}));
    return;
  }
  const std::string& record = view->answer->record;
  const std::size_t from =
      std::min<std::size_t>(arguments.value("from", std::size_t{0}), record.size());
  const std::string page = record.substr(from, kRecordPage);
  const std::size_t end = from + page.size();
  std::string text = QuotedText(fmt::format("bytes {} to {} of {}", from, end, record.size()), page,
                                kRecordPage, kRecordPage);
  if (end < record.size()) text += fmt::format("Go on with from={}.\n", end);
  Conclude(*request, PlainResult(text));
}

void McpServer::StopWork(const RequestPtr& request, const Json& arguments) {
  const auto handle = arguments["handle"].get<std::string>();
  const auto stopped = long_.Stop(handle, request->caller, arguments.value("now", false));
  const auto view = long_.Look(handle, request->caller);
  Conclude(*request, stopped && view ? ResultOf(*view, *request)
                                     : ToolError(stopped ? view.error() : stopped.error()));
}

}  // namespace hone::agent

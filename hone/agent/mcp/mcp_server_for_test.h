// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "hone/agent/mcp/mcp_server.h"
#include "hone/agent/mcp/protocol.h"
#include "hone/testing/fake_clock.h"
#include "hone/testing/wait_until.h"

namespace hone::agent {

// Keeps what comes.
class KeptReply final : public McpReply {
 public:
  void Notify(std::string text) override {
    const std::lock_guard lock(mutex_);
    notes_.push_back(std::move(text));
  }
  void Answer(std::string text, int status) override {
    const std::lock_guard lock(mutex_);
    answers_.push_back(std::move(text));
    status_ = status;
  }

  void Drop() override { is_dropped_ = true; }

  bool is_dropped() const { return is_dropped_; }
  std::vector<Json> notes() const {
    const std::lock_guard lock(mutex_);
    return Parsed(notes_);
  }
  std::vector<Json> answers() const {
    const std::lock_guard lock(mutex_);
    return Parsed(answers_);
  }
  int status() const {
    const std::lock_guard lock(mutex_);
    return status_;
  }
  Json Await() const {
    WaitUntil([this] { return !answers().empty(); }, "the request is answered");
    return answers().front();
  }

 private:
  static std::vector<Json> Parsed(const std::vector<std::string>& texts) {
    std::vector<Json> all;
    for (const std::string& text : texts) all.push_back(ParseJson(text, "answer").value());
    return all;
  }

  mutable std::mutex mutex_;
  std::vector<std::string> notes_;  // Protected by mutex_, as what follows.
  std::vector<std::string> answers_;
  int status_ = 0;
  std::atomic<bool> is_dropped_ = false;
};

inline McpTool ToolForTest(std::string name, bool is_long,
                           std::function<Result<ToolAnswer>(const Json&, const ToolRun&)> use) {
  McpTool tool;
  tool.name = std::move(name);
  tool.title = tool.name;
  tool.description = "For tests.";
  tool.input_schema = {{"type", "object"},
                       {"properties", {{"text", {{"type", "string"}}}}},
                       {"additionalProperties", false}};
  tool.is_long = is_long;
  tool.use = std::move(use);
  return tool;
}

// echo says its text; fail fails; slow tells "half" and runs until it is asked to stop: it then has
// found something, or nothing if it was given up.
inline std::vector<McpTool> ToolsForTest() {
  return {ToolForTest("echo", false,
                      [](const Json& arguments, const ToolRun&) -> Result<ToolAnswer> {
                        const std::string text = arguments.value("text", "nothing");
                        return ToolAnswer{text, {{"said", text}}, ""};
                      }),
          ToolForTest("fail", false,
                      [](const Json&, const ToolRun&) -> Result<ToolAnswer> {
                        return Error{Errc::kUnavailable, "the disk is full"};
                      }),
          ToolForTest("slow", true,
                      [](const Json&, const ToolRun& run) -> Result<ToolAnswer> {
                        run.tell("half");
                        WaitForStop(run.wrap_up);
                        if (run.abandon.stop_requested()) {
                          return Error{Errc::kUnavailable, "given up"};
                        }
                        return ToolAnswer{"found", {{"gain", 7}}, "the whole story"};
                      }),
          ToolForTest("fast", true, [](const Json&, const ToolRun&) -> Result<ToolAnswer> {
            return ToolAnswer{"found at once", {{"gain", 1}}, "all of it"};
          })};
}

// A server with a clock that stands still, and one peer.
class McpServerForTest {
 public:
  explicit McpServerForTest(std::size_t page = 100) : server_(SettingsOf(page), clock_) {
    peer.scope = "test";
  }

  std::shared_ptr<KeptReply> Send(const std::string& text) {
    auto reply = std::make_shared<KeptReply>();
    was_accepted = server_.Accept(text, peer, reply);
    return reply;
  }
  std::shared_ptr<KeptReply> Send(const Json& message) { return Send(Dump(message)); }

  McpServer& server() { return server_; }
  FakeClock& clock() { return clock_; }

  McpPeer peer;
  bool was_accepted = false;  // The last message.

 private:
  static McpSettings SettingsOf(std::size_t page) {
    McpSettings settings;
    settings.version = "1.2.3";
    settings.instructions = "Use echo.";
    settings.tools = ToolsForTest();
    settings.page = page;
    settings.max_message = 1 << 20;
    settings.max_in_flight = 8;
    return settings;
  }

  FakeClock clock_;
  McpServer server_;
};

inline Json LegacyRequest(const Json& id, const std::string& method,
                          const Json& params = Json::object()) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}};
}

inline Json ModernRequest(const Json& id, const std::string& method, Json params = Json::object(),
                          bool has_tasks = false) {
  params["_meta"][kMcpVersionKey] = kMcpModernVersion;
  Json can = Json::object();
  if (has_tasks) can["extensions"] = {{kMcpTasksExtension, Json::object()}};
  params["_meta"][kMcpCapabilitiesKey] = can;
  return LegacyRequest(id, method, params);
}

inline Json CallOf(const std::string& tool, const Json& arguments = Json::object()) {
  return {{"name", tool}, {"arguments", arguments}};
}

}  // namespace hone::agent

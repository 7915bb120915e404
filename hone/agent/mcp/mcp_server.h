// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/mcp/json_rpc.h"
#include "hone/agent/mcp/mcp_tool.h"
#include "hone/agent/mcp/work_board.h"
#include "hone/base/clock.h"

namespace hone::agent {

// Where the answer to one message goes. Safe for concurrent use.
class McpReply {
 public:
  virtual ~McpReply() = default;
  virtual void Notify(std::string text) = 0;              // Before the answer; any number.
  virtual void Answer(std::string text, int status) = 0;  // Once; the status is for HTTP.
  virtual void Drop() = 0;  // Instead: it was cancelled, and there will be none.
};

// Headers of HTTP that must say the same as the body, in the modern era.
struct McpHeaders {
  std::string version;  // MCP-Protocol-Version; empty: it was not sent, as the others.
  std::string method;   // Mcp-Method
  std::string name;     // Mcp-Name, decoded.
};

// Whom messages come from.
struct McpPeer {
  std::string scope;           // Whose ids they are: a process, or a session of HTTP.
  std::string legacy_version;  // As agreed by `initialize`; empty: not yet.
  ToolCaller caller;
  std::optional<McpHeaders> headers = std::nullopt;  // Over HTTP.
  bool has_begun = false;                            // Set by `initialize`.
};

struct McpSettings {
  std::string version;       // Of the server.
  std::string instructions;  // For models: how the tools go together.
  std::vector<McpTool> tools;
  std::size_t page = 100;             // Tools in one answer of tools/list.
  std::size_t max_message = 4 << 20;  // Bytes.
  std::size_t max_in_flight = 256;    // Requests of one peer.
  std::chrono::milliseconds wait{
      30'000};  // For a tool that takes long, where the caller says nothing.
};

// The Model Context Protocol without a transport, in both eras. Tools that take long run on under a
// handle; `get_result`, `get_record` and `stop_work` are its own tools for that, and in the modern
// era clients that know tasks get tasks. Safe for concurrent use, as far as each message has a peer
// of its own or those of one peer come one after another.
class McpServer {
 public:
  // `clock` outlives it.
  McpServer(McpSettings settings, Clock& clock);
  ~McpServer();  // Abandons what runs, and waits for it.

  // Handles one message, or a batch where the peer's version has them. Never blocks for long.
  // False: there will be no answer. Otherwise `reply` gets one, from any thread, unless the request
  // is cancelled.
  bool Accept(std::string_view text, McpPeer& peer, const std::shared_ptr<McpReply>& reply);

  // Cancels every request of this scope; those that started work take it along.
  void CancelAll(const std::string& scope);
  void CancelAll();  // Those of every scope. Nothing is said to their replies after this.

  // Ends subscriptions of this scope with an answer, and waits up to `timeout` of real time for the
  // other requests. True: all were answered.
  bool Finish(const std::string& scope, std::chrono::milliseconds timeout);

  const McpSettings& settings() const { return settings_; }

 private:
  // A request on its way.
  struct Request {
    RpcMessage message;
    bool is_modern = false;
    std::string version;
    bool has_tasks = false;  // The client knows the extension.
    std::string scope;
    ToolCaller caller;
    std::shared_ptr<McpReply> reply;

    std::string Key() const;
  };
  using RequestPtr = std::shared_ptr<const Request>;

  struct InFlight {
    bool is_cancelled = false;
    bool is_subscription = false;
    std::function<void()> on_cancel;
    RequestPtr request;
  };

  // mcp_server.cc: messages and eras.
  bool AcceptOne(const Json& document, McpPeer& peer, const std::shared_ptr<McpReply>& reply);
  bool AcceptBatch(const Json& batch, McpPeer& peer, const std::shared_ptr<McpReply>& reply);
  std::optional<RpcFault> EnterEra(Request& request, McpPeer& peer) const;
  void Handle(const RequestPtr& request, McpPeer& peer);
  std::optional<RpcFault> Initialize(const Request& request, McpPeer& peer);
  void HandleNotification(const RpcMessage& message, const McpPeer& peer);
  void Cancel(const std::string& key);
  std::vector<std::string> KeysOf(const std::optional<std::string>& scope);

  // mcp_server_answers.cc: what needs no tool, and how answers are sent.
  void Discover(const Request& request);
  void ListTools(const Request& request);
  void ListResources(const Request& request);
  void ListTemplates(const Request& request);
  void ReadResource(const Request& request);
  Json ServerFacts() const;
  Json Capabilities(bool is_modern) const;
  void SendResult(const Request& request, Json result) const;
  void SendList(const Request& request, Json result, bool is_public) const;
  void SendFault(const Request& request, const RpcFault& fault) const;

  // mcp_server_calls.cc: tools.
  void CallTool(const RequestPtr& request);
  void CallOwnTool(const RequestPtr& request, const std::string& name, const Json& arguments);
  void UseQuickly(const RequestPtr& request, const McpTool& tool, const Json& arguments);
  void UseForLong(const RequestPtr& request, const McpTool& tool, Json arguments);
  void GetResult(const RequestPtr& request, const Json& arguments);
  void GetRecord(const RequestPtr& request, const Json& arguments);
  void StopWork(const RequestPtr& request, const Json& arguments);
  WorkBoard::Watcher AnswerWith(const RequestPtr& request);
  Json ResultOf(const WorkView& view, const Request& request) const;
  Json ToolError(const Error& error) const;

  // mcp_server_tasks.cc: tasks and subscriptions of the modern era.
  void CreateTask(const RequestPtr& request, const std::string& handle);
  void HandleTask(const RequestPtr& request);
  void Listen(const RequestPtr& request);
  Json TaskJson(const WorkView& view, const Request& request) const;

  // Requests that are not answered yet. False: refused, and the answer was sent.
  bool Claim(const RequestPtr& request, bool is_subscription = false);
  void OnCancel(const Request& request, std::function<void()> act);
  // Sends the result. False: the request was cancelled, and nothing was sent.
  bool Conclude(const Request& request, Json result);

  const McpSettings settings_;
  const std::vector<McpTool> own_tools_;
  Clock& clock_;
  std::mutex mutex_;
  std::condition_variable released_;
  std::map<std::string, InFlight> in_flight_;  // By key. Protected by mutex_.
  WorkBoard quick_;                            // Last, so that what their watchers use is there.
  WorkBoard long_;
};

// The answer to a message that is too long to be read.
std::string TooLongText(std::size_t max_bytes);

}  // namespace hone::agent

// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/mcp/mcp_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hone/agent/mcp/mcp_own_tools.h"
#include "hone/agent/mcp/protocol.h"

namespace hone::agent {
namespace {

constexpr std::size_t kMaxBatch = 50;
constexpr std::size_t kMaxDepth = 64;
constexpr WorkBoard::Limits kQuickLimits{.running = 8, .waiting = 256, .kept = 0};
constexpr WorkBoard::Limits kLongLimits{.running = 8, .waiting = 32, .kept = 200};

Json SupportedVersions() {
  Json versions = Json::array({kMcpModernVersion});
  for (const std::string_view version : kMcpLegacyVersions) versions.push_back(version);
  return versions;
}

RpcFault UnsupportedVersion(const std::string& requested) {
  return {kMcpUnsupportedVersion,
          "Unsupported protocol version",
          {{"supported", SupportedVersions()}, {"requested", requested.substr(0, 64)}},
          400};
}

RpcFault HeaderFault(std::string_view header, const std::string& sent, const std::string& body) {
  const std::string what = sent.empty() ? "it is missing" : fmt::format("it says \"{}\"", sent);
  return {kMcpHeaderMismatch,
          fmt::format("Header mismatch: {}: {}, the body says \"{}\"", header, what, body), nullptr,
          400};
}

// What the header Mcp-Name mirrors for this method; null: nothing.
Json NamedIn(const RpcMessage& message) {
  const char* member = nullptr;
  if (message.method == "tools/call" || message.method == "prompts/get") member = "name";
  if (message.method == "resources/read") member = "uri";
  if (message.method.starts_with("tasks/")) member = "taskId";
  return member == nullptr ? Json(nullptr) : message.params.value(member, Json(nullptr));
}

std::optional<RpcFault> CheckHeaders(const RpcMessage& message, const std::string& version,
                                     const McpHeaders& headers) {
  if (headers.version != version) {
    return HeaderFault("MCP-Protocol-Version", headers.version, version);
  }
  if (headers.method != message.method) {
    return HeaderFault("Mcp-Method", headers.method, message.method.substr(0, 80));
  }
  const Json name = NamedIn(message);
  if (name.is_string() && name.get_ref<const std::string&>() != headers.name) {
    return HeaderFault("Mcp-Name", headers.name, name.get<std::string>().substr(0, 80));
  }
  return std::nullopt;
}

McpSettings WithLongSchemas(McpSettings settings) {
  for (McpTool& tool : settings.tools) {
    if (!tool.is_long) continue;
    tool.input_schema = LongInputSchema(std::move(tool.input_schema));
    tool.output_schema = LongOutputSchema(tool.output_schema);
  }
  return settings;
}

// Collects the answers of a batch and sends them as one.
class BatchReply final : public McpReply {
 public:
  explicit BatchReply(std::shared_ptr<McpReply> whole) : whole_(std::move(whole)) {}

  void Expect(std::size_t answers) {
    const std::lock_guard lock(mutex_);
    expected_ = answers;
    SendIfWhole();
  }
  void Notify(std::string text) override { whole_->Notify(std::move(text)); }
  void Answer(std::string text, int) override {
    const std::lock_guard lock(mutex_);
    texts_ += (texts_.empty() ? "[" : ",") + text;
    ++done_;
    SendIfWhole();
  }
  void Drop() override {
    const std::lock_guard lock(mutex_);
    ++done_;
    SendIfWhole();
  }

 private:
  void SendIfWhole() {  // mutex_ is held.
    if (expected_ == 0 || done_ < expected_) return;
    if (texts_.empty()) return whole_->Drop();
    whole_->Answer(texts_ + "]", 200);
  }

  const std::shared_ptr<McpReply> whole_;
  std::mutex mutex_;
  std::string texts_;         // Protected by mutex_, as what follows.
  std::size_t done_ = 0;      // Answered, or dropped.
  std::size_t expected_ = 0;  // 0: not known yet.
};

}  // namespace

std::string TooLongText(std::size_t max_bytes) {
  return RpcFaultText(
      nullptr, {kRpcInvalidRequest,
                fmt::format("the message is longer than {} bytes; it was not read", max_bytes),
                nullptr, 413});
}

std::string McpServer::Request::Key() const { return scope + "\n" + Dump(message.id); }

McpServer::McpServer(McpSettings settings, Clock& clock)
    : settings_(WithLongSchemas(std::move(settings))),
      own_tools_(McpOwnTools()),
      clock_(clock),
      quick_(kQuickLimits, clock),
      long_(kLongLimits, clock) {}

McpServer::~McpServer() = default;

bool McpServer::Accept(std::string_view text, McpPeer& peer,
                       const std::shared_ptr<McpReply>& reply) {
  if (text.size() > settings_.max_message) {
    reply->Answer(TooLongText(settings_.max_message), 413);
    return true;
  }
  const auto document = ParseJson(text, "message", {settings_.max_message, kMaxDepth});
  if (!document) {
    reply->Answer(RpcFaultText(nullptr, {kRpcParseError, document.error().message, nullptr, 400}),
                  400);
    return true;
  }
  return document->is_array() ? AcceptBatch(*document, peer, reply)
                              : AcceptOne(*document, peer, reply);
}

bool McpServer::AcceptBatch(const Json& batch, McpPeer& peer,
                            const std::shared_ptr<McpReply>& reply) {
  std::string refusal;
  if (!HasMcpBatches(peer.legacy_version)) {
    refusal = "an array: this version of the protocol has one message at a time";
  } else if (batch.empty() || batch.size() > kMaxBatch) {
    refusal = fmt::format("a batch has 1 to {} messages, found {}", kMaxBatch, batch.size());
  }
  if (!refusal.empty()) {
    reply->Answer(RpcFaultText(nullptr, {kRpcInvalidRequest, refusal, nullptr, 400}), 400);
    return true;
  }
  const auto parts = std::make_shared<BatchReply>(reply);
  std::size_t answers = 0;
  for (const Json& document : batch) answers += AcceptOne(document, peer, parts) ? 1 : 0;
  if (answers > 0) parts->Expect(answers);
  return answers > 0;
}

bool McpServer::AcceptOne(const Json& document, McpPeer& peer,
                          const std::shared_ptr<McpReply>& reply) {
  auto read = ReadRpcMessage(document);
  if (const auto* fault = std::get_if<RpcFault>(&read)) {
    reply->Answer(RpcFaultText(RpcIdOf(document), *fault), fault->status);
    return true;
  }
  auto& message = std::get<RpcMessage>(read);
  if (message.kind == RpcMessage::Kind::kResponse) return false;  // We ask nothing.
  if (message.kind == RpcMessage::Kind::kNotification) {
    HandleNotification(message, peer);
    return false;
  }
  auto request = std::make_shared<Request>();
  request->message = std::move(message);
  request->scope = peer.scope;
  request->caller = peer.caller;
  request->reply = reply;
  if (const auto fault = EnterEra(*request, peer)) {
    SendFault(*request, *fault);
    return true;
  }
  Handle(request, peer);
  return true;
}

std::optional<RpcFault> McpServer::EnterEra(Request& request, McpPeer& peer) const {
  const RpcMessage& message = request.message;
  const Json& version = message.Meta(kMcpVersionKey);
  if (message.method == "initialize") return std::nullopt;
  if (version.is_string()) {
    request.version = version.get<std::string>();
    if (request.version != kMcpModernVersion) return UnsupportedVersion(request.version);
    if (peer.headers) {
      if (auto fault = CheckHeaders(message, request.version, *peer.headers)) return fault;
    }
    const Json& can = message.Meta(kMcpCapabilitiesKey);
    if (!can.is_object()) {
      return RpcFault{kRpcInvalidParams,
                      fmt::format("params._meta: {} is missing", kMcpCapabilitiesKey), nullptr,
                      400};
    }
    request.is_modern = true;
    const auto extensions = can.find("extensions");
    request.has_tasks = extensions != can.end() && extensions->is_object() &&
                        extensions->contains(kMcpTasksExtension);
    return std::nullopt;
  }
  request.version = peer.legacy_version;
  const bool is_begun = IsMcpLegacyVersion(peer.legacy_version);
  if (!is_begun && !peer.legacy_version.empty() && peer.legacy_version != kMcpModernVersion) {
    return UnsupportedVersion(peer.legacy_version);  // As a header of HTTP said.
  }
  if (is_begun ? message.method != "server/discover" : message.method == "ping") {
    return std::nullopt;
  }
  return RpcFault{
      kRpcInvalidParams,
      fmt::format("{}: begin with initialize ({} or older), or say in params._meta: {} and {}",
                  message.method.substr(0, 80), kMcpLegacyVersions.front(), kMcpVersionKey,
                  kMcpCapabilitiesKey),
      nullptr, 400};
}

std::optional<RpcFault> McpServer::Initialize(const Request& request, McpPeer& peer) {
  const auto asked = request.message.params.find("protocolVersion");
  if (asked == request.message.params.end() || !asked->is_string()) {
    return RpcFault{
        kRpcInvalidParams,
        fmt::format("protocolVersion: it is missing; there are {}", Dump(SupportedVersions())),
        nullptr, 200};
  }
  const auto version = asked->get<std::string>();
  peer.legacy_version = IsMcpLegacyVersion(version) ? version : kMcpLegacyVersions.front();
  peer.has_begun = true;
  SendResult(request, {{"protocolVersion", peer.legacy_version},
                       {"capabilities", Capabilities(false)},
                       {"serverInfo", ServerFacts()},
                       {"instructions", settings_.instructions}});
  return std::nullopt;
}

void McpServer::Handle(const RequestPtr& request, McpPeer& peer) {
  const std::string& method = request->message.method;
  if (method == "initialize") {
    if (const auto fault = Initialize(*request, peer)) SendFault(*request, *fault);
  } else if (method == "ping" && !request->is_modern) {
    SendResult(*request, Json::object());
  } else if (method == "server/discover") {
    Discover(*request);
  } else if (method == "tools/list") {
    ListTools(*request);
  } else if (method == "tools/call") {
    CallTool(request);
  } else if (method == "resources/list") {
    ListResources(*request);
  } else if (method == "resources/templates/list") {
    ListTemplates(*request);
  } else if (method == "resources/read") {
    ReadResource(*request);
  } else if (request->is_modern && method == "subscriptions/listen") {
    Listen(request);
  } else if (request->is_modern && method.starts_with("tasks/")) {
    HandleTask(request);
  } else {
    SendFault(*request,
              {kRpcMethodNotFound, fmt::format("Method not found: {}", method.substr(0, 80)),
               nullptr, request->is_modern ? 404 : 200});
  }
}

void McpServer::HandleNotification(const RpcMessage& message, const McpPeer& peer) {
  if (message.method != "notifications/cancelled") return;
  const auto id = message.params.find("requestId");
  if (id == message.params.end()) return;
  Cancel(peer.scope + "\n" + Dump(*id));
}

void McpServer::Cancel(const std::string& key) {
  std::function<void()> act;
  {
    const std::lock_guard lock(mutex_);
    const auto found = in_flight_.find(key);
    if (found == in_flight_.end() || found->second.is_cancelled) return;
    found->second.is_cancelled = true;
    found->second.request->reply->Drop();
    act = std::exchange(found->second.on_cancel, nullptr);
    if (act) in_flight_.erase(found);  // Nobody releases it any more.
  }
  released_.notify_all();
  if (act) act();
}

void McpServer::CancelAll(const std::string& scope) {
  for (const std::string& key : KeysOf(scope)) Cancel(key);
}

void McpServer::CancelAll() {
  for (const std::string& key : KeysOf(std::nullopt)) Cancel(key);
}

std::vector<std::string> McpServer::KeysOf(const std::optional<std::string>& scope) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> keys;
  for (const auto& [key, in_flight] : in_flight_) {
    if (!scope || in_flight.request->scope == *scope) keys.push_back(key);
  }
  return keys;
}

bool McpServer::Finish(const std::string& scope, std::chrono::milliseconds timeout) {
  std::vector<RequestPtr> subscriptions;
  std::unique_lock lock(mutex_);
  for (const auto& [key, in_flight] : in_flight_) {
    if (in_flight.request->scope == scope && in_flight.is_subscription) {
      subscriptions.push_back(in_flight.request);
    }
  }
  lock.unlock();
  for (const RequestPtr& request : subscriptions) {
    Conclude(*request, {{"_meta", {{kMcpSubscriptionKey, request->message.id}}}});
  }
  lock.lock();
  return released_.wait_for(lock, timeout, [&] {
    return std::none_of(in_flight_.begin(), in_flight_.end(),
                        [&](const auto& entry) { return entry.second.request->scope == scope; });
  });
}

bool McpServer::Claim(const RequestPtr& request, bool is_subscription) {
  std::string refusal;
  {
    const std::lock_guard lock(mutex_);
    const auto count = std::count_if(in_flight_.begin(), in_flight_.end(), [&](const auto& entry) {
      return entry.second.request->scope == request->scope;
    });
    if (static_cast<std::size_t>(count) >= settings_.max_in_flight) {
      refusal = fmt::format("{} requests are not answered yet; wait for some", count);
    } else if (!in_flight_
                    .emplace(request->Key(), InFlight{false, is_subscription, nullptr, request})
                    .second) {
      refusal = "id: another request with it is not answered yet";
    }
  }
  if (refusal.empty()) return true;
  SendFault(*request, {kRpcInvalidRequest, refusal, nullptr, 200});
  return false;
}

void McpServer::OnCancel(const Request& request, std::function<void()> act) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = in_flight_.find(request.Key());
    if (found == in_flight_.end()) return;  // Answered already.
    if (!found->second.is_cancelled) {
      found->second.on_cancel = std::move(act);
      return;
    }
    in_flight_.erase(found);
  }
  released_.notify_all();
  act();
}

bool McpServer::Conclude(const Request& request, Json result) {
  bool is_wanted = false;
  {
    const std::lock_guard lock(mutex_);  // So that Finish sees it sent, and Cancel sees it gone.
    const auto found = in_flight_.find(request.Key());
    if (found == in_flight_.end()) return false;
    is_wanted = !found->second.is_cancelled;
    if (is_wanted) SendResult(request, std::move(result));
    in_flight_.erase(found);
  }
  released_.notify_all();
  return is_wanted;
}

}  // namespace hone::agent

// SPDX-License-Identifier: Apache-2.0
#include "hone/app/mcp/mcp_http.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "hone/agent/mcp/protocol.h"
#include "hone/app/service/http_shell.h"
#include "hone/core/base64.h"
#include "hone/server/http/event_stream.h"
#include "hone/server/http/router.h"
#include "hone/server/http/tokens.h"
#include "hone/server/live/async_condition.h"

namespace hone::app {
namespace {

using server::Async;
using server::HttpRequest;
using server::HttpResponse;

constexpr std::size_t kMaxSessionId = 128;
constexpr std::size_t kMaxNotesWaiting = 64;  // Of one request; more are left out.

// One thing to send.
struct McpPiece {
  enum class Kind { kNote, kAnswer, kSignOfLife, kDropped, kGone };
  Kind kind = Kind::kGone;
  std::string text;
  int status = 200;
};

using McpWakes = server::AsyncCondition;

// Keeps what is to be sent until the connection takes it.
class HttpReply final : public agent::McpReply {
 public:
  // What is passed by reference outlives it.
  HttpReply(McpWakes& wakes, Clock& clock, std::string key, bool takes_stream)
      : wakes_(wakes), clock_(clock), key_(std::move(key)), takes_stream_(takes_stream) {}

  void Notify(std::string text) override {
    if (!takes_stream_) return;
    Put({McpPiece::Kind::kNote, std::move(text), 200}, kMaxNotesWaiting);
  }
  void Answer(std::string text, int status) override {
    Put({McpPiece::Kind::kAnswer, std::move(text), status}, SIZE_MAX);
  }

  void Drop() override { Put({McpPiece::Kind::kDropped, "", 200}, SIZE_MAX); }

  bool takes_stream() const { return takes_stream_; }

  Async<McpPiece> Next(std::stop_token gone) {
    const auto waiter = wakes_.Register(key_);
    if (auto piece = Take()) co_return std::move(*piece);
    const auto woken = co_await waiter->Wait(clock_.Now() + server::kHeartbeat, gone);
    if (woken == server::WakeReason::kTimeout) {
      co_return McpPiece{McpPiece::Kind::kSignOfLife, "", 200};
    }
    if (woken != server::WakeReason::kCall) co_return McpPiece{};
    auto piece = Take();
    co_return piece ? std::move(*piece) : McpPiece{McpPiece::Kind::kSignOfLife, "", 200};
  }

 private:
  void Put(McpPiece piece, std::size_t max) {
    {
      const std::lock_guard lock(mutex_);
      if (pieces_.size() >= max) return;
      pieces_.push_back(std::move(piece));
    }
    wakes_.Call(key_);
  }
  std::optional<McpPiece> Take() {
    const std::lock_guard lock(mutex_);
    if (pieces_.empty()) return std::nullopt;
    McpPiece piece = std::move(pieces_.front());
    pieces_.pop_front();
    return piece;
  }

  McpWakes& wakes_;
  Clock& clock_;
  const std::string key_;
  const bool takes_stream_;
  std::mutex mutex_;
  std::deque<McpPiece> pieces_;  // Protected by mutex_.
};

// A request that is being answered.
struct McpExchange {
  agent::McpServer& mcp;
  std::shared_ptr<HttpReply> reply;
  std::string scope;
  bool ends_with_client = false;  // A client that leaves has cancelled it.
  std::stop_token gone;
  bool is_over = false;
  std::optional<McpPiece> first;  // Of a stream that has begun with it.

  void Leave() {
    is_over = true;
    if (ends_with_client) mcp.CancelAll(scope);
  }
};
using McpExchangePtr = std::shared_ptr<McpExchange>;

Async<std::optional<std::string>> NextMcpPiece(McpExchangePtr exchange) {
  if (exchange->is_over) co_return std::nullopt;
  McpPiece piece;
  if (exchange->first) {
    piece = std::move(*std::exchange(exchange->first, std::nullopt));
  } else {
    piece = co_await exchange->reply->Next(exchange->gone);
  }
  if (piece.kind == McpPiece::Kind::kSignOfLife) co_return std::string(server::kSignOfLife);
  if (piece.kind == McpPiece::Kind::kGone) exchange->Leave();
  if (piece.kind == McpPiece::Kind::kDropped) exchange->is_over = true;
  if (exchange->is_over) co_return std::nullopt;
  exchange->is_over = piece.kind == McpPiece::Kind::kAnswer;
  co_return fmt::format("event: message\ndata: {}\n\n", piece.text);
}

Async<HttpResponse> FirstResponse(McpExchangePtr exchange) {
  McpPiece piece{McpPiece::Kind::kSignOfLife, "", 200};
  while (piece.kind == McpPiece::Kind::kSignOfLife) {
    piece = co_await exchange->reply->Next(exchange->gone);
    if (exchange->reply->takes_stream()) break;
  }
  if (piece.kind == McpPiece::Kind::kAnswer) {
    co_return server::JsonTextResponse(piece.status, piece.text);
  }
  if (piece.kind == McpPiece::Kind::kGone) {
    exchange->Leave();
    co_return server::NativeError(503, "unavailable", "the server is shutting down");
  }
  if (piece.kind == McpPiece::Kind::kDropped && !exchange->reply->takes_stream()) {
    co_return server::NativeError(409, "cancelled", "the request was cancelled");
  }
  exchange->first = std::move(piece);
  HttpResponse response = server::StreamResponse([exchange] { return NextMcpPiece(exchange); });
  response.headers.emplace_back("x-accel-buffering", "no");
  co_return response;
}

bool IsSessionId(std::string_view id) {
  return !id.empty() && id.size() <= kMaxSessionId &&
         std::all_of(id.begin(), id.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

// A header that may be written as =?base64?…?=.
std::string DecodedHeader(std::string_view text) {
  static constexpr std::string_view kBegin = "=?base64?";
  static constexpr std::string_view kEnd = "?=";
  const bool is_coded = text.size() >= kBegin.size() + kEnd.size() && text.starts_with(kBegin) &&
                        text.ends_with(kEnd);
  if (!is_coded) return std::string(text);
  text.remove_prefix(kBegin.size());
  text.remove_suffix(kEnd.size());
  return Base64Decode(text);
}

// A session is its token's: who learns its name with another one cancels nothing in it.
std::string ScopeOf(const HttpRequest& request) {
  return fmt::format("session {} of {}", request.Header("mcp-session-id"), request.submitter);
}

bool Takes(std::string_view accept, std::string_view type) {
  return accept.find(type) != std::string_view::npos;
}

class ListeningMcpServer final : public McpHttpServer {
 public:
  ListeningMcpServer(agent::McpServer& mcp, Clock& clock, McpHttpSettings settings)
      : mcp_(mcp),
        clock_(clock),
        settings_(std::move(settings)),
        shell_(clock),
        wakes_(shell_.timers(), shell_.post()) {}

  ~ListeningMcpServer() override {
    wakes_.Close();
    shell_.StopListening();
    mcp_.CancelAll();     // Now nobody answers into what goes away.
    shell_.EndThreads();  // What they still run uses the rest.
  }

  Result<void> Listen() {
    return shell_.Listen(Routes(), settings_.http, settings_.access, "run code here");
  }

  std::uint16_t port() const override { return shell_.port(); }

 private:
  std::vector<server::Route> Routes() {
    server::Route post;
    post.method = "POST";
    post.path = "/mcp";
    post.access = server::Access::kSubmit;
    post.summary = "One message of the Model Context Protocol";
    post.request_schema = "any";
    post.handler = [this](const HttpRequest& request) { return Post(request); };
    server::Route leave;
    leave.method = "DELETE";
    leave.path = "/mcp";
    leave.access = server::Access::kSubmit;
    leave.summary = "Ends a session";
    leave.handler = [this](const HttpRequest& request) { return Leave(request); };
    return {std::move(post), std::move(leave)};
  }

  agent::McpPeer PeerOf(const HttpRequest& request) {
    agent::McpPeer peer;
    agent::McpHeaders headers{std::string(request.Header("mcp-protocol-version")),
                              std::string(request.Header("mcp-method")),
                              DecodedHeader(request.Header("mcp-name"))};
    const bool is_modern = headers.version == agent::kMcpModernVersion;
    const std::string_view session = request.Header("mcp-session-id");
    peer.scope = !is_modern && IsSessionId(session) ? ScopeOf(request)
                                                    : fmt::format("request {}", ++requests_);
    // Before 2025-06-18 there was no such header.
    peer.legacy_version = headers.version.empty() ? "2025-03-26" : headers.version;
    const bool is_admin = request.role == server::TokenRole::kAdmin;
    peer.caller = {.may_change_host = is_admin, .name = request.submitter, .sees_all = is_admin};
    peer.headers = std::move(headers);
    return peer;
  }

  Async<HttpResponse> Post(const HttpRequest& request) {
    const std::string_view accept = request.Header("accept");
    const bool takes_stream = Takes(accept, "text/event-stream");
    if (!accept.empty() && !takes_stream && !Takes(accept, "json") && !Takes(accept, "*/*")) {
      co_return server::NativeError(406, "not_acceptable",
                                    "accept: application/json, text/event-stream");
    }
    agent::McpPeer peer = PeerOf(request);
    auto exchange = std::make_shared<McpExchange>(McpExchange{
        mcp_,
        std::make_shared<HttpReply>(wakes_, clock_, fmt::format("{}", ++requests_), takes_stream),
        peer.scope, peer.headers->version == agent::kMcpModernVersion, request.gone, false,
        std::nullopt});
    if (!mcp_.Accept(request.body, peer, exchange->reply)) {
      HttpResponse accepted;
      accepted.status = 202;
      co_return accepted;
    }
    HttpResponse response = co_await FirstResponse(exchange);
    if (peer.has_begun) {
      auto session = server::MakeToken();
      if (session) response.headers.emplace_back("mcp-session-id", std::move(*session));
    }
    co_return response;
  }

  // What the session still waits for is cancelled; there is nothing else that it has.
  Async<HttpResponse> Leave(const HttpRequest& request) {
    const std::string_view session = request.Header("mcp-session-id");
    if (!IsSessionId(session)) {
      co_return server::NativeError(400, "bad_request", "mcp-session-id: it is missing");
    }
    mcp_.CancelAll(ScopeOf(request));
    HttpResponse done;
    done.status = 200;
    co_return done;
  }

  agent::McpServer& mcp_;
  Clock& clock_;
  const McpHttpSettings settings_;
  HttpShell shell_;
  McpWakes wakes_;
  std::atomic<std::uint64_t> requests_ = 0;
};

}  // namespace

Result<std::unique_ptr<McpHttpServer>> StartMcpHttp(agent::McpServer& mcp, Clock& clock,
                                                    McpHttpSettings settings) {
  settings.http.limits.body_bytes = mcp.settings().max_message;
  auto server = std::make_unique<ListeningMcpServer>(mcp, clock, std::move(settings));
  if (auto listening = server->Listen(); !listening) return listening.error();
  return std::unique_ptr<McpHttpServer>(std::move(server));
}

}  // namespace hone::app

// SPDX-License-Identifier: Apache-2.0
#include "hone/base/http/http_client.h"

#include <fmt/format.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "hone/base/net/stream_socket.h"
#include "hone/core/base64.h"

namespace hone {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A descriptor that can be read once a stop is requested.
class StopDescriptor {
 public:
  explicit StopDescriptor(const std::stop_token& stop)
      : event_(::eventfd(0, EFD_CLOEXEC)), callback_(stop, [this] { Raise(); }) {}

  int get() const { return event_.get(); }

 private:
  void Raise() { ::eventfd_write(event_.get(), 1); }  // Cannot be full.

  Descriptor event_;
  std::stop_callback<std::function<void()>> callback_;
};

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char sign) {
    return sign > ' ' && sign < 0x7f &&
           std::string_view("\"(),/:;<=>?@[\\]{}").find(sign) == std::string_view::npos;
  });
}

bool IsTarget(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char sign) { return sign > ' ' && sign < 0x7f; });
}

bool IsValue(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char sign) {
    return (static_cast<unsigned char>(sign) < ' ' && sign != '\t') || sign == 0x7f;
  });
}

// What would end a line early and begin another.
Result<void> CheckCall(const HttpCall& call) {
  bool is_clean = IsToken(call.method) && IsTarget(call.url.path) && IsTarget(call.target);
  for (const auto& [name, value] : call.headers) {
    is_clean = is_clean && IsToken(name) && IsValue(value);
  }
  if (is_clean) return {};
  return Error{Errc::kInvalidArgument,
               fmt::format("{}: a header or the path has characters that HTTP does not allow",
                           ToText(call.url))};
}

std::string ProxyLine(const HttpUrl& proxy) {
  if (proxy.user.empty()) return "";
  return fmt::format("Proxy-Authorization: Basic {}\r\n",
                     Base64Encode(proxy.user + ":" + proxy.password));
}

bool HasHeader(const HttpCall& call, std::string_view name) {
  return !HttpReply{.headers = call.headers}.Header(name).empty();
}

// `proxy` is that which sees the request itself: of a call without TLS.
std::string RequestText(const HttpCall& call, const HttpUrl* proxy) {
  const std::string authority = AuthorityOf(call.url.host, call.url.port);
  const std::string place = call.url.path + call.target;
  const std::string target = place.starts_with('/') ? place : "/" + place;
  std::string text =
      fmt::format("{} {}{} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", call.method,
                  proxy == nullptr ? "" : "http://" + authority, target, authority);
  text += "Accept-Encoding: identity\r\n";
  if (!HasHeader(call, "user-agent")) text += "User-Agent: hone\r\n";
  if (proxy != nullptr) text += ProxyLine(*proxy);
  for (const auto& [name, value] : call.headers) text += fmt::format("{}: {}\r\n", name, value);
  if (!call.body.empty() && !HasHeader(call, "content-type")) {
    text += "Content-Type: application/json\r\n";
  }
  if (!call.body.empty() || call.method == "POST" || call.method == "PUT") {
    text += fmt::format("Content-Length: {}\r\n", call.body.size());
  }
  return text + "\r\n" + call.body;
}

}  // namespace

// The connection of one call, with the time that is left for it.
class HttpConnection::Wire {
 public:
  explicit Wire(const HttpCall& call)
      : call_(call),
        proxy_(call.proxies.For(call.url)),
        stop_(call.stop),
        end_(Steady::now() + call.limits.total) {}

  Result<void> Open();
  Result<HttpReply> Exchange(const HttpBodyListener& listener);

 private:
  milliseconds Left() const {
    return std::max(std::chrono::ceil<milliseconds>(end_ - Steady::now()), milliseconds(0));
  }
  Result<HttpReply> ReadReply(const HttpBodyListener& listener, bool has_body, milliseconds idle);
  Result<void> PassProxy(milliseconds limit);
  Error SilenceFault() const;
  Error Named(const Error& error) const;

  const HttpCall& call_;
  const HttpUrl* proxy_;
  StopDescriptor stop_;
  Steady::time_point end_;
  std::optional<StreamSocket> stream_;
};

Error HttpConnection::Wire::Named(const Error& error) const {
  const std::string via =
      proxy_ == nullptr ? "" : fmt::format(" (through the proxy {})", ToText(*proxy_));
  return Error{call_.stop.stop_requested() ? Errc::kUnavailable : error.code,
               fmt::format("{}{}: {}", ToText(call_.url), via,
                           call_.stop.stop_requested() ? "it was stopped" : error.message)};
}

Result<void> HttpConnection::Wire::Open() {
  if (auto clean = CheckCall(call_); !clean) return clean;
  const auto begin = Steady::now();
  const milliseconds limit = std::min(call_.limits.connect, Left());
  const HttpUrl& first = proxy_ == nullptr ? call_.url : *proxy_;
  auto stream = StreamSocket::Connect(
      {.host = first.host, .port = first.port, .socket = {}, .tls = {}}, limit, stop_.get());
  if (!stream) return Named(stream.error());
  stream_ = std::move(*stream);
  if (!call_.url.is_tls) return {};
  const auto left = [&] {
    const auto spent = std::chrono::floor<milliseconds>(Steady::now() - begin);
    return std::max(limit - spent, milliseconds(0));
  };
  if (proxy_ != nullptr) {
    if (auto passed = PassProxy(left()); !passed) return Named(passed.error());
  }
  TlsSettings tls_settings;
  tls_settings.ca_file = call_.ca_file;
  auto started = stream_->StartTls(tls_settings, call_.url.host, left(), stop_.get());
  if (!started) return Named(started.error());
  return {};
}

Result<void> HttpConnection::Wire::PassProxy(milliseconds limit) {
  const std::string authority = AuthorityOf(call_.url.host, call_.url.port);
  const std::string request = fmt::format("CONNECT {} HTTP/1.1\r\nHost: {}\r\n{}\r\n", authority,
                                          authority, ProxyLine(*proxy_));
  if (auto sent = stream_->Write(request, limit, stop_.get()); !sent) return sent;
  auto reply = ReadReply(nullptr, false, limit);
  if (!reply) return reply.error();
  if (reply->status / 100 == 2) return {};
  return Error{reply->status == 407 ? Errc::kInvalidArgument : Errc::kUnavailable,
               fmt::format("the proxy does not pass it on (status {}){}", reply->status,
                           reply->status == 407 ? "; it asks for http://user:password@host" : "")};
}

Result<HttpReply> HttpConnection::Wire::Exchange(const HttpBodyListener& listener) {
  const std::string request = RequestText(call_, call_.url.is_tls ? nullptr : proxy_);
  const auto sent = stream_->Write(request, Left(), stop_.get());
  // Also where not all could be sent: a server that refuses early says why before it closes.
  auto reply = ReadReply(listener, call_.method != "HEAD", call_.limits.idle);
  if (reply) return reply;
  return Named(sent ? reply.error() : sent.error());
}

Error HttpConnection::Wire::SilenceFault() const {
  if (call_.stop.stop_requested()) return Error{Errc::kUnavailable, "it was stopped"};
  if (Left() > milliseconds(0)) return Error{Errc::kUnavailable, "nothing came for too long"};
  return Error{Errc::kUnavailable, "no whole reply in time"};
}

Result<HttpReply> HttpConnection::Wire::ReadReply(const HttpBodyListener& listener, bool has_body,
                                                  milliseconds idle) {
  const HttpBodyListener plain = [&](const HttpReply& head,
                                     std::string_view piece) -> Result<bool> {
    const std::string_view encoding = head.Header("content-encoding");
    if (encoding.empty() || encoding == "identity") return listener(head, piece);
    return Error{Errc::kUnavailable, "the reply is compressed, which was not asked for"};
  };
  HttpReplyParser parser(call_.limits.reply, listener ? plain : listener, has_body);
  std::array<char, 16'384> bytes;
  while (true) {
    if (Left() == milliseconds(0)) return SilenceFault();  // Also if bytes come, but never an end.
    const auto count = stream_->Read(bytes, std::min(idle, Left()), stop_.get());
    if (!count && !stream_->is_ended()) return count.error();
    if (!count) {
      if (auto whole = parser.End(); !whole) return whole.error();
      break;
    }
    if (*count == 0) return SilenceFault();
    const auto is_whole = parser.Feed({bytes.data(), *count});
    if (!is_whole) return is_whole.error();
    if (*is_whole) break;
  }
  if (!has_body && !parser.rest().empty()) {
    return Error{Errc::kUnavailable, "the proxy said more than it was asked for"};
  }
  return parser.Take();
}

HttpConnection::HttpConnection(std::unique_ptr<Wire> wire) : wire_(std::move(wire)) {}
HttpConnection::HttpConnection(HttpConnection&&) noexcept = default;
HttpConnection::~HttpConnection() = default;

Result<HttpConnection> HttpConnection::Open(const HttpCall& call) {
  auto wire = std::make_unique<Wire>(call);
  if (auto opened = wire->Open(); !opened) return opened.error();
  return HttpConnection(std::move(wire));
}

Result<HttpReply> HttpConnection::Exchange(const HttpBodyListener& listener) {
  return wire_->Exchange(listener);
}

Result<HttpReply> CallHttp(const HttpCall& call, const HttpBodyListener& listener) {
  auto connection = HttpConnection::Open(call);
  if (!connection) return connection.error();
  return connection->Exchange(listener);
}

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

#include "hone/base/http/http_proxies.h"
#include "hone/base/http/http_reply_parser.h"
#include "hone/base/http/http_url.h"
#include "hone/core/result.h"

// Calls of HTTP/1.1 and HTTPS. Our own and not libcurl, because the bundle links everything but
// glibc statically, and Debian's libcurl brings dozens of libraries without static forms; Beast's
// parser and OpenSSL are linked anyway.
namespace hone {

struct HttpLimits {
  std::chrono::milliseconds connect{10'000};  // For name, proxy and TLS together.
  std::chrono::milliseconds idle{3'600'000};  // Without a byte of the reply.
  std::chrono::milliseconds total{60'000};    // From the beginning to the reply's last byte.
  HttpReplyLimits reply = {};
};

struct HttpCall {
  HttpUrl url;
  std::string method = "GET";
  std::string target = {};             // Behind the URL's path: "/v1/tasks?wait_s=30".
  HttpHeaders headers = {};            // Besides those of the protocol itself; never in a message.
  std::string body = {};               // JSON, unless a header says otherwise.
  std::filesystem::path ca_file = {};  // Who vouches for the server; empty: the system's list.
  HttpProxies proxies = {};            // None: directly.
  HttpLimits limits = {};
  std::stop_token stop = {};  // Ends the call with kUnavailable, whatever it waits for.
};

// One call, on a connection of its own. A certificate is always checked, and the host's name in it;
// there is no switch. Redirects are not followed: their status is the reply's, so that nothing is
// sent to a place that the caller did not name.
class HttpConnection {
 public:
  // Up to the open connection: an Error means that the server has seen nothing of the call. `call`
  // outlives the connection. kInvalidArgument: the call cannot be sent, or the server is not to be
  // trusted; kNotFound: no such host; else kUnavailable.
  static Result<HttpConnection> Open(const HttpCall& call);

  HttpConnection(HttpConnection&&) noexcept;
  ~HttpConnection();

  // Once. With a listener the body goes to it, else into the reply. After an Error of kUnavailable
  // the server may have done what was asked, or not.
  Result<HttpReply> Exchange(const HttpBodyListener& listener = nullptr);

 private:
  class Wire;
  explicit HttpConnection(std::unique_ptr<Wire> wire);

  std::unique_ptr<Wire> wire_;
};

// Both steps.
Result<HttpReply> CallHttp(const HttpCall& call, const HttpBodyListener& listener = nullptr);

}  // namespace hone

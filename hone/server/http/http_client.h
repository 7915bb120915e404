// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hone/core/result.h"

namespace hone::server {

// "http://[user:password@]host[:port][/path]". There is no TLS here: put a proxy before a server on
// another machine.
struct HttpUrl {
  std::string host;
  std::string port = "80";
  std::string path;      // Without a slash at its end; may be empty.
  std::string password;  // What stood before the @, behind the colon.
};
Result<HttpUrl> ParseHttpUrl(std::string_view url);

// "127.0.0.1:10907", "[::1]:10907": as it stands in a URL and in the header Host.
std::string AuthorityOf(const std::string& host, const std::string& port);

struct HttpCall {
  HttpUrl url;
  std::string method = "GET";
  std::string target;  // Behind the URL's path: "/v1/tasks?wait_s=30".
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::chrono::milliseconds limit{60'000};  // From the beginning to the last byte of the reply.
  std::size_t max_bytes = 64 << 20;         // Of the reply's body.
};

struct HttpReply {
  int status = 0;
  std::string body;
};

// One call, on a connection of its own. kUnavailable if nobody answers in time.
Result<HttpReply> CallHttp(const HttpCall& call);

}  // namespace hone::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hone/core/result.h"

namespace hone {

// "http://[user:password@]host[:port][/path]", or https.
struct HttpUrl {
  bool is_tls = false;
  std::string host;  // A name or an address; an IPv6 address without its brackets.
  int port = 80;
  std::string path;  // Without a slash at its end; may be empty.
  std::string user;
  std::string password;
};

// Messages do not repeat what stands before an @.
Result<HttpUrl> ParseHttpUrl(std::string_view url);

// "127.0.0.1:10907", "[::1]:10907": as it stands in a URL and in the header Host.
std::string AuthorityOf(const std::string& host, int port);

// Without user and password: "https://example.org:443/v1".
std::string ToText(const HttpUrl& url);

// Whether what is sent there stays on this machine: localhost, 127.0.0.0/8, ::1.
bool IsLoopback(const std::string& host);

}  // namespace hone

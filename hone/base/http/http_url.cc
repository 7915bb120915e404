// SPDX-License-Identifier: Apache-2.0
#include "hone/base/http/http_url.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace hone {
namespace {

constexpr int kMaxPort = 65'535;

bool EatPrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool IsGraphic(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char sign) { return sign > ' ' && sign < 0x7f; });
}

std::optional<int> ReadPort(std::string_view text) {
  int port = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool is_whole = problem == std::errc() && end == text.data() + text.size();
  return is_whole && port > 0 && port <= kMaxPort ? std::optional(port) : std::nullopt;
}

// What stands between the scheme and the path.
bool ReadAuthority(std::string_view authority, HttpUrl& url) {
  if (const auto at = authority.rfind('@'); at != authority.npos) {
    const auto colon = authority.find(':');
    if (colon > at) return false;
    url.user = std::string(authority.substr(0, colon));
    url.password = std::string(authority.substr(colon + 1, at - colon - 1));
    authority.remove_prefix(at + 1);
  }
  std::string_view host = authority;
  std::string_view port;
  bool has_port = false;
  if (authority.starts_with('[')) {
    const auto bracket = authority.find(']');
    if (bracket == authority.npos) return false;
    host = authority.substr(1, bracket - 1);
    const std::string_view behind = authority.substr(bracket + 1);
    has_port = !behind.empty();
    if (has_port && !behind.starts_with(':')) return false;
    if (has_port) port = behind.substr(1);
  } else if (const auto colon = authority.find(':'); colon != authority.npos) {
    host = authority.substr(0, colon);
    port = authority.substr(colon + 1);
    has_port = true;
  }
  if (has_port) {
    const auto number = ReadPort(port);
    if (!number) return false;
    url.port = *number;
  }
  url.host = std::string(host);
  return !host.empty() && host.find_first_of("[]/\\") == host.npos;
}

}  // namespace

Result<HttpUrl> ParseHttpUrl(std::string_view url) {
  const auto at = url.rfind('@');
  const Error wrong{Errc::kInvalidArgument,
                    fmt::format("\"{:.200}\": expected http://host[:port][/path] or https://…",
                                at == url.npos ? url : url.substr(at))};
  HttpUrl parsed;
  if (EatPrefix(url, "https://")) {
    parsed.is_tls = true;
    parsed.port = 443;
  } else if (!EatPrefix(url, "http://")) {
    return wrong;
  }
  const auto slash = std::min(url.find('/'), url.size());
  parsed.path = std::string(url.substr(slash));
  while (parsed.path.ends_with('/')) parsed.path.pop_back();
  if (!IsGraphic(url) || !ReadAuthority(url.substr(0, slash), parsed)) return wrong;
  return parsed;
}

std::string AuthorityOf(const std::string& host, int port) {
  const bool is_six = host.find(':') != host.npos;
  return is_six ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::string ToText(const HttpUrl& url) {
  return fmt::format("{}://{}{}", url.is_tls ? "https" : "http", AuthorityOf(url.host, url.port),
                     url.path);
}

bool IsLoopback(const std::string& host) {
  in_addr four{};
  if (::inet_pton(AF_INET, host.c_str(), &four) == 1) return (ntohl(four.s_addr) >> 24U) == 127;
  in6_addr six{};
  if (::inet_pton(AF_INET6, host.c_str(), &six) == 1) return IN6_IS_ADDR_LOOPBACK(&six) != 0;
  return host == "localhost";
}

}  // namespace hone

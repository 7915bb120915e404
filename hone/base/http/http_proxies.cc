// SPDX-License-Identifier: Apache-2.0
#include "hone/base/http/http_proxies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "hone/core/letter_case.h"

namespace hone {
namespace {

std::string VariableOfProcess(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Result<std::optional<HttpUrl>> ReadProxy(const char* name, std::string text) {
  if (text.empty()) return std::optional<HttpUrl>();
  if (text.find("://") == text.npos) text.insert(0, "http://");
  auto url = ParseHttpUrl(text);
  if (!url) {
    return Error{Errc::kInvalidArgument, fmt::format("{}: expected http://host:port", name)};
  }
  if (url->is_tls) {
    return Error{Errc::kUnsupported,
                 fmt::format("{}: a proxy that is itself reached under TLS is not supported; what "
                             "is sent through an http:// proxy to https:// stays under TLS",
                             name)};
  }
  return std::optional(std::move(*url));
}

std::vector<std::string> SplitList(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (const char letter : text + ",") {
    if (letter != ',' && letter != ' ') {
      word += letter;
    } else if (!word.empty()) {
      words.push_back(LowerCase(std::exchange(word, {})));
    }
  }
  return words;
}

bool IsExempt(std::string_view rule, const std::string& host, int port) {
  if (rule == "*") return true;
  const std::string ending = fmt::format(":{}", port);
  if (rule.ends_with(ending)) rule.remove_suffix(ending.size());
  if (rule.starts_with('[') && rule.ends_with(']')) rule = rule.substr(1, rule.size() - 2);
  if (rule.starts_with("*.")) rule.remove_prefix(1);
  if (rule.starts_with('.')) rule.remove_prefix(1);
  if (rule.empty() || !host.ends_with(rule)) return false;
  return host.size() == rule.size() || host[host.size() - rule.size() - 1] == '.';
}

}  // namespace

Result<HttpProxies> HttpProxies::FromEnvironment(const Environment& variable) {
  const auto either = [&](const char* small, const char* large) {
    std::string value = variable ? variable(small) : VariableOfProcess(small);
    if (!value.empty()) return value;
    return variable ? variable(large) : VariableOfProcess(large);
  };
  HttpProxies proxies;
  auto for_http = ReadProxy("HTTP_PROXY", either("http_proxy", "HTTP_PROXY"));
  if (!for_http) return for_http.error();
  auto for_https = ReadProxy("HTTPS_PROXY", either("https_proxy", "HTTPS_PROXY"));
  if (!for_https) return for_https.error();
  proxies.for_http = std::move(*for_http);
  proxies.for_https = std::move(*for_https);
  proxies.direct = SplitList(either("no_proxy", "NO_PROXY"));
  return proxies;
}

const HttpUrl* HttpProxies::For(const HttpUrl& url) const {
  const auto& proxy = url.is_tls ? for_https : for_http;
  if (!proxy || IsLoopback(url.host)) return nullptr;
  const std::string host = LowerCase(url.host);
  const bool is_direct = std::any_of(direct.begin(), direct.end(), [&](const std::string& rule) {
    return IsExempt(rule, host, url.port);
  });
  return is_direct ? nullptr : &*proxy;
}

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/http/http_url.h"
#include "hone/core/result.h"

namespace hone {

// Through which proxy a server is reached. This machine itself is always reached directly.
struct HttpProxies {
  std::optional<HttpUrl> for_http;
  std::optional<HttpUrl> for_https;
  // "*" for all, an address, or a name that stands for itself and what ends with it behind a dot;
  // each may end with ":port".
  std::vector<std::string> direct = {};

  using Environment = std::function<std::string(const char* name)>;  // Empty: it is not set.

  // HTTP_PROXY, HTTPS_PROXY and NO_PROXY, or the same in small letters, which go first. An Error
  // names the variable; what may be a password in it is not repeated.
  static Result<HttpProxies> FromEnvironment(const Environment& variable = nullptr);

  // Null: directly.
  const HttpUrl* For(const HttpUrl& url) const;
};

}  // namespace hone

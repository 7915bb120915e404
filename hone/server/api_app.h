// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>

#include "hone/base/clock.h"
#include "hone/server/http/http_server.h"
#include "hone/server/http/router.h"
#include "hone/server/http/site_check.h"
#include "hone/server/http/tokens.h"
#include "hone/server/service/stats.h"

namespace hone::server {

struct AccessSettings {
  TokenBook tokens;             // Empty: whoever reaches the server is an admin.
  std::set<std::string> names;  // By which it may be called besides localhost and addresses.
};

// Lets requests in and hands them to their routes.
class ApiApp final : public HttpApp {
 public:
  // What is passed by reference outlives it.
  ApiApp(Router router, AccessSettings access, Clock& clock, Stats& stats);

  // Host and origin, route, token, kind of body: what can be told from the head.
  std::optional<HttpResponse> Admit(HttpRequest& head) override;
  bool IsQuick(const HttpRequest& request) const override;
  Async<HttpResponse> Answer(const HttpRequest& request) override;
  HttpResponse Refuse(std::string_view target, int status, std::string_view message) override;

  const Router& router() const { return router_; }

 private:
  std::optional<HttpResponse> Check(HttpRequest& head) const;

  const Router router_;
  const TokenBook tokens_;
  const SiteCheck sites_;
  Clock& clock_;
  Stats& stats_;
};

}  // namespace hone::server

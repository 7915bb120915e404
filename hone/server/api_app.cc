// SPDX-License-Identifier: Apache-2.0
#include "hone/server/api_app.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "hone/base/log.h"

namespace hone::server {
namespace {

// A body is JSON, whether it is said or not; a form is what a web page of others could post.
bool IsJson(std::string_view content_type) {
  return content_type.empty() || content_type.starts_with("application/json");
}

std::string_view WordOfStatus(int status) {
  switch (status) {
    case 413:
      return "too_large";
    case 429:
      return "too_many_requests";
    case 500:
      return "internal";
    case 503:
      return "unavailable";
    default:
      return "bad_request";
  }
}

HttpResponse AskForToken(ErrorShape shape) {
  HttpResponse response = ErrorFor(
      shape, 401, "unauthorized",
      "a token is needed: `Authorization: Bearer TOKEN`, or http://hone:TOKEN@host as the address; "
      "the server's start-up line names the file that has them");
  response.headers.emplace_back("www-authenticate", "Bearer realm=\"hone\"");
  return response;
}

}  // namespace

ApiApp::ApiApp(Router router, AccessSettings access, Clock& clock, Stats& stats)
    : router_(std::move(router)),
      tokens_(std::move(access.tokens)),
      sites_(std::move(access.names)),
      clock_(clock),
      stats_(stats) {}

std::optional<HttpResponse> ApiApp::Check(HttpRequest& head) const {
  const ErrorShape shape = ErrorShapeOf(head.target);
  if (const auto refusal = sites_.Refusal(head.Header("host"), head.Header("origin"))) {
    return ErrorFor(shape, 403, "forbidden", *refusal);
  }
  // A browser says so itself; a link that a person follows is no harm.
  if (head.Header("sec-fetch-site") == "cross-site" &&
      head.Header("sec-fetch-mode") != "navigate") {
    return ErrorFor(shape, 403, "forbidden",
                    "sec-fetch-site: pages of others may not use this "
                    "server");
  }
  Router::Match match = router_.Find(head);
  if (match.refusal) return std::move(match.refusal);
  const std::string token = TokenIn(head.Header("authorization"));
  head.role = tokens_.is_empty() ? TokenRole::kAdmin : tokens_.RoleOf(token);
  const bool is_known = !tokens_.is_empty() && head.role != TokenRole::kNobody;
  head.submitter = is_known ? SubmitterOf(token) : "";
  if (!IsAllowed(match.route->access, head.role)) {
    if (head.role == TokenRole::kNobody) return AskForToken(shape);
    return ErrorFor(shape, 403, "forbidden",
                    fmt::format("{} {}: not with a token of the role {}", head.method,
                                match.route->path, NameOf(head.role)));
  }
  const bool has_body = !match.route->request_schema.empty();
  if (has_body && !IsJson(head.Header("content-type"))) {
    return ErrorFor(shape, 415, "unsupported_media_type",
                    "content-type: expected application/json");
  }
  return std::nullopt;
}

std::optional<HttpResponse> ApiApp::Admit(HttpRequest& head) {
  std::optional<HttpResponse> refusal = Check(head);
  if (refusal) stats_.CountResponse(refusal->status, 0);
  return refusal;
}

bool ApiApp::IsQuick(const HttpRequest& request) const {
  return router_.routes()[request.route].is_quick;
}

Async<HttpResponse> ApiApp::Answer(const HttpRequest& request) {
  const Route& route = router_.routes()[request.route];
  const Clock::Monotonic begin = clock_.Now();
  HttpResponse response = co_await route.handler(request);
  const std::chrono::duration<double> time = clock_.Now() - begin;
  stats_.CountResponse(response.status, time.count());
  LogEvent(LogLevel::kDebug, "answered",
           {{"client", request.client},
            {"method", request.method},
            {"target", request.target},
            {"status", response.status},
            {"ms", std::round(1e4 * time.count()) / 10}});
  co_return response;
}

HttpResponse ApiApp::Refuse(std::string_view target, int status, std::string_view message) {
  stats_.CountResponse(status, 0);
  return ErrorFor(ErrorShapeOf(target), status, WordOfStatus(status), message);
}

}  // namespace hone::server

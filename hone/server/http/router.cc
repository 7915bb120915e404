// SPDX-License-Identifier: Apache-2.0
#include "hone/server/http/router.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "hone/core/error_name.h"

namespace hone::server {
namespace {

constexpr std::string_view kNativePrefix = "/v1";

// Fills `parts` with what stood for {…}, if the path fits.
bool Fits(const std::vector<std::string>& pattern, const std::vector<std::string>& path,
          std::vector<std::string>& parts) {
  if (pattern.size() != path.size()) return false;
  parts.clear();
  for (std::size_t k = 0; k < path.size(); ++k) {
    if (pattern[k].empty()) {
      parts.push_back(path[k]);
    } else if (pattern[k] != path[k]) {
      return false;
    }
  }
  return true;
}

// A GET route answers HEAD too; the connection leaves the body out.
bool Answers(const Route& route, const std::string& method) {
  return route.method == method || (method == "HEAD" && route.method == "GET");
}

}  // namespace

ErrorShape ErrorShapeOf(std::string_view path) {
  return path.starts_with(kNativePrefix) ? ErrorShape::kNative : ErrorShape::kKernelGym;
}

bool IsAllowed(Access access, TokenRole role) {
  switch (access) {
    case Access::kAnyone:
      return true;
    case Access::kAnyToken:
      return role != TokenRole::kNobody;
    case Access::kSubmit:
      return role == TokenRole::kSubmit || role == TokenRole::kAdmin;
    case Access::kWork:
      return role == TokenRole::kWork || role == TokenRole::kAdmin;
    case Access::kAdmin:
      return role == TokenRole::kAdmin;
  }
  return false;
}

Router::Router(std::vector<Route> routes) : routes_(std::move(routes)) {
  for (const Route& route : routes_) {
    auto segments = SplitPath(route.path).value_or(std::vector<std::string>{});
    for (std::string& segment : segments) {
      if (segment.starts_with('{')) segment.clear();
    }
    patterns_.push_back({std::move(segments)});
  }
}

Router::Match Router::Find(HttpRequest& request) const {
  const auto [path, query] = SplitTarget(request.target);
  const ErrorShape shape = ErrorShapeOf(path);
  auto segments = SplitPath(path);
  auto queries = ParseQuery(query);
  if (!segments || !queries) {
    const Error& error = !segments ? segments.error() : queries.error();
    return {nullptr, ErrorFor(shape, 400, NameOf(error.code), error.message)};
  }
  request.queries = std::move(*queries);
  std::set<std::string> others;
  for (std::size_t k = 0; k < routes_.size(); ++k) {
    if (!Fits(patterns_[k].segments, *segments, request.parts)) continue;
    if (Answers(routes_[k], request.method)) {
      request.route = k;
      return {&routes_[k], std::nullopt};
    }
    others.insert(routes_[k].method);
    if (routes_[k].method == "GET") others.insert("HEAD");
  }
  if (others.empty()) return {nullptr, ErrorFor(shape, 404, "not_found", "Not Found")};
  HttpResponse refusal = ErrorFor(shape, 405, "method_not_allowed", "Method Not Allowed");
  refusal.headers.emplace_back("allow", fmt::format("{}", fmt::join(others, ", ")));
  return {nullptr, std::move(refusal)};
}

HttpResponse JsonTextResponse(int status, std::string body) {
  HttpResponse response;
  response.status = status;
  response.headers = {{"content-type", "application/json"},
                      {"cache-control", "no-store"},
                      {"x-content-type-options", "nosniff"}};
  response.body = std::move(body);
  return response;
}

HttpResponse JsonResponse(int status, const Json& body) {
  return JsonTextResponse(status, Dump(body));
}

HttpResponse NativeError(int status, std::string_view code, std::string_view message) {
  return JsonResponse(status, {{"error", {{"code", code}, {"message", message}}}});
}

HttpResponse NativeError(const Error& error) {
  return NativeError(StatusOf(error.code), NameOf(error.code), error.message);
}

HttpResponse DetailError(int status, std::string_view detail) {
  return JsonResponse(status, {{"detail", detail}});
}

HttpResponse DetailError(const Error& error) {
  return DetailError(StatusOf(error.code), error.message);
}

HttpResponse ErrorFor(ErrorShape shape, int status, std::string_view code,
                      std::string_view message) {
  return shape == ErrorShape::kNative ? NativeError(status, code, message)
                                      : DetailError(status, message);
}

int StatusOf(Errc code) {
  switch (code) {
    case Errc::kInvalidArgument:
      return 400;
    case Errc::kNotFound:
      return 404;
    case Errc::kConflict:
    case Errc::kStale:
      return 409;
    case Errc::kUnavailable:
      return 503;
    case Errc::kUnsupported:
      return 501;
    case Errc::kCorrupt:
      return 500;
  }
  return 500;
}

}  // namespace hone::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/server/http/async.h"
#include "hone/server/http/http_message.h"

namespace hone::server {

// Which shape an error has: ours, or the one that KernelGYM's clients know.
enum class ErrorShape { kNative, kKernelGym };

// What the clients of this path know: ours under /v1. The path of a route or the target of a
// request, whether there is a route for it or not.
ErrorShape ErrorShapeOf(std::string_view path);

// Whom a route serves.
enum class Access {
  kAnyone,    // No token is asked for.
  kAnyToken,  // Any role.
  kSubmit,    // submit or admin.
  kWork,      // work or admin.
  kAdmin,
};

bool IsAllowed(Access access, TokenRole role);

// A handler's request lives until its response was made. It runs in a thread of the pool and may
// block for as long as a call to the queue takes.
using Handler = std::function<Async<HttpResponse>(const HttpRequest& request)>;

// A parameter in the query of a route, for the description of the API.
struct QueryFacts {
  std::string name;
  std::string type;  // "string", "integer", "number" or "boolean".
  bool is_required = false;
  std::string description;
};

// One line of a table: what the server answers, and what /openapi.json says about it.
struct Route {
  std::string method;
  std::string path;  // "/v1/tasks/{id}"
  Access access = Access::kSubmit;
  std::string summary;
  std::string request_schema = {};   // A name in the document's schemas; empty: no body.
  std::string response_schema = {};  // Likewise; empty: any.
  std::vector<int> other_statuses = {};
  std::vector<QueryFacts> queries = {};
  Handler handler;
  bool is_quick = false;  // Its handler never waits for the queue: it has a thread of its own.
};

// A handler that is a function of something else too, which must outlive it.
template <typename Target, typename Function>
Handler Bind(Target& target, Function function) {
  return [&target, function](const HttpRequest& request) { return function(target, request); };
}

class Router {
 public:
  explicit Router(std::vector<Route> routes);

  // Finds the route for the request's method and path, and fills in its parts and queries. Without
  // a route, the refusal: 404, 405 with Allow, or 400 for a target that does not parse.
  struct Match {
    const Route* route = nullptr;
    std::optional<HttpResponse> refusal;
  };
  Match Find(HttpRequest& request) const;

  const std::vector<Route>& routes() const { return routes_; }

 private:
  struct Pattern {
    std::vector<std::string> segments;  // "" stands for any.
  };

  std::vector<Route> routes_;
  std::vector<Pattern> patterns_;  // Of each route.
};

// Responses with a JSON body.
HttpResponse JsonResponse(int status, const Json& body);
HttpResponse JsonTextResponse(int status, std::string body);

// {"error": {"code": "not_found", "message": "…"}}
HttpResponse NativeError(int status, std::string_view code, std::string_view message);
HttpResponse NativeError(const Error& error);

// {"detail": "…"}
HttpResponse DetailError(int status, std::string_view detail);
HttpResponse DetailError(const Error& error);

// In that shape.
HttpResponse ErrorFor(ErrorShape shape, int status, std::string_view code,
                      std::string_view message);

// The one table from errors to statuses.
int StatusOf(Errc code);

}  // namespace hone::server

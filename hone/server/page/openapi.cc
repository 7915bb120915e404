// SPDX-License-Identifier: Apache-2.0
#include "hone/server/page/openapi.h"

#include <fmt/format.h>

#include <cctype>
#include <memory>

namespace hone::server {
namespace {

std::string_view TextOf(Access access) {
  switch (access) {
    case Access::kAnyone:
      return "Anyone, without a token.";
    case Access::kAnyToken:
      return "Any token.";
    case Access::kSubmit:
      return "The roles submit and admin.";
    case Access::kWork:
      return "The roles work and admin.";
    case Access::kAdmin:
      return "The role admin.";
  }
  return "";
}

Json SchemaNamed(const std::string& name) {
  if (name.empty()) return {{"type", "object"}};
  return {{"$ref", "#/components/schemas/" + name}};
}

Json BodyOf(const std::string& schema) {
  return {{"application/json", {{"schema", SchemaNamed(schema)}}}};
}

Json ParametersOf(const Route& route) {
  Json list = Json::array();
  for (std::size_t open = route.path.find('{'); open != route.path.npos;
       open = route.path.find('{', open + 1)) {
    const auto close = route.path.find('}', open);
    list.push_back({{"name", route.path.substr(open + 1, close - open - 1)},
                    {"in", "path"},
                    {"required", true},
                    {"schema", {{"type", "string"}}}});
  }
  for (const QueryFacts& query : route.queries) {
    list.push_back({{"name", query.name},
                    {"in", "query"},
                    {"required", query.is_required},
                    {"description", query.description},
                    {"schema", {{"type", query.type}}}});
  }
  return list;
}

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(c | 0x20);
  return text;
}

// "get_v1_tasks_id_wait": after which generators of clients name a function.
std::string OperationId(const Route& route) {
  std::string id = Lower(route.method);
  bool begins_word = true;
  for (const char c : route.path) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
      begins_word = true;
      continue;
    }
    if (begins_word) id += '_';
    begins_word = false;
    id += c;
  }
  return id;
}

Json OperationOf(const Route& route) {
  const bool is_native = ErrorShapeOf(route.path) == ErrorShape::kNative;
  Json responses{{"200", {{"description", "Done."}, {"content", BodyOf(route.response_schema)}}}};
  for (const int status : route.other_statuses) {
    const bool is_view = status == 202;
    const std::string schema = is_view ? route.response_schema : is_native ? "Error" : "Detail";
    responses[std::to_string(status)] = {{"description", ReasonOf(status)},
                                         {"content", BodyOf(schema)}};
  }
  Json operation{{"operationId", OperationId(route)},
                 {"summary", route.summary},
                 {"description", TextOf(route.access)},
                 {"tags", Json::array({is_native ? "v1" : "kernelgym"})},
                 {"parameters", ParametersOf(route)},
                 {"responses", std::move(responses)}};
  if (!route.request_schema.empty()) {
    operation["requestBody"] = {{"required", true}, {"content", BodyOf(route.request_schema)}};
  }
  if (route.access == Access::kAnyone) operation["security"] = Json::array();
  return operation;
}

}  // namespace

Json OpenApiDocument(const std::vector<Route>& routes, const std::string& version) {
  Json paths = Json::object();
  for (const Route& route : routes) paths[route.path][Lower(route.method)] = OperationOf(route);
  return {{"openapi", "3.0.3"},
          {"info",
           {{"title", "Hone"},
            {"version", version},
            {"description",
             "Judges kernels. At the root the API of KernelGYM; under /v1 the native one."}}},
          {"security", Json::array({{{"bearer", Json::array()}}})},
          {"paths", std::move(paths)},
          {"components",
           {{"securitySchemes", {{"bearer", {{"type", "http"}, {"scheme", "bearer"}}}}},
            {"schemas", OpenApiSchemas()}}}};
}

Route OpenApiRoute(const std::vector<Route>& routes, const std::string& version) {
  Route route;
  route.method = "GET";
  route.path = "/openapi.json";
  route.access = Access::kAnyone;
  route.summary = "This description.";
  std::vector<Route> all = routes;
  all.push_back(route);
  const auto document = std::make_shared<const Json>(OpenApiDocument(all, version));
  route.handler = [document](const HttpRequest&) -> Async<HttpResponse> {
    co_return JsonResponse(200, *document);
  };
  return route;
}

}  // namespace hone::server

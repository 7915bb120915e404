// SPDX-License-Identifier: Apache-2.0
#include "hone/server/page/api_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "hone/report/html_text.h"

namespace hone::server {
namespace {

using report::Escape;

constexpr std::string_view kStyle =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "color:#1c2733;background:#fff}"
    "h2{margin-top:2rem}code,pre{font:14px/1.4 ui-monospace,monospace}"
    "pre{background:#f2f5f8;padding:.75rem;overflow:auto}"
    "details{border-bottom:1px solid #d5dde5;padding:.35rem 0}summary{cursor:pointer}"
    "table{border-collapse:collapse}td,th{padding:.15rem .8rem .15rem 0;text-align:left;"
    "vertical-align:top}a{color:#0b5f8a}"
    "@media(prefers-color-scheme:dark){body{color:#d7e0e8;background:#12181f}"
    "pre{background:#1c242d}details{border-color:#33404d}a{color:#6db8e0}}";

std::string Text(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// "EvaluationRequest" of a reference to it.
std::string NameIn(const Json& schema) {
  const std::string reference = Text(schema, "$ref");
  return reference.substr(reference.rfind('/') + 1);
}

std::string TypeHtml(const Json& schema) {
  if (schema.contains("$ref")) {
    const std::string name = Escape(NameIn(schema));
    return fmt::format("<a href=\"#schema-{0}\">{0}</a>", name);
  }
  if (schema.contains("items")) return "list of " + TypeHtml(schema["items"]);
  return Escape(Text(schema, "type"));
}

// The limits of a value, after its description.
std::string NotesHtml(const Json& schema) {
  std::string notes = Escape(Text(schema, "description"));
  for (const char* key : {"enum", "default", "minimum", "maximum", "minLength", "maxLength",
                          "minItems", "maxItems", "nullable"}) {
    if (!schema.contains(key)) continue;
    notes += fmt::format("{}{} <code>{}</code>", notes.empty() ? "" : " · ", key,
                         Escape(Dump(schema[key])));
  }
  return notes;
}

std::string RowHtml(const std::string& name, const Json& schema, std::string_view where,
                    bool is_required, const std::string& notes) {
  return fmt::format("<tr><td><code>{}</code>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                     Escape(name), is_required ? " *" : "", where, TypeHtml(schema), notes);
}

// The schema of the JSON that a request or a response has; null if there is none.
Json BodySchema(const Json& holder) {
  const Json content = holder.value("content", Json::object());
  const Json json = content.value("application/json", Json::object());
  return json.value("schema", Json());
}

std::string ParametersHtml(const Json& operation) {
  std::string rows;
  for (const Json& parameter : operation.value("parameters", Json::array())) {
    rows += RowHtml(Text(parameter, "name"), parameter.value("schema", Json::object()),
                    Text(parameter, "in"), parameter.value("required", false),
                    Escape(Text(parameter, "description")));
  }
  return rows.empty() ? "" : "<table>\n" + rows + "</table>\n";
}

std::string OperationHtml(const std::string& method, const std::string& path,
                          const Json& operation) {
  std::string html =
      fmt::format("<details id=\"{}\"><summary><code><b>{}</b> {}</code> {}</summary>\n<p>{}</p>\n",
                  Escape(Text(operation, "operationId")), Escape(method), Escape(path),
                  Escape(Text(operation, "summary")), Escape(Text(operation, "description")));
  html += ParametersHtml(operation);
  if (operation.contains("requestBody")) {
    html += fmt::format("<p>Body: {}</p>\n", TypeHtml(BodySchema(operation["requestBody"])));
  }
  for (const auto& [status, response] : operation["responses"].items()) {
    const Json schema = BodySchema(response);
    html += fmt::format("<p><code>{}</code> {} {}</p>\n", Escape(status),
                        Escape(Text(response, "description")),
                        schema.is_null() ? "" : TypeHtml(schema));
  }
  return html + "</details>\n";
}

std::string SchemaHtml(const std::string& name, const Json& schema) {
  std::string html =
      fmt::format("<details id=\"schema-{0}\"><summary><code>{0}</code></summary>\n", Escape(name));
  const Json required = schema.value("required", Json::array());
  const Json members = schema.value("properties", Json::object());
  html += "<table>\n";
  for (const auto& [member, facts] : members.items()) {
    const bool is_required = std::find(required.begin(), required.end(), member) != required.end();
    html += RowHtml(member, facts, "", is_required, NotesHtml(facts));
  }
  html += "</table>\n";
  if (schema.contains("example")) {
    html += fmt::format("<pre>{}</pre>\n", Escape(schema["example"].dump(2)));
  }
  return html + "</details>\n";
}

Route Shown(std::string path, std::string summary, HttpResponse response) {
  Route route;
  route.method = "GET";
  route.path = std::move(path);
  route.access = Access::kAnyone;
  route.summary = std::move(summary);
  route.handler = [response = std::move(response)](const HttpRequest&) -> Async<HttpResponse> {
    co_return response;
  };
  return route;
}

}  // namespace

std::string ApiPage(const Json& document) {
  const Json& info = document["info"];
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}: the API</title>"
      "<meta name=\"viewport\" content=\"width=device-width\"><style>{1}</style></head><body>\n"
      "<h1>{0}: the API</h1>\n<p>{2} Version {3}; for programs: <a href=\"/openapi.json\">"
      "/openapi.json</a>.</p>\n<h2>Routes</h2>\n",
      Escape(Text(info, "title")), kStyle, Escape(Text(info, "description")),
      Escape(Text(info, "version")));
  for (const auto& [path, operations] : document["paths"].items()) {
    for (const auto& [method, operation] : operations.items()) {
      html += OperationHtml(method, path, operation);
    }
  }
  html += "<h2>Schemas</h2>\n";
  for (const auto& [name, schema] : document["components"]["schemas"].items()) {
    html += SchemaHtml(name, schema);
  }
  return html + "</body></html>\n";
}

std::vector<Route> ApiPageRoutes(const Json& document) {
  HttpResponse page;
  page.headers = {{"content-type", "text/html;charset=utf-8"},
                  {"cache-control", "no-cache"},
                  {"x-content-type-options", "nosniff"},
                  {"referrer-policy", "no-referrer"},
                  {"content-security-policy",
                   "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
                   "form-action 'none'; frame-ancestors 'none'"}};
  page.body = ApiPage(document);
  HttpResponse redirect;
  redirect.status = 307;
  redirect.headers = {{"location", "/docs"}};
  std::vector<Route> routes;
  routes.push_back(Shown("/docs", "This API as a page.", std::move(page)));
  routes.push_back(Shown("/redoc", "Leads to /docs.", std::move(redirect)));
  return routes;
}

}  // namespace hone::server

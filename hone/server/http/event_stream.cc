// SPDX-License-Identifier: Apache-2.0
#include "hone/server/http/event_stream.h"

#include <fmt/format.h>

#include <utility>

#include "hone/base/json/parse_values.h"

namespace hone::server {

std::string EventText(std::string_view kind, const Json& data, std::optional<std::uint64_t> id) {
  return fmt::format("{}event: {}\ndata: {}\n\n", id ? fmt::format("id: {}\n", *id) : "", kind,
                     Dump(data));
}

Result<std::optional<std::uint64_t>> LastEventId(const HttpRequest& request) {
  std::string last(request.Header("last-event-id"));
  if (last.empty()) last = request.Query("after").value_or("");
  if (last.empty()) return std::optional<std::uint64_t>();
  const auto number = ParseSeed("last-event-id", last);
  if (!number) return number.error();
  return std::optional(*number);
}

HttpResponse StreamResponse(std::function<Async<std::optional<std::string>>()> next_piece) {
  HttpResponse response;
  response.headers = {{"content-type", "text/event-stream"},
                      {"cache-control", "no-store"},
                      {"x-content-type-options", "nosniff"}};
  response.next_piece = std::move(next_piece);
  return response;
}

}  // namespace hone::server

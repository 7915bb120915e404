// SPDX-License-Identifier: Apache-2.0
#include "hone/server/event_stream.h"

#include <fmt/format.h>

#include <utility>

namespace hone {

std::string EventText(std::string_view kind, const Json& data, std::optional<std::uint64_t> id) {
  return fmt::format("{}event: {}\ndata: {}\n\n", id ? fmt::format("id: {}\n", *id) : "", kind,
                     Dump(data));
}

HttpResponse StreamResponse(std::function<Async<std::optional<std::string>>()> next_piece) {
  HttpResponse response;
  response.headers = {{"content-type", "text/event-stream"},
                      {"cache-control", "no-store"},
                      {"x-content-type-options", "nosniff"}};
  response.next_piece = std::move(next_piece);
  return response;
}

}  // namespace hone

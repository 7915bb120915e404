// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/server/http/async.h"
#include "hone/server/http/http_message.h"

// Server-sent events, as all streams here send them.
namespace hone::server {

// Between signs of life in a stream.
inline constexpr std::chrono::milliseconds kHeartbeat{15'000};
inline constexpr std::size_t kPieceBytes = 256 << 10;  // Of what is sent at once, about.
inline constexpr std::string_view kSignOfLife = ": still here\n\n";

// One event: data is JSON, so it has no line break whatever the texts in it hold.
std::string EventText(std::string_view kind, const Json& data,
                      std::optional<std::uint64_t> id = std::nullopt);

// The number of the last event that a client has seen before it lost the connection (Last-Event-ID,
// or `after` in the query); nullopt: it comes for the first time.
Result<std::optional<std::uint64_t>> LastEventId(const HttpRequest& request);

// A stream of what `next_piece` gives, until nullopt.
HttpResponse StreamResponse(std::function<Async<std::optional<std::string>>()> next_piece);

}  // namespace hone::server

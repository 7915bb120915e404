// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hone/server/http/http_message.h"

// What HTTP/1.1 says about where a message ends, beyond what a parser checks.
namespace hone::server {

// Why a request is refused before anybody looks at what it asks.
struct Refusal {
  int status = 400;
  std::string message;
};

// What the body's framing must not be: two ways to tell its end are how requests are smuggled.
// `version` is 10 or 11 for HTTP/1.0 and 1.1.
std::optional<Refusal> FramingFault(const HttpRequest& request, unsigned version);

// A piece of a streamed body; HTTP/1.0 knows no chunks.
std::string ChunkText(std::string_view piece, bool is_http_1_0);

}  // namespace hone::server

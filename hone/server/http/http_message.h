// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hone/core/result.h"
#include "hone/server/http/async.h"

namespace hone::server {

// What a client may do. An admin may do everything; kNobody stands for a client without a token.
enum class TokenRole { kNobody, kSubmit, kWork, kAdmin };

std::string_view NameOf(TokenRole role);  // "submit"

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;  // "GET"; HEAD stays HEAD.
  std::string target;  // As it came: "/v1/tasks/a%20b?wait_s=3".
  bool is_http_1_0 = false;
  HttpHeaders headers;  // Names in lower case, in the order in which they came.
  std::string body;
  std::string client;    // Its address, without the port.
  std::stop_token gone;  // Asked for once the client has closed the connection.

  // Filled in by the router.
  std::size_t route = 0;                                     // Its number in the table.
  std::vector<std::string> parts;                            // What stood for {…} in the path.
  std::vector<std::pair<std::string, std::string>> queries;  // Decoded, in order.
  TokenRole role = TokenRole::kNobody;
  std::string submitter;  // SubmitterOf the token (tokens.h); empty where none is asked for.

  // The first header of this name (in lower case); empty if there is none.
  std::string_view Header(std::string_view name) const;
  std::optional<std::string> Query(std::string_view name) const;  // The last one wins.
};

struct HttpResponse {
  int status = 200;
  HttpHeaders headers;
  std::string body;

  // If set, the body is what it gives, piece by piece, until nullopt; an empty piece asks whether
  // the client is still there.
  std::function<Async<std::optional<std::string>>()> next_piece = nullptr;

  bool is_last = false;  // The connection is closed after it.
};

// "Not Found"
std::string_view ReasonOf(int status);

// The head of the response, with the empty line. `keeps` the connection open afterwards.
std::string HeadText(const HttpResponse& response, bool is_http_1_0, bool keeps);

// The path and the query of a target, split at the first '?'; a fragment is left out.
std::pair<std::string_view, std::string_view> SplitTarget(std::string_view target);

// %41 becomes A. An Error for what is no escape, for a zero byte, and for what is not UTF-8.
Result<std::string> PercentDecode(std::string_view text, bool plus_is_space);

// Segments of a path, each decoded, so that %2f does not part them: "/v1/tasks/a%2fb" has three.
Result<std::vector<std::string>> SplitPath(std::string_view path);

Result<std::vector<std::pair<std::string, std::string>>> ParseQuery(std::string_view query);

bool IsUtf8(std::string_view text);

int HexValue(char c);  // -1: no hexadecimal digit.

// What stands between blanks.
std::vector<std::string_view> SplitWords(std::string_view line);

}  // namespace hone::server

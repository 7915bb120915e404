// SPDX-License-Identifier: Apache-2.0
#include "hone/server/http/http_framing.h"

#include <fmt/format.h>

#include "hone/core/letter_case.h"

namespace hone::server {

std::optional<Refusal> FramingFault(const HttpRequest& request, unsigned version) {
  if (version != 10 && version != 11) return Refusal{505, "HTTP/1.0 and HTTP/1.1 are spoken here"};
  std::size_t lengths = 0;
  std::size_t encodings = 0;
  std::size_t hosts = 0;
  for (const auto& [name, value] : request.headers) {
    lengths += name == "content-length" ? 1 : 0;
    encodings += name == "transfer-encoding" ? 1 : 0;
    hosts += name == "host" ? 1 : 0;
  }
  if (lengths > 1) return Refusal{400, "content-length: it stands there more than once"};
  if (encodings > 0 && (lengths > 0 || version == 10)) {
    return Refusal{400, "transfer-encoding: not with content-length, nor in HTTP/1.0"};
  }
  if (encodings > 0 &&
      (encodings > 1 || LowerCase(request.Header("transfer-encoding")) != "chunked")) {
    return Refusal{501, "transfer-encoding: only chunked is known"};
  }
  if (hosts > 1 || (hosts == 0 && version == 11))
    return Refusal{400, "host: exactly one is needed"};
  const std::string_view expected = request.Header("expect");
  if (!expected.empty() && LowerCase(expected) != "100-continue") {
    return Refusal{417, "expect: only 100-continue is known"};
  }
  return std::nullopt;
}

std::string ChunkText(std::string_view piece, bool is_http_1_0) {
  return is_http_1_0 ? std::string(piece) : fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
}

}  // namespace hone::server

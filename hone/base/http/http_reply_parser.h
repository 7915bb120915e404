// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hone/core/result.h"

namespace hone {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpReply {
  int status = 0;
  HttpHeaders headers = {};
  std::string body = {};

  // The first of this name, in any case; empty if there is none. The other side wrote it.
  std::string_view Header(std::string_view name) const;
};

// Is given the body in pieces, as they come, with the head of the reply. False: it has seen enough,
// and nothing more is read. An Error ends the call and is what the call returns.
using HttpBodyListener = std::function<Result<bool>(const HttpReply& head, std::string_view piece)>;

struct HttpReplyLimits {
  std::size_t head_bytes = 64 << 10;
  std::size_t body_bytes = 64 << 20;
};

// Reads one reply of HTTP/1.1 from bytes that may be anyone's: what is not HTTP, or has too long a
// head, is an Error of kUnavailable, a body over its limit one of kUnsupported. Replies before the
// final one (1xx) are skipped.
class HttpReplyParser {
 public:
  // Without a listener the body is kept. `has_body` is false for the reply to CONNECT and HEAD.
  explicit HttpReplyParser(HttpReplyLimits limits, HttpBodyListener listener = nullptr,
                           bool has_body = true);
  ~HttpReplyParser();

  Result<bool> Feed(std::string_view bytes);  // Whether the reply is whole, or enough was seen.
  Result<void> End();                         // The other side says that nothing more comes.

  const HttpReply& head() const;
  HttpReply Take();               // Once it is whole.
  std::string_view rest() const;  // What came behind it.

 private:
  class Reading;

  Result<bool> Step();
  void Restart();

  HttpReplyLimits limits_;
  HttpBodyListener listener_;
  bool has_body_;
  int skipped_ = 0;
  std::string pending_;
  std::unique_ptr<Reading> reading_;
};

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hone/base/descriptor.h"
#include "hone/base/redis/tls_session.h"
#include "hone/core/result.h"

namespace hone {

struct StreamAddress {
  std::string host;
  int port = 0;
  std::filesystem::path socket;  // A Unix socket instead of host and port.
  std::optional<TlsWish> tls;
};

// A connection over which bytes come and go in order, in the clear or under TLS. Used by one
// thread at a time. After an Error it is of no more use. Never raises SIGPIPE.
class StreamSocket {
 public:
  // kNotFound: no such host; kUnavailable: nobody listens, or not in time;
  // kInvalidArgument: the certificate is not to be trusted, or there is no TLS.
  static Result<StreamSocket> Connect(const StreamAddress& address,
                                      std::chrono::milliseconds limit);

  // All of it, or an Error.
  Result<void> Write(std::string_view bytes, std::chrono::milliseconds limit);

  // What has come, at least a byte; 0 if nothing came within the limit, or once the descriptor
  // `interrupt` (if any) can be read. An Error when the other side has closed.
  Result<std::size_t> Read(std::span<char> bytes, std::chrono::milliseconds limit,
                           int interrupt = -1);

 private:
  using Time = std::chrono::steady_clock::time_point;

  explicit StreamSocket(Descriptor socket) : socket_(std::move(socket)) {}

  Result<void> Shake(const StreamAddress& address, Time end);
  Result<void> SendRaw(std::string_view bytes, Time end);
  Result<std::size_t> ReceiveRaw(std::span<char> bytes, Time end, int interrupt);

  Descriptor socket_;
  std::unique_ptr<TlsSession> tls_;
};

}  // namespace hone

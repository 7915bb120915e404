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
#include "hone/base/net/tls_session.h"
#include "hone/core/result.h"

namespace hone {

struct StreamAddress {
  std::string host;
  int port = 0;
  std::filesystem::path socket;  // A Unix socket instead of host and port.
  std::optional<TlsSettings> tls;
};

// A connection over which bytes come and go in order, in the clear or under TLS. Used by one
// thread at a time. After an Error it is of no more use. Never raises SIGPIPE.
//
// What waits also ends once the descriptor `interrupt` (if any) can be read, which the caller can
// see there: Read then gives 0, all others kUnavailable.
class StreamSocket {
 public:
  // The limit is for everything: the look-up of the name, each address of it, and TLS.
  // kNotFound: no such host; kUnavailable: nobody listens, or not in time;
  // kInvalidArgument: the certificate is not to be trusted, or there is no TLS.
  static Result<StreamSocket> Connect(const StreamAddress& address, std::chrono::milliseconds limit,
                                      int interrupt = -1);

  // From here on under TLS, for a connection that a proxy has passed on. Errors as of Connect.
  Result<void> StartTls(const TlsSettings& tls_settings, const std::string& host,
                        std::chrono::milliseconds limit, int interrupt = -1);

  // All of it, or an Error.
  Result<void> Write(std::string_view bytes, std::chrono::milliseconds limit, int interrupt = -1);

  // What has come, at least a byte; 0 if nothing came within the limit, or after an interrupt. An
  // Error when the other side has closed.
  Result<std::size_t> Read(std::span<char> bytes, std::chrono::milliseconds limit,
                           int interrupt = -1);

  // Whether the Error of Read was that the other side said that nothing more comes. Under TLS it
  // must have said so under TLS: else somebody may have cut the connection.
  bool is_ended() const { return is_ended_; }

 private:
  using Time = std::chrono::steady_clock::time_point;

  explicit StreamSocket(Descriptor socket) : socket_(std::move(socket)) {}

  Result<void> Shake(TlsSession& session, Time end, int interrupt);
  Result<void> SendRaw(std::string_view bytes, Time end, int interrupt);
  Result<std::size_t> ReceiveRaw(std::span<char> bytes, Time end, int interrupt);

  Descriptor socket_;
  std::unique_ptr<TlsSession> tls_;
  bool is_ended_ = false;
};

}  // namespace hone

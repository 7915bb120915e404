// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "hone/core/result.h"

namespace hone {

// How to trust, and be trusted by, the other side of a TLS connection.
struct TlsSettings {
  std::filesystem::path ca_file;           // Empty: the system's list.
  std::filesystem::path certificate_file;  // Ours, if the other side asks for one.
  std::filesystem::path key_file;
  bool verifies_server = true;
};

// The client's side of one TLS connection, without a socket: what it wants sent is drained, what
// came is fed. Used by one thread at a time.
class TlsSession {
 public:
  // `host` is what the server's certificate must be made out to: a name or an IP address.
  static Result<std::unique_ptr<TlsSession>> Make(const TlsSettings& tls_settings,
                                                  const std::string& host);
  virtual ~TlsSession() = default;

  virtual void Feed(std::string_view received) = 0;
  virtual std::string Drain() = 0;  // To be sent now.

  virtual Result<bool> Shake() = 0;  // Goes on with the handshake; whether it is complete.
  virtual Result<void> Encrypt(std::string_view plain) = 0;
  virtual Result<std::size_t> Decrypt(std::span<char> plain) = 0;  // 0: more must be fed first.

  virtual bool is_ended() const = 0;  // The other side said under TLS that nothing more comes.
};

}  // namespace hone

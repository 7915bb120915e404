// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "hone/base/descriptor.h"
#include "hone/core/result.h"

// What the tcp probe and its server say to each other.
namespace hone::sysctl {

enum class TcpMode : std::uint8_t {
  kBulk = 'b',     // The client sends until it closes; the server answers how many bytes came.
  kRequest = 'r',  // The client sends a request, the server answers it; again until it closes.
  kConnect = 'c',  // The server greets with one byte.
};

// A connection begins with this, from the client.
struct TcpHello {
  TcpMode mode = TcpMode::kBulk;
  std::uint32_t request_bytes = 0;
  std::uint32_t response_bytes = 0;

  bool operator==(const TcpHello&) const = default;
};

inline constexpr std::size_t kHelloBytes = 12;
inline constexpr std::size_t kCountBytes = 8;  // Of the answer to kBulk, the highest byte first.
inline constexpr std::uint32_t kMaxMessageBytes = 16 << 20;

std::array<char, kHelloBytes> EncodeHello(const TcpHello& hello);
std::optional<TcpHello> DecodeHello(std::span<const char> bytes);  // Nothing if it is not one.
std::array<char, kCountBytes> EncodeCount(std::uint64_t count);
std::uint64_t DecodeCount(std::span<const char> bytes);

// A place to listen on or to connect to.
struct TcpPlace {
  sockaddr_storage address{};
  socklen_t size = 0;
  std::string text;  // "127.0.0.1 port 5201"
};

// A numeric IPv4 or IPv6 address: no name is looked up.
Result<TcpPlace> ParsePlace(const std::string& address, int port);

// Does not block; small messages go out at once.
Result<Descriptor> MakeTcpSocket(const TcpPlace& place);

}  // namespace hone::sysctl

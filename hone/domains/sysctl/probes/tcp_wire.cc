// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/probes/tcp_wire.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <cerrno>
#include <cstring>

#include "hone/base/errno_error.h"

namespace hone::sysctl {
namespace {

constexpr std::array<char, 3> kMagic{'H', 'n', '1'};

void PutNumber(char* at, std::uint64_t number, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    at[i] = static_cast<char>(number >> (8 * (bytes - 1 - i)) & 0xff);
  }
}

std::uint64_t GetNumber(const char* at, std::size_t bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    number = number << 8 | static_cast<unsigned char>(at[i]);
  }
  return number;
}

}  // namespace

std::array<char, kHelloBytes> EncodeHello(const TcpHello& hello) {
  std::array<char, kHelloBytes> bytes{};
  std::copy(kMagic.begin(), kMagic.end(), bytes.begin());
  bytes[3] = static_cast<char>(hello.mode);
  PutNumber(&bytes[4], hello.request_bytes, 4);
  PutNumber(&bytes[8], hello.response_bytes, 4);
  return bytes;
}

std::optional<TcpHello> DecodeHello(std::span<const char> bytes) {
  if (bytes.size() < kHelloBytes) return std::nullopt;
  if (!std::equal(kMagic.begin(), kMagic.end(), bytes.begin())) return std::nullopt;
  TcpHello hello;
  hello.mode = static_cast<TcpMode>(bytes[3]);
  hello.request_bytes = static_cast<std::uint32_t>(GetNumber(&bytes[4], 4));
  hello.response_bytes = static_cast<std::uint32_t>(GetNumber(&bytes[8], 4));
  const bool is_known = hello.mode == TcpMode::kBulk || hello.mode == TcpMode::kRequest ||
                        hello.mode == TcpMode::kConnect;
  const bool is_sane =
      hello.request_bytes <= kMaxMessageBytes && hello.response_bytes <= kMaxMessageBytes &&
      (hello.mode != TcpMode::kRequest || (hello.request_bytes > 0 && hello.response_bytes > 0));
  if (!is_known || !is_sane) return std::nullopt;
  return hello;
}

std::array<char, kCountBytes> EncodeCount(std::uint64_t count) {
  std::array<char, kCountBytes> bytes{};
  PutNumber(bytes.data(), count, kCountBytes);
  return bytes;
}

std::uint64_t DecodeCount(std::span<const char> bytes) {
  return GetNumber(bytes.data(), kCountBytes);
}

Result<TcpPlace> ParsePlace(const std::string& address, int port) {
  TcpPlace place;
  place.text = fmt::format("{} port {}", address, port);
  auto* const four = reinterpret_cast<sockaddr_in*>(&place.address);
  if (::inet_pton(AF_INET, address.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(static_cast<std::uint16_t>(port));
    place.size = sizeof *four;
    return place;
  }
  auto* const six = reinterpret_cast<sockaddr_in6*>(&place.address);
  if (::inet_pton(AF_INET6, address.c_str(), &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(static_cast<std::uint16_t>(port));
    place.size = sizeof *six;
    return place;
  }
  return Error{
      Errc::kInvalidArgument,
      fmt::format("address: expected a number such as 127.0.0.1 or ::1, found \"{}\"", address)};
}

Result<Descriptor> MakeTcpSocket(const TcpPlace& place) {
  Descriptor socket(
      ::socket(place.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return ErrnoError(place.text, errno);
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return socket;
}

}  // namespace hone::sysctl

// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/serve/frames.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <span>
#include <string>

#include "hone/base/errno_error.h"

namespace hone::llm {
namespace {

constexpr const char* kChannel = "the channel to the engine";

Result<void> ReceiveAll(int socket, std::span<char> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ErrnoError(kChannel, errno);
    if (count == 0) return Error{Errc::kUnavailable, "the other side closed the channel"};
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace

Result<void> SendFrame(int socket, const Json& message) {
  const std::string text = Dump(message);
  if (text.size() > kMaxFrame) {
    return Error{Errc::kInvalidArgument, fmt::format("a message of {} bytes", text.size())};
  }
  std::string frame;
  for (int shift = 0; shift < 32; shift += 8) {
    frame.push_back(static_cast<char>(static_cast<unsigned char>(text.size() >> shift)));
  }
  frame += text;
  std::span<const char> left(frame);
  while (!left.empty()) {
    const ssize_t count = ::send(socket, left.data(), left.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EPIPE) {
      return Error{Errc::kUnavailable, "the other side closed the channel"};
    }
    if (count < 0) return ErrnoError(kChannel, errno);
    left = left.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

Result<Json> ReceiveFrame(int socket) {
  std::array<char, 4> head{};
  if (auto read = ReceiveAll(socket, head); !read) return read.error();
  std::size_t size = 0;
  for (std::size_t i = 0; i < head.size(); ++i) {
    size |= static_cast<std::size_t>(static_cast<unsigned char>(head[i])) << (8 * i);
  }
  if (size > kMaxFrame) {
    return Error{Errc::kCorrupt, fmt::format("a frame of {} bytes; at most {}", size, kMaxFrame)};
  }
  std::string text(size, '\0');
  if (auto read = ReceiveAll(socket, text); !read) return read.error();
  return ParseJson(text, "a frame", {.bytes = kMaxFrame, .depth = 16});
}

}  // namespace hone::llm

// SPDX-License-Identifier: Apache-2.0
#include "hone/base/json/json_frames.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <string>

#include "hone/base/errno_error.h"

namespace hone {
namespace {

using FrameClock = std::chrono::steady_clock;

constexpr const char* kChannel = "the channel";
constexpr std::chrono::milliseconds kMaxFramePoll{1'000'000};

Error ChannelClosed() { return {Errc::kUnavailable, "the other side closed the channel"}; }

Error FrameTooLong(std::size_t bytes) {
  return {Errc::kCorrupt, fmt::format("a frame of {} bytes; at most {}", bytes, kMaxFrame)};
}

Result<void> AwaitBytes(int socket, FrameClock::time_point deadline) {
  while (true) {
    const auto left = deadline - FrameClock::now();
    if (left.count() <= 0) return Error{Errc::kStale, "there was no answer in time"};
    pollfd ready{socket, POLLIN, 0};
    const auto wait = std::min<FrameClock::duration>(left, kMaxFramePoll);
    const int found = ::poll(
        &ready, 1, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(wait).count()));
    if (found > 0) return {};
    if (found < 0 && errno != EINTR) return ErrnoError(kChannel, errno);
  }
}

Result<void> ReceiveAll(int socket, std::span<char> bytes, FrameClock::time_point deadline) {
  while (!bytes.empty()) {
    if (auto come = AwaitBytes(socket, deadline); !come) return come;
    const ssize_t count = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno != ECONNRESET) return ErrnoError(kChannel, errno);
    if (count <= 0) return ChannelClosed();
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace

Result<void> SendFrame(int socket, const Json& message) {
  const std::string text = Dump(message);
  if (text.size() > kMaxFrame) return FrameTooLong(text.size());
  std::string frame;
  frame.reserve(sizeof(std::uint32_t) + text.size());
  for (int shift = 0; shift < 32; shift += 8) {
    frame.push_back(static_cast<char>(static_cast<unsigned char>(text.size() >> shift)));
  }
  frame += text;
  std::span<const char> left(frame);
  while (!left.empty()) {
    const ssize_t count = ::send(socket, left.data(), left.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EPIPE || errno == ECONNRESET)) return ChannelClosed();
    if (count < 0) return ErrnoError(kChannel, errno);
    left = left.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

Result<Json> ReceiveFrame(int socket, FrameClock::time_point deadline) {
  std::array<char, 4> head{};
  if (auto read = ReceiveAll(socket, head, deadline); !read) return read.error();
  std::size_t size = 0;
  for (std::size_t i = 0; i < head.size(); ++i) {
    size |= static_cast<std::size_t>(static_cast<unsigned char>(head[i])) << (8 * i);
  }
  if (size > kMaxFrame) return FrameTooLong(size);
  std::string text(size, '\0');
  if (auto read = ReceiveAll(socket, text, deadline); !read) return read.error();
  return ParseJson(text, "a frame", {.bytes = kMaxFrame});
}

}  // namespace hone

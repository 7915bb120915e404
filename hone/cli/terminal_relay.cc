// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/terminal_relay.h"

#include <poll.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "hone/base/errno_error.h"

namespace hone::cli {
namespace {

// A terminal that hands every byte on, while this lives.
class RawTerminal {
 public:
  explicit RawTerminal(int terminal) : terminal_(terminal) {
    is_terminal_ = ::tcgetattr(terminal_, &before_) == 0;
    if (!is_terminal_) return;
    termios raw = before_;
    ::cfmakeraw(&raw);
    ::tcsetattr(terminal_, TCSANOW, &raw);
  }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  ~RawTerminal() {
    if (is_terminal_) ::tcsetattr(terminal_, TCSANOW, &before_);
  }

  bool is_terminal() const { return is_terminal_; }

 private:
  int terminal_;
  bool is_terminal_ = false;
  termios before_{};
};

// Copies what is there. False at the end of either side.
template <typename Write>
bool CopySome(int from, Write write) {
  std::array<char, 4096> chunk{};
  const ssize_t size = ::read(from, chunk.data(), chunk.size());
  if (size < 0) return errno == EINTR || errno == EAGAIN;
  std::string_view rest(chunk.data(), static_cast<std::size_t>(size));
  while (!rest.empty()) {
    const ssize_t written = write(rest);
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return size > 0;
}

}  // namespace

Result<void> RelayTerminal(int input, int output, int socket) {
  const RawTerminal raw(input);
  if (!raw.is_terminal()) return ErrnoError("the terminal", errno);
  std::array<pollfd, 2> waits{pollfd{socket, POLLIN, 0}, pollfd{input, POLLIN, 0}};
  while (true) {
    if (::poll(waits.data(), waits.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return ErrnoError("poll", errno);
    }
    if (waits[0].revents != 0 && !CopySome(socket, [&](std::string_view text) {
          return ::write(output, text.data(), text.size());
        })) {
      return {};
    }
    if (waits[1].revents != 0 && !CopySome(input, [&](std::string_view text) {
          return ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
        })) {
      waits[1].fd = -1;  // Nobody types any more; what comes is still shown.
    }
  }
}

}  // namespace hone::cli

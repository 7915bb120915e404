// SPDX-License-Identifier: Apache-2.0
#include "hone/base/process/write_available.h"

#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <ctime>

namespace hone {
namespace {

// A write to a pipe that nobody reads any more, without the SIGPIPE that would end us.
ssize_t WriteQuietly(int descriptor, std::string_view text) {
  sigset_t pipe;
  sigset_t pending;
  sigset_t before;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  const ssize_t written = ::write(descriptor, text.data(), text.size());
  const int code = errno;
  if (written < 0 && code == EPIPE && sigismember(&pending, SIGPIPE) == 0) {
    const timespec now{};
    while (sigtimedwait(&pipe, nullptr, &now) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = code;
  return written;
}

}  // namespace

void WriteAvailable(Descriptor& to, std::string_view& rest) {
  while (!rest.empty()) {
    const ssize_t written = WriteQuietly(to.get(), rest);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) return;
    if (written < 0) break;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  to.Close();
}

}  // namespace hone

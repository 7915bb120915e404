// SPDX-License-Identifier: Apache-2.0
#include "hone/base/process/linked_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "hone/base/errno_error.h"

namespace hone {
namespace {

constexpr std::chrono::milliseconds kLastGrace{2'000};

// One whose number is not that which the other process is handed.
Result<std::pair<Descriptor, Descriptor>> MakeLink() {
  std::array<int, 2> made{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, made.data()) != 0) {
    return ErrnoError("a pair of sockets", errno);
  }
  std::pair<Descriptor, Descriptor> ends{Descriptor(made[0]), Descriptor(made[1])};
  if (ends.second.get() == kLinkSocket) {  // dup2 onto itself would keep CLOEXEC.
    ends.second = Descriptor(::fcntl(ends.second.get(), F_DUPFD_CLOEXEC, kLinkSocket + 1));
  }
  if (!ends.second.is_open()) return ErrnoError("a pair of sockets", errno);
  return ends;
}

Result<pid_t> SpawnLinked(const LinkedProgram& program, int socket) {
  std::vector<std::string> words = program.arguments;
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, socket, kLinkSocket);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t pid = 0;
  const int failed = ::posix_spawn(&pid, program.program.c_str(), &actions, &attributes,
                                   arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (failed != 0) return ErrnoError(program.program.string(), failed);
  return pid;
}

}  // namespace

Result<LinkedProcess> LinkedProcess::Start(const LinkedProgram& program) {
  auto ends = MakeLink();
  if (!ends) return ends.error();
  const auto pid = SpawnLinked(program, ends->second.get());
  if (!pid) return pid.error();
  return LinkedProcess(*pid, std::move(ends->first));
}

LinkedProcess::LinkedProcess(pid_t pid, Descriptor socket)
    : pid_(pid),
      handle_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))),
      socket_(std::move(socket)) {}

LinkedProcess::LinkedProcess(LinkedProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      handle_(std::move(other.handle_)),
      socket_(std::move(other.socket_)) {}

LinkedProcess::~LinkedProcess() { End(kLastGrace); }

void LinkedProcess::HangUp() const { ::shutdown(socket_.get(), SHUT_RDWR); }

int LinkedProcess::End(std::chrono::milliseconds grace) {
  if (!is_alive()) return 0;
  socket_.Close();
  pollfd end{handle_.get(), POLLIN, 0};
  const auto deadline = std::chrono::steady_clock::now() + grace;
  for (bool has_ended = false; !has_ended && grace.count() > 0;) {
    has_ended = ::poll(&end, 1, static_cast<int>(grace.count())) > 0;
    grace =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  }
  ::kill(pid_, SIGKILL);  // Nothing, if it has ended: its number is ours until we have waited.
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  return status;
}

std::string TextOfEnd(int wait_status) {
  if (!WIFSIGNALED(wait_status)) {
    return fmt::format("ended with status {}", WEXITSTATUS(wait_status));
  }
  const char* const name = ::sigabbrev_np(WTERMSIG(wait_status));
  return fmt::format("died by SIG{}", name != nullptr ? name : "?");
}

}  // namespace hone

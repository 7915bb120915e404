// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/guardian_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "hone/base/errno_error.h"
#include "hone/base/process/embedded_program.h"
#include "hone/domains/sysctl/apply/guardian.h"
#include "hone/domains/sysctl/apply/guardian_image.h"

namespace hone::sysctl {
namespace {

constexpr const char* kWhat = "the guardian of kernel parameters";
constexpr int kWaitTimeoutMs = 10'000;

// Above what a guardian is given, so that installing one descriptor does not overwrite the next.
Descriptor Raised(Descriptor low) {
  constexpr int kMin = 10;
  return Descriptor(low.is_open() ? ::fcntl(low.get(), F_DUPFD_CLOEXEC, kMin) : -1);
}

Descriptor OpenProcess(pid_t pid) {
  return Raised(Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))));
}

bool IsReadable(int descriptor, int wait_timeout_ms) {
  pollfd wait{descriptor, POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&wait, 1, wait_timeout_ms);
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

// Owns what posix_spawn is told.
class SpawnPlan {
 public:
  SpawnPlan(int socket, int lock, int holder) {
    posix_spawn_file_actions_init(&actions_);
    for (const int number : {0, 1, 2}) {
      posix_spawn_file_actions_addopen(&actions_, number, "/dev/null", O_RDWR, 0);
    }
    posix_spawn_file_actions_adddup2(&actions_, socket, kGuardianSocket);
    posix_spawn_file_actions_adddup2(&actions_, lock, kGuardianLock);
    posix_spawn_file_actions_adddup2(&actions_, holder, kGuardianHolder);
    posix_spawnattr_init(&attributes_);
    sigset_t all;
    sigfillset(&all);  // Until it ignores them: a Ctrl-C must not catch it half started.
    posix_spawnattr_setsigmask(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  Result<pid_t> Spawn(const std::string& program, const std::string& folder) const {
    std::string name = "hone-guardian";
    std::string argument = folder;
    std::array<char*, 3> arguments{name.data(), argument.data(), nullptr};
    std::array<char*, 1> environment{nullptr};
    pid_t pid = 0;
    const int code = ::posix_spawn(&pid, program.c_str(), &actions_, &attributes_, arguments.data(),
                                   environment.data());
    if (code != 0) return ErrnoError(kWhat, code);
    return pid;
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

// The guardian watches a pidfd of this process rather than its number, which another process may
// have by the time of the look. It shares the lock's open file (dup, not a second open), so the
// folder stays locked until both processes are gone. Nothing is returned before the guardian has
// answered: a parameter is never written without a process that would put it back.
Result<GuardianProcess> GuardianProcess::Start(const std::filesystem::path& folder,
                                               const TransactionLock& lock) {
  const auto image = GuardianFile();
  if (!image) return image.error();
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return ErrnoError(kWhat, errno);
  }
  Descriptor ours = Raised(Descriptor(ends[0]));
  const Descriptor theirs = Raised(Descriptor(ends[1]));
  const Descriptor self = OpenProcess(::getpid());
  const Descriptor held = Raised(Descriptor(::dup(lock.descriptor())));
  if (!ours.is_open() || !theirs.is_open() || !self.is_open() || !held.is_open()) {
    return ErrnoError(kWhat, errno);
  }
  const auto pid = SpawnPlan(theirs.get(), held.get(), self.get())
                       .Spawn(PathOfProgram(*image), std::filesystem::absolute(folder));
  if (!pid) return pid.error();
  GuardianProcess guardian(*pid, OpenProcess(*pid), std::move(ours));
  if (auto ready = guardian.AwaitReady(); !ready) return ready.error();
  return guardian;
}

GuardianProcess::GuardianProcess(GuardianProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      process_(std::move(other.process_)),
      socket_(std::move(other.socket_)) {}

GuardianProcess& GuardianProcess::operator=(GuardianProcess&& other) noexcept {
  if (this != &other) {
    socket_.Close();
    AwaitEnd();
    pid_ = std::exchange(other.pid_, -1);
    process_ = std::move(other.process_);
    socket_ = std::move(other.socket_);
  }
  return *this;
}

GuardianProcess::~GuardianProcess() {
  socket_.Close();
  AwaitEnd();
}

bool GuardianProcess::IsAlive() const {
  return pid_ > 0 && process_.is_open() && !IsReadable(process_.get(), 0);
}

Result<void> GuardianProcess::AwaitReady() {
  GuardianMessage message;
  if (IsReadable(socket_.get(), kWaitTimeoutMs) &&
      ::recv(socket_.get(), &message, sizeof message, MSG_DONTWAIT) == sizeof message) {
    return {};
  }
  return Error{Errc::kUnavailable, std::string(kWhat) +
                                       ": did not answer; without it nothing is "
                                       "changed"};
}

void GuardianProcess::Withdraw() {
  const GuardianMessage message{GuardianMessage::Kind::kDone, 0};
  ::send(socket_.get(), &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
  AwaitEnd();
}

Result<void> GuardianProcess::LeaveUntil(std::int64_t until_ms) {
  const GuardianMessage message{GuardianMessage::Kind::kKeep, until_ms};
  if (::send(socket_.get(), &message, sizeof message, MSG_NOSIGNAL) != sizeof message) {
    return ErrnoError(kWhat, errno);
  }
  if (auto ready = AwaitReady(); !ready) return ready;
  pid_ = -1;  // It outlives us now.
  return {};
}

// Waits by the pidfd with a time limit: a guardian that hangs must not hang its holder. It is then
// left to init.
void GuardianProcess::AwaitEnd() {
  if (pid_ <= 0) return;
  const bool has_ended = process_.is_open() && IsReadable(process_.get(), kWaitTimeoutMs);
  ::waitpid(pid_, nullptr, has_ended ? 0 : WNOHANG);
  pid_ = -1;
}

}  // namespace hone::sysctl

// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/process/judge_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "hone/base/errno_error.h"
#include "hone/base/host.h"

namespace hone::compute {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxRestingBytes = std::size_t{1} << 30;
constexpr std::chrono::milliseconds kEndGrace{2'000};

// In a process group of its own, so that Ctrl-C on a terminal reaches it through us only; what it
// prints goes where our errors go.
Result<pid_t> Spawn(const JudgeProgram& program, int socket) {
  std::array<std::string, 4> words = {"hone", kJudgeWord, program.cache.string(),
                                      std::to_string(program.memory_mib)};
  std::array<char*, 5> arguments{};
  std::ranges::transform(words, arguments.begin(), [](std::string& word) { return word.data(); });
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
  ::posix_spawn_file_actions_adddup2(&actions, socket, kJudgeSocket);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t pid = 0;
  const int failed = ::posix_spawn(&pid, program.program.c_str(), &actions, &attributes,
                                   arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (failed != 0) return ErrnoError("the judge's process", failed);
  return pid;
}

// A pair of sockets whose numbers are above that which the judge is handed.
Result<std::pair<Descriptor, Descriptor>> MakeSockets() {
  std::array<int, 2> made{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, made.data()) != 0) {
    return ErrnoError("the channel to the judge", errno);
  }
  std::pair<Descriptor, Descriptor> sockets{Descriptor(made[0]), Descriptor(made[1])};
  if (sockets.second.get() == kJudgeSocket) {  // dup2 onto itself would keep CLOEXEC.
    sockets.second = Descriptor(::fcntl(sockets.second.get(), F_DUPFD_CLOEXEC, kJudgeSocket + 1));
  }
  if (!sockets.second.is_open()) return ErrnoError("the channel to the judge", errno);
  return sockets;
}

}  // namespace

std::int64_t DefaultJudgeMemoryMib() {
  if (const char* given = std::getenv("HONE_JUDGE_MEMORY_MIB"); given != nullptr) {
    if (const std::int64_t mib = std::atoll(given); mib > 0) return mib;
  }
  return std::clamp<std::int64_t>(MachineMemoryMib() / 2, 1024, std::int64_t{16} * 1024);
}

Result<std::unique_ptr<JudgeProcess>> JudgeProcess::Start(const JudgeProgram& program) {
  auto sockets = MakeSockets();
  if (!sockets) return sockets.error();
  const auto pid = Spawn(program, sockets->second.get());
  if (!pid) return pid.error();
  return std::unique_ptr<JudgeProcess>(
      new JudgeProcess(*pid, std::move(sockets->first), program.memory_mib));
}

// It sees its socket close, ends what it runs, and leaves; one that does not is killed.
JudgeProcess::~JudgeProcess() {
  if (!is_alive()) return;
  socket_.Close();
  const auto deadline = Clock::now() + kEndGrace;
  while (::waitpid(pid_, nullptr, WNOHANG) == 0) {
    if (Clock::now() > deadline) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
      return;
    }
    ::poll(nullptr, 0, 1);
  }
}

Error JudgeProcess::Bury(const Error& seen) {
  socket_.Close();
  const bool is_leaving = seen.code == Errc::kUnavailable;  // It has closed its end.
  if (!is_leaving) ::kill(pid_, SIGKILL);
  int status = 0;
  // But nobody waits for that without end.
  const auto deadline = Clock::now() + kEndGrace;
  while (::waitpid(pid_, &status, WNOHANG) == 0) {
    if (Clock::now() > deadline) ::kill(pid_, SIGKILL);
    ::poll(nullptr, 0, 1);
  }
  pid_ = 0;
  const auto gone = [](std::string how) {
    return Error{Errc::kUnavailable, "the judge's process " + std::move(how)};
  };
  if (!is_leaving) return gone("was ended: " + seen.message);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kJudgeOutOfMemory) {
    return gone(
        fmt::format("ran out of memory: it may use {} MiB (HONE_JUDGE_MEMORY_MIB)", memory_mib_));
  }
  if (WIFSIGNALED(status)) {
    const char* name = ::sigabbrev_np(WTERMSIG(status));
    return gone(fmt::format("died by SIG{}", name != nullptr ? name : "?"));
  }
  return gone(fmt::format("ended with status {}: {}", WEXITSTATUS(status), seen.message));
}

Result<JudgeAnswer> JudgeProcess::Await(std::uint64_t number, std::chrono::milliseconds limit,
                                        const std::stop_token& stop) {
  const auto deadline = Clock::now() + limit;
  // Sent once, from whichever thread asks us to stop; this thread only reads meanwhile.
  const std::stop_callback pass_on(stop, [&] {
    JudgeRequest request;
    request.what = JudgeRequest::What::kStop;
    request.number = number;
    [[maybe_unused]] const auto sent = SendMessage(socket_.get(), ToJson(request));
  });
  const auto json = ReceiveMessage(socket_.get(), deadline);
  if (!json) return json.error();
  auto answer = ReadJudgeAnswer(*json);
  if (answer && answer->number != number) {
    return Error{Errc::kCorrupt, "it answered another request"};
  }
  return answer;
}

Result<RunResult> JudgeProcess::Ask(JudgeRequest request, std::chrono::milliseconds limit,
                                    const std::stop_token& stop) {
  if (!is_alive()) return Error{Errc::kUnavailable, "the judge's process is gone"};
  request.number = ++requests_;
  if (const auto sent = SendMessage(socket_.get(), ToJson(request)); !sent) {
    return Bury(sent.error());
  }
  auto answer = Await(request.number, limit, stop);
  if (!answer) return Bury(answer.error());
  return std::move(answer->result);
}

Result<std::unique_ptr<JudgeProcess>> JudgeProcesses::Take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto process = std::move(idle_.back());
      idle_.pop_back();
      return process;
    }
  }
  return JudgeProcess::Start(program_);
}

void JudgeProcesses::GiveBack(std::unique_ptr<JudgeProcess> process) {
  if (!process->is_alive() || PrivateMemoryOf(process->pid()) > kMaxRestingBytes) return;
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(process));
}

}  // namespace hone::compute

// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/reload.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <string_view>

#include "hone/base/descriptor.h"
#include "hone/base/errno_error.h"

namespace hone::sysctl {
namespace {

constexpr std::array<std::string_view, 6> kProgramFolders{
    "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"};
constexpr std::size_t kMaxOutput = 1000;

Error Failed(const Reload& reload, const std::string& why) {
  return {Errc::kInvalidArgument, fmt::format("{}: {}", fmt::join(reload.arguments, " "), why)};
}

// A name without a slash is looked for where a system's own programs are.
std::string ProgramOf(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  for (const std::string_view folder : kProgramFolders) {
    std::string path = fmt::format("{}/{}", folder, name);
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return name;
}

// Everything that the child needs, made before the fork: after it only system calls are safe.
struct Prepared {
  explicit Prepared(const Reload& reload)
      : program(ProgramOf(reload.arguments.front())), arguments(reload.arguments) {
    for (std::string_view folder : kProgramFolders) {
      search += fmt::format("{}{}", search.empty() ? "PATH=" : ":", folder);
    }
    pointers.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    environment = {search.data(), language.data(), nullptr};
  }

  std::string program;
  std::vector<std::string> arguments;
  std::vector<char*> pointers;
  std::string search;
  std::string language = "LC_ALL=C.UTF-8";
  std::array<char*, 3> environment{};
};

// A restarted service must inherit neither the guardian's ignored signals, nor its lock, nor its
// place at the end of the OOM killer's list.
// And it ends with who started it, so that a killed tuner's reload does not come after that of its
// guardian.
[[noreturn]] void BecomeCommand(const Prepared& what, int output, pid_t starter) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != starter) ::_exit(127);
  for (int number = 1; number <= SIGRTMAX; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::setpgid(0, 0);
  const int nothing = ::open("/dev/null", O_RDWR);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::close_range(STDERR_FILENO + 1, ~0U, 0);
  const int score = ::open("/proc/self/oom_score_adj", O_WRONLY);
  if (score >= 0) {
    [[maybe_unused]] const ssize_t written = ::write(score, "0\n", 2);
    ::close(score);
  }
  [[maybe_unused]] const int moved = ::chdir("/");
  ::execve(what.program.c_str(), what.pointers.data(), what.environment.data());
  constexpr std::string_view kWhy = "the program cannot be run";
  [[maybe_unused]] const ssize_t said = ::write(STDERR_FILENO, kWhy.data(), kWhy.size());
  ::_exit(127);
}

std::string OutputIn(int file) {
  std::array<char, kMaxOutput> text{};
  const off_t size = ::lseek(file, 0, SEEK_END);
  const off_t start = size > static_cast<off_t>(text.size()) ? size - off_t{kMaxOutput} : 0;
  const ssize_t got = ::pread(file, text.data(), text.size(), start);
  std::string output(text.data(), got < 0 ? 0 : static_cast<std::size_t>(got));
  while (output.ends_with('\n')) output.pop_back();
  return output.empty() ? "" : ": " + output;
}

// False: the time is over.
bool AwaitEnd(pid_t pid, std::chrono::milliseconds timeout) {
  const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!process.is_open()) return true;  // Then waitpid waits.
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd wait{process.get(), POLLIN, 0};
    if (::poll(&wait, 1, static_cast<int>(left.count())) > 0) return true;
  }
}

// Nothing: the kernel keeps no exit status where SIGCHLD is ignored, which is inherited.
std::optional<int> ExitStatusOf(pid_t pid) {
  int status = 0;
  while (true) {
    if (::waitpid(pid, &status, 0) == pid) return status;
    if (errno != EINTR) return std::nullopt;
  }
}

void Sleep(std::chrono::milliseconds time) {
  timespec left{time.count() / 1000, (time.count() % 1000) * 1'000'000};
  while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

}  // namespace

Result<void> RunReload(const Reload& reload) {
  if (reload.arguments.empty()) return {};
  const Prepared what(reload);
  const Descriptor output(::memfd_create("hone-reload", MFD_CLOEXEC));
  if (!output.is_open()) return ErrnoError(reload.arguments.front(), errno);
  const pid_t starter = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return ErrnoError(reload.arguments.front(), errno);
  if (pid == 0) BecomeCommand(what, output.get(), starter);
  const bool has_ended = AwaitEnd(pid, reload.timeout);
  if (!has_ended && ::kill(-pid, SIGKILL) != 0) ::kill(pid, SIGKILL);
  const auto status = ExitStatusOf(pid);
  if (!has_ended) {
    return Failed(reload, fmt::format("not done after {} ms", reload.timeout.count()));
  }
  if (!status) {
    return Error{Errc::kUnavailable,
                 fmt::format("{}: how it ended is not known", fmt::join(reload.arguments, " "))};
  }
  if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0) {
    const std::string how = WIFEXITED(*status) ? fmt::format("status {}", WEXITSTATUS(*status))
                                               : fmt::format("signal {}", WTERMSIG(*status));
    return Failed(reload, how + OutputIn(output.get()));
  }
  Sleep(reload.settle);
  return {};
}

}  // namespace hone::sysctl

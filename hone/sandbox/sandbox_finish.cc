// SPDX-License-Identifier: Apache-2.0
#include "hone/sandbox/sandbox_finish.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "hone/base/errno_error.h"
#include "hone/base/process/capped_capture.h"
#include "hone/base/process/write_available.h"
#include "hone/sandbox/deferred_close.h"
#include "hone/sandbox/recipe.h"

namespace hone {
namespace {

using End = SandboxResult::End;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kGrace{1000};  // For the warden to tell how it went, when time is up.
constexpr std::chrono::hours kLong{24 * 365};

// A message of the warden with the file that came along, if one did.
struct Letter {
  ssize_t size = 0;
  Descriptor file;
};

Letter Receive(int socket, void* to, std::size_t size) {
  iovec part{to, size};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> space{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space.data();
  message.msg_controllen = space.size();
  Letter letter;
  while ((letter.size = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
  }
  const cmsghdr* header = letter.size < 0 ? nullptr : CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS) {
    int file = -1;
    std::memcpy(&file, CMSG_DATA(header), sizeof file);
    letter.file = Descriptor(file);
  }
  return letter;
}

// Waits for the program's end, and sees to it when time is up.
class Watch {
 public:
  Watch(const SandboxCommand& command, StartedSandbox& sandbox, SandboxResult& result)
      : sandbox_(sandbox),
        input_(command.input),
        output_{sandbox.output, result.output, result.is_output_cut, command.max_output},
        errors_{sandbox.errors, result.errors, result.is_errors_cut, command.max_output},
        due_(Clock::now() + std::min<milliseconds>(command.limits.wall, kLong)) {}

  // Until the warden is gone and everything inside with it. What it said waits in the socket, so
  // one wake-up is enough.
  std::optional<WardenReport> Wait(int stop) {
    while (true) {
      std::array<pollfd, 5> waits{
          pollfd{sandbox_.pidfd.get(), POLLIN, 0}, pollfd{output_.from.get(), POLLIN, 0},
          pollfd{errors_.from.get(), POLLIN, 0}, pollfd{sandbox_.input.get(), POLLOUT, 0},
          pollfd{end_ == End::kExited ? stop : -1, POLLIN, 0}};
      if (::poll(waits.data(), waits.size(), MillisecondsLeft()) < 0) continue;
      output_.Drain();
      errors_.Drain();
      if (waits[3].revents != 0) WriteAvailable(sandbox_.input, input_);
      if (waits[0].revents != 0) return ReadReport();
      if (waits[4].revents != 0) EndBecause(End::kStopped);
      if (Clock::now() >= due_) EndBecause(End::kTimedOut);
    }
  }

  // What the pipes hold when nothing of the program is left is all there will be.
  void DrainAll() {
    output_.Drain();
    errors_.Drain();
  }

  End end() const { return end_; }

 private:
  int MillisecondsLeft() const {
    const auto left = std::chrono::ceil<milliseconds>(due_ - Clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1'000'000'000));
  }

  // First by the warden, who can tell how it went; then without it.
  void EndBecause(End why) {
    if (end_ == End::kExited) {
      end_ = why;
      ::send(sandbox_.socket.get(), &kWardenEnd, sizeof kWardenEnd, MSG_NOSIGNAL | MSG_DONTWAIT);
    } else {
      KillSandbox(sandbox_);
    }
    due_ = Clock::now() + kGrace;
  }

  std::optional<WardenReport> ReadReport() {
    WardenReport report;
    while (true) {
      const ssize_t got = Receive(sandbox_.socket.get(), &report, sizeof report).size;
      // A stop request that came too late to be read resets the connection; the report is behind
      // it.
      if (got < 0 && errno == ECONNRESET) continue;
      if (got != sizeof report) return std::nullopt;
      return report;
    }
  }

  StartedSandbox& sandbox_;
  std::string_view input_;
  CappedCapture output_;
  CappedCapture errors_;
  Clock::time_point due_;
  End end_ = End::kExited;
};

std::optional<std::string> ReadKept(const Descriptor& file, std::size_t max) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > max) return std::nullopt;
  std::string content(size, '\0');
  std::size_t at = 0;
  while (at < size) {
    const ssize_t got = ::pread(file.get(), content.data() + at, size - at, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    at += static_cast<std::size_t>(got);
  }
  return content;
}

void ReceiveKept(const SandboxCommand& command, const StartedSandbox& sandbox, int count,
                 SandboxResult& result) {
  for (int i = 0; i < count; ++i) {
    std::uint32_t index = 0;
    const Letter letter = Receive(sandbox.socket.get(), &index, sizeof index);
    if (letter.size != sizeof index || index >= command.keep.size()) return;
    if (!letter.file.is_open()) continue;
    auto content = ReadKept(letter.file, command.max_kept);
    if (content) result.files[command.keep[index]] = *std::move(content);
  }
}

Error ProgramError(const std::string& name, int number) {
  if (number == ENOENT || number == ENOTDIR) {
    return {Errc::kNotFound,
            fmt::format("{}: no such program in the sandbox: is it in one of the views?", name)};
  }
  if (number == EACCES) {
    return {Errc::kUnsupported, fmt::format("{}: may not be executed in the sandbox", name)};
  }
  return ErrnoError(name, number);
}

Error StartError(const SandboxCommand& command, const WardenReport& report) {
  const std::string& name = command.arguments[0];
  const auto failed = [&](std::string_view what) {
    return Error{Errc::kUnsupported, fmt::format("{}: the sandbox could not be made: {}: {}", name,
                                                 what, std::strerror(report.number))};
  };
  switch (report.stage) {
    case WardenStage::kProgram:
      return ProgramError(name, report.number);
    case WardenStage::kView: {
      const auto views = OrderedViews(command);
      const auto index = static_cast<std::size_t>(report.index);
      const std::string view = index < views.size() ? views[index].host.native() : "?";
      return ErrnoError(fmt::format("view {}", view), report.number);
    }
    case WardenStage::kCpus:
      return {Errc::kUnsupported, fmt::format("{}: none of the CPUs {} may be used here", name,
                                              fmt::join(command.cpus, ", "))};
    case WardenStage::kScratch:
      return ErrnoError(fmt::format("{}: /scratch, or a file that goes there", name),
                        report.number);
    case WardenStage::kUser:
      return failed("changing the user");
    case WardenStage::kRoot:
      return failed("the new root");
    case WardenStage::kProc:
      return failed("/proc");
    case WardenStage::kLimits:
      return failed("a limit");
    case WardenStage::kLandlock:
      return failed("Landlock");
    case WardenStage::kSeccomp:
      return failed("the system call filter");
    default:
      return failed("the warden");
  }
}

// The kernel has ended and reaped everything inside before the warden can be waited for.
void Reap(const StartedSandbox& sandbox, SandboxResult& result) {
  rusage used{};
  while (::wait4(sandbox.warden, nullptr, __WALL, &used) < 0 && errno == EINTR) {
  }
  const auto microseconds = [](const timeval& time) {
    return std::chrono::seconds{time.tv_sec} + std::chrono::microseconds{time.tv_usec};
  };
  result.user = microseconds(used.ru_utime);
  result.system = microseconds(used.ru_stime);
  result.peak_memory_kib = used.ru_maxrss;
}

void FillEnd(SandboxResult& result, End end, int wait_status) {
  const bool is_signalled = WIFSIGNALED(wait_status);
  result.status = is_signalled ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
  result.end = end != End::kExited ? end : is_signalled ? End::kSignalled : End::kExited;
}

}  // namespace

Result<SandboxResult> FinishSandbox(const SandboxCommand& command, StartedSandbox& sandbox,
                                    const std::stop_token& stop, WardenReport* copy) {
  SandboxResult result;
  const auto started = Clock::now();
  Watch watch(command, sandbox, result);
  std::optional<WardenReport> report;
  {
    const Descriptor stop_request(::eventfd(0, EFD_CLOEXEC));
    const std::stop_callback on_stop(stop, [&] { ::eventfd_write(stop_request.get(), 1); });
    report = watch.Wait(stop_request.get());
  }
  result.wall = Clock::now() - started;
  if (report && report->stage == WardenStage::kDone) {
    ReceiveKept(command, sandbox, report->kept, result);
  } else {
    KillSandbox(sandbox);
  }
  sandbox.socket.Close();
  Reap(sandbox, result);
  CloseDeferred(std::move(sandbox.mounts));
  watch.DrainAll();
  const GroupFigures figures = sandbox.group->Read();
  result.is_memory_exceeded = figures.memory_kills > 0 && figures.memory_hits > 0;
  result.is_processes_exceeded = figures.refused_processes > 0;
  if (copy != nullptr && report) *copy = *report;
  if (report && report->stage != WardenStage::kDone) return StartError(command, *report);
  if (figures.memory_kills > 0 && !result.is_memory_exceeded) {
    return Error{Errc::kUnavailable,
                 fmt::format("{}: the machine had no memory left, and something of its sandbox "
                             "was ended, which was within its own limit",
                             command.arguments[0])};
  }
  if (!report && watch.end() == End::kExited && !result.is_memory_exceeded) {
    return Error{Errc::kUnavailable,
                 fmt::format("{}: its sandbox was ended by somebody else", command.arguments[0])};
  }
  FillEnd(result, watch.end(), report ? report->wait_status : SIGKILL);
  if (report) {
    result.stragglers = report->stragglers;
    result.is_scratch_full = report->is_scratch_full != 0;
    result.wall = std::chrono::nanoseconds{report->wall_ns};
  }
  return result;
}

}  // namespace hone

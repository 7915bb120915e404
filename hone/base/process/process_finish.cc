// SPDX-License-Identifier: Apache-2.0
#include "hone/base/process/process_finish.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string_view>
#include <utility>

#include "hone/base/errno_error.h"
#include "hone/base/process/capped_capture.h"
#include "hone/base/process/supervisor.h"
#include "hone/base/process/write_available.h"

namespace hone {
namespace {

// Hands on the whole lines of what comes in pieces. A line that is longer than anything sensible is
// handed on in pieces.
class LineCutter {
 public:
  explicit LineCutter(const OnLine& on_line) : on_line_(on_line) {}

  void Add(std::string_view text) {
    if (!on_line_) return;
    while (!text.empty()) {
      const auto end = text.find('\n');
      part_.append(text.substr(0, end));
      if (end == std::string_view::npos && part_.size() < kLongest) return;
      Flush();
      text.remove_prefix(std::min(end, text.size() - 1) + 1);
    }
  }

  void Flush() {
    if (on_line_) on_line_(part_);
    part_.clear();
  }

  bool is_empty() const { return part_.empty(); }

 private:
  static constexpr std::size_t kLongest = 1 << 16;

  const OnLine& on_line_;
  std::string part_;
};

// A program may have stopped its supervisor, which then cannot keep the limit. Wakes it each second
// once it is late.
class Waker {
 public:
  Waker(pid_t supervisor, std::chrono::milliseconds limit)
      : supervisor_(supervisor),
        due_(Clock::now() + std::min<std::chrono::milliseconds>(limit, kLong)) {}

  int MillisecondsLeft() const {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(due_ + kWaitTimeout - Clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1'000'000'000));
  }

  void WakeIfLate() {
    if (Clock::now() < due_ + kWaitTimeout) return;
    ::kill(supervisor_, SIGCONT);
    due_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kWaitTimeout{1};
  static constexpr std::chrono::hours kLong{24 * 365 * 100};

  pid_t supervisor_;
  Clock::time_point due_;
};

// Moves data until the supervisor reports or dies. Once it has reported nothing of the program is
// left, so what the pipes hold then is all there will be, even if a copy of their ends was passed
// to a stranger and is still open.
std::optional<SupervisorReport> Pump(Channels& channels, Waker waker, std::string_view input,
                                     CappedCapture output, LineCutter& lines,
                                     CappedCapture errors) {
  Descriptor& feed = channels.input.ours;
  const int socket = channels.supervisor.ours.get();
  const auto drain = [&] {
    output.Drain([&](std::string_view chunk) { lines.Add(chunk); });
    errors.Drain();
  };
  while (true) {
    std::array<pollfd, 4> waits{pollfd{socket, POLLIN, 0}, pollfd{output.from.get(), POLLIN, 0},
                                pollfd{errors.from.get(), POLLIN, 0},
                                pollfd{feed.get(), POLLOUT, 0}};
    if (::poll(waits.data(), waits.size(), waker.MillisecondsLeft()) < 0) continue;
    waker.WakeIfLate();
    drain();
    if (waits[3].revents != 0) WriteAvailable(feed, input);
    if (waits[0].revents == 0) continue;
    SupervisorReport report;
    const ssize_t got = ::recv(socket, &report, sizeof report, 0);
    // A stop request that came too late to be read resets the connection; the report is behind it.
    if (got < 0 && (errno == EINTR || errno == ECONNRESET)) continue;
    drain();
    if (got != sizeof report) return std::nullopt;
    return report;
  }
}

Error StartError(const Command& command, const SupervisorReport& report) {
  const std::string& name = command.arguments[0];
  const int number = report.number;
  switch (report.stage) {
    case SupervisorStage::kFolder:
      return ErrnoError(command.folder.native(), number);
    case SupervisorStage::kCpus:
      return {Errc::kUnsupported, fmt::format("{}: none of the CPUs {} may be used here", name,
                                              fmt::join(command.cpus, ", "))};
    case SupervisorStage::kUnkillable:
      return {Errc::kUnsupported,
              fmt::format("{}: left processes of another user, which cannot be ended", name)};
    case SupervisorStage::kProgram:
      if (number == ENOENT || number == ENOTDIR) return MissingProgram(command);
      if (number == ENOEXEC) {
        return {Errc::kUnsupported,
                fmt::format("{}: neither a program of this machine nor a script: the first line of "
                            "a script names what runs it, such as #!/bin/sh",
                            name)};
      }
      if (number == EACCES) {
        return {Errc::kUnsupported, fmt::format("{}: may not be executed (chmod +x?)", name)};
      }
      return ErrnoError(name, number);
    default:
      return ErrnoError(fmt::format("the supervisor of {}", name), number);
  }
}

void Fill(ProcessResult& result, const SupervisorReport& report) {
  const bool is_signalled = WIFSIGNALED(report.wait_status);
  result.status = is_signalled ? WTERMSIG(report.wait_status) : WEXITSTATUS(report.wait_status);
  switch (report.end) {
    case SupervisorEnd::kEnded:
      result.end = is_signalled ? ProcessResult::End::kSignalled : ProcessResult::End::kExited;
      break;
    case SupervisorEnd::kTimedOut:
      result.end = ProcessResult::End::kTimedOut;
      break;
    case SupervisorEnd::kStopped:
      result.end = ProcessResult::End::kStopped;
      break;
  }
  result.stragglers = report.stragglers;
  result.wall = std::chrono::nanoseconds{report.wall_ns};
  result.user = std::chrono::microseconds{report.user_us};
  result.system = std::chrono::microseconds{report.system_us};
  result.peak_memory_kib = report.peak_memory_kib;
  result.context_switches = report.context_switches;
  result.page_faults = report.page_faults;
  result.major_faults = report.major_faults;
}

}  // namespace

Result<ProcessResult> FinishProcess(const Command& command, StartedProcess process,
                                    const std::stop_token& stop, const OnLine& on_line) {
  Channels& channels = process.channels;
  ProcessResult result;
  LineCutter lines(on_line);
  std::optional<SupervisorReport> report;
  {
    const std::stop_callback on_stop(
        stop, [pid = process.supervisor, socket = channels.supervisor.ours.get()] {
          ::shutdown(socket, SHUT_WR);
          ::kill(pid, SIGCONT);
        });
    report =
        Pump(channels, Waker(process.supervisor, command.limit), command.input,
             {channels.output.ours, result.output, result.is_output_cut, command.max_output}, lines,
             {channels.errors.ours, result.errors, result.is_errors_cut, command.max_output});
  }
  if (!lines.is_empty()) lines.Flush();
  channels.supervisor.ours.Close();
  while (::waitpid(process.supervisor, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (!report) {
    return Error{Errc::kUnavailable,
                 fmt::format("{}: its supervisor was killed; what it started may still run",
                             command.arguments[0])};
  }
  if (report->stage != SupervisorStage::kDone) return StartError(command, *report);
  Fill(result, *report);
  return result;
}

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#include "hone/base/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "hone/base/descriptor.h"
#include "hone/base/errno_error.h"
#include "hone/base/supervisor.h"
#include "hone/base/supervisor_image.h"

namespace hone {
namespace {

constexpr int kLeast = 10;  // Above the descriptors that the supervisor gets by number.

struct Pair {
  Descriptor ours;
  Descriptor theirs;
};

// Takes over two new descriptors and moves them out of the way of the standard ones.
Result<Pair> Lifted(int ours, int theirs) {
  const Descriptor low_ours(ours);
  const Descriptor low_theirs(theirs);
  Pair pair{Descriptor(::fcntl(ours, F_DUPFD_CLOEXEC, kLeast)),
            Descriptor(::fcntl(theirs, F_DUPFD_CLOEXEC, kLeast))};
  if (!pair.ours.is_open() || !pair.theirs.is_open()) return ErrnoError("pipe", errno);
  return pair;
}

// Our end does not block; the program's does.
Result<Pair> MakePipe(bool is_input) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return ErrnoError("pipe", errno);
  auto pair = is_input ? Lifted(ends[1], ends[0]) : Lifted(ends[0], ends[1]);
  if (pair) ::fcntl(pair->ours.get(), F_SETFL, O_NONBLOCK);
  return pair;
}

// For a program without input. There is no end of ours.
Result<Pair> OpenNull() {
  const Descriptor low(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  Descriptor null(low.is_open() ? ::fcntl(low.get(), F_DUPFD_CLOEXEC, kLeast) : -1);
  if (!null.is_open()) return ErrnoError("/dev/null", errno);
  return Pair{Descriptor(), std::move(null)};
}

Result<Pair> MakeSocket() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return ErrnoError("socket", errno);
  }
  return Lifted(ends[0], ends[1]);
}

bool HasNul(std::string_view text) { return text.find('\0') != text.npos; }

Result<void> Validate(const Command& command) {
  const auto invalid = [](std::string message) {
    return Error{Errc::kInvalidArgument, std::move(message)};
  };
  if (command.arguments.empty() || command.arguments[0].empty()) {
    return invalid("no program was named");
  }
  const std::string& name = command.arguments[0];
  if (std::any_of(command.arguments.begin(), command.arguments.end(), HasNul)) {
    return invalid(fmt::format("{}: an argument holds a zero byte", name.c_str()));
  }
  if (command.environment) {
    for (const auto& [key, value] : *command.environment) {
      if (key.empty() || key.find('=') != key.npos || HasNul(key) || HasNul(value)) {
        return invalid(fmt::format("{}: bad environment variable \"{}\"", name, key));
      }
    }
  }
  for (const int cpu : command.cpus) {
    if (cpu < 0 || cpu >= CPU_SETSIZE) return invalid(fmt::format("{}: no CPU {}", name, cpu));
  }
  return {};
}

Error NoSuchProgram(const std::string& name) {
  return {Errc::kNotFound, fmt::format("{}: no such program: is it installed?", name)};
}

// The program's path. A name with a slash is taken as it is, from the folder where it will run.
Result<std::string> Find(const std::string& name) {
  if (name.find('/') != name.npos) return name;
  const char* path = std::getenv("PATH");
  std::string_view places = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (true) {
    const std::size_t end = std::min(places.find(':'), places.size());
    const std::string place = end == 0 ? "." : std::string(places.substr(0, end));
    std::error_code ignored;
    const auto found = std::filesystem::absolute(place, ignored) / name;
    if (::access(found.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(found, ignored)) {
      return found.native();
    }
    if (end == places.size()) return NoSuchProgram(name);
    places.remove_prefix(end + 1);
  }
}

// Null-terminated pointers into the texts, as exec wants them.
std::vector<char*> PointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// The descriptors of one run, by who holds them.
struct Channels {
  Pair input;
  Pair output;
  Pair errors;
  Pair supervisor;
};

Result<Channels> MakeChannels(bool has_input) {
  auto input = has_input ? MakePipe(true) : OpenNull();
  if (!input) return input.error();
  auto output = MakePipe(false);
  if (!output) return output.error();
  auto errors = MakePipe(false);
  if (!errors) return errors.error();
  auto supervisor = MakeSocket();
  if (!supervisor) return supervisor.error();
  return Channels{*std::move(input), *std::move(output), *std::move(errors),
                  *std::move(supervisor)};
}

// Owns what posix_spawn is told: the descriptors to install, and to block every signal.
class SpawnPlan {
 public:
  explicit SpawnPlan(const Channels& channels) {
    posix_spawn_file_actions_init(&actions_);
    const std::array<const Pair*, 4> pairs{&channels.input, &channels.output, &channels.errors,
                                           &channels.supervisor};
    static_assert(kSupervisorSocket == 3);
    for (int number = 0; number < 4; ++number) {
      posix_spawn_file_actions_adddup2(
          &actions_, pairs[static_cast<std::size_t>(number)]->theirs.get(), number);
    }
    posix_spawnattr_init(&attributes_);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

Result<pid_t> StartSupervisor(const Command& command, const std::string& program,
                              const Channels& channels) {
  const auto image = SupervisorPath();
  if (!image) return image.error();
  std::vector<std::string> arguments{"hone-supervisor", std::to_string(command.limit.count()),
                                     fmt::format("{}", fmt::join(command.cpus, ",")),
                                     command.folder.native(), program};
  arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
  std::vector<std::string> variables;
  if (command.environment) {
    for (const auto& [key, value] : *command.environment)
      variables.push_back(fmt::format("{}={}", key, value));
  }
  const SpawnPlan plan(channels);
  pid_t pid = 0;
  const int code = ::posix_spawn(&pid, image->c_str(), plan.actions(), plan.attributes(),
                                 PointersTo(arguments).data(),
                                 command.environment ? PointersTo(variables).data() : ::environ);
  if (code != 0) return ErrnoError(command.arguments[0], code);
  return pid;
}

// Keeps the head of a stream and reads the rest away.
struct Stream {
  Descriptor& from;
  std::string& text;
  bool& is_cut;
  std::size_t most;

  // Reads what is there, but no more than a pipe can hold, so that a program that never stops
  // writing does not keep us from the other streams. Closes the descriptor at the end.
  void Drain() {
    std::array<char, 1 << 16> chunk;
    for (int round = 0; round < 16 && from.is_open(); ++round) {
      const ssize_t got = ::read(from.get(), chunk.data(), chunk.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return;
      if (got <= 0) return from.Close();
      const std::size_t size = static_cast<std::size_t>(got);
      const std::size_t kept = std::min(size, most - text.size());
      text.append(chunk.data(), kept);
      is_cut = is_cut || kept < size;
    }
  }
};

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

// Writes what the pipe takes; closes it when all is written or nobody reads.
void Feed(Descriptor& to, std::string_view& rest) {
  while (!rest.empty()) {
    const ssize_t written = WriteQuietly(to.get(), rest);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) return;
    if (written < 0) break;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  to.Close();
}

// A program may have stopped its supervisor, which then cannot keep the limit. Wakes it each second
// once it is late.
class Waker {
 public:
  Waker(pid_t supervisor, std::chrono::milliseconds limit)
      : supervisor_(supervisor), due_(Clock::now() + std::min<Clock::duration>(limit, kLong)) {}

  int MillisecondsLeft() const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due_ + kPatience - Clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1'000'000'000));
  }

  void WakeIfLate() {
    if (Clock::now() < due_ + kPatience) return;
    ::kill(supervisor_, SIGCONT);
    due_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kPatience{1};
  static constexpr std::chrono::hours kLong{24 * 365 * 100};

  pid_t supervisor_;
  Clock::time_point due_;
};

// Moves data until the supervisor reports or dies. Once it has reported nothing of the program is
// left, so what the pipes hold then is all there will be, even if a copy of their ends was passed
// to a stranger and is still open.
std::optional<SupervisorReport> Pump(Channels& channels, Waker waker, std::string_view input,
                                     Stream output, Stream errors) {
  Descriptor& feed = channels.input.ours;
  const int socket = channels.supervisor.ours.get();
  while (true) {
    std::array<pollfd, 4> waits{pollfd{socket, POLLIN, 0}, pollfd{output.from.get(), POLLIN, 0},
                                pollfd{errors.from.get(), POLLIN, 0},
                                pollfd{feed.get(), POLLOUT, 0}};
    if (::poll(waits.data(), waits.size(), waker.MillisecondsLeft()) < 0) continue;
    waker.WakeIfLate();
    output.Drain();
    errors.Drain();
    if (waits[3].revents != 0) Feed(feed, input);
    if (waits[0].revents == 0) continue;
    SupervisorReport report;
    const ssize_t got = ::recv(socket, &report, sizeof report, 0);
    if (got < 0 && errno == EINTR) continue;
    output.Drain();
    errors.Drain();
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
      if (number == ENOENT || number == ENOTDIR) return NoSuchProgram(name);
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
}

}  // namespace

Result<ProcessResult> RunProcess(const Command& command) {
  if (auto valid = Validate(command); !valid) return valid.error();
  const auto program = Find(command.arguments[0]);
  if (!program) return program.error();
  auto channels = MakeChannels(!command.input.empty());
  if (!channels) return channels.error();
  const auto supervisor = StartSupervisor(command, *program, *channels);
  if (!supervisor) return supervisor.error();
  for (Pair* pair :
       {&channels->input, &channels->output, &channels->errors, &channels->supervisor}) {
    pair->theirs.Close();
  }

  ProcessResult result;
  std::optional<SupervisorReport> report;
  {
    const std::stop_callback stop(command.stop,
                                  [pid = *supervisor, socket = channels->supervisor.ours.get()] {
                                    ::shutdown(socket, SHUT_WR);
                                    ::kill(pid, SIGCONT);
                                  });
    report =
        Pump(*channels, Waker(*supervisor, command.limit), command.input,
             {channels->output.ours, result.output, result.is_output_cut, command.most_output},
             {channels->errors.ours, result.errors, result.is_errors_cut, command.most_output});
  }
  channels->supervisor.ours.Close();
  while (::waitpid(*supervisor, nullptr, 0) < 0 && errno == EINTR) {
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

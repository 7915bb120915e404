// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/shell/shell_jail.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "hone/base/descriptor.h"
#include "hone/base/errno_error.h"
#include "hone/base/process/capped_capture.h"
#include "hone/kconfig/shell/shell_jail_image.h"
#include "hone/kconfig/shell/shell_jail_protocol.h"
#include "hone/sandbox/owned_view.h"
#include "hone/sandbox/sandbox.h"
#include "hone/sandbox/sandbox_finish.h"
#include "hone/sandbox/sandbox_start.h"

namespace hone::kconfig {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMinDescriptor = 10;  // Above those that the jail gets by number.

struct JailEnds {
  Descriptor ours;
  Descriptor theirs;
};

Result<JailEnds> LiftedEnds(int ours, int theirs) {
  const Descriptor low_ours(ours);
  const Descriptor low_theirs(theirs);
  JailEnds ends{Descriptor(::fcntl(ours, F_DUPFD_CLOEXEC, kMinDescriptor)),
                Descriptor(::fcntl(theirs, F_DUPFD_CLOEXEC, kMinDescriptor))};
  if (!ends.ours.is_open() || !ends.theirs.is_open()) return ErrnoError("jail", errno);
  return ends;
}

// From them to us; our end does not block.
Result<JailEnds> MakeJailPipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return ErrnoError("pipe", errno);
  auto lifted = LiftedEnds(ends[0], ends[1]);
  if (lifted) ::fcntl(lifted->ours.get(), F_SETFL, O_NONBLOCK);
  return lifted;
}

// Of one command.
struct JailChannels {
  JailEnds output;
  JailEnds errors;
  JailEnds reports;
};

Result<JailChannels> MakeJailChannels() {
  JailChannels channels;
  for (JailEnds* ends : {&channels.output, &channels.errors, &channels.reports}) {
    auto made = MakeJailPipe();
    if (!made) return made.error();
    *ends = *std::move(made);
  }
  return channels;
}

Result<JailEnds> MakeJailSocket() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return ErrnoError("socket", errno);
  }
  return LiftedEnds(ends[0], ends[1]);
}

constexpr std::int64_t kMemoryMib = 4096;  // Of all commands that run at once.
constexpr int kProcesses = 32'768;         // The same; a cell has fewer.
const char* const kTemporary = "/scratch/tmp";

// What the commands find in their environment besides what they are given.
std::map<std::string, std::string> JailEnvironment(std::map<std::string, std::string> given) {
  for (const char* name : {"HOME", "TMPDIR"}) given[name] = kTemporary;
  for (const char* name : {"LANG", "LC_ALL"}) given[name] = "C";
  given.try_emplace("PATH", "/usr/local/bin:/usr/bin:/bin");
  return given;
}

// What is shown of the visible folders; holds open what the views name until the jail has it.
struct JailViews {
  std::vector<SandboxView> views = StandardViews();
  std::map<std::filesystem::path, Descriptor> trees;
};

bool IsForNobody(const std::filesystem::path& folder) {
  constexpr mode_t kForOthers = S_IROTH | S_IXOTH;
  struct stat facts {};
  return ::stat(folder.c_str(), &facts) == 0 && (facts.st_mode & kForOthers) == kForOthers;
}

// As root the commands run as nobody, who is to read what its owner may read.
Result<JailViews> ViewsFor(const std::vector<std::filesystem::path>& folders) {
  JailViews shown;
  for (const std::filesystem::path& folder : folders) {
    const std::string name = folder.string();
    if (name == "/" || name.starts_with("/scratch/") || name.starts_with("/proc/")) {
      return Error{Errc::kUnsupported,
                   fmt::format("{}: commands cannot be shown this folder: it hides, or is hidden "
                               "by, one of their own; move the tree",
                               name)};
    }
    shown.views.push_back({folder});
    if (Descriptor tree = CopyOwnedView(folder); tree.is_open()) {
      shown.trees.insert_or_assign(folder, std::move(tree));
    } else if (::geteuid() == 0 && !IsForNobody(folder)) {
      return Error{Errc::kUnsupported,
                   fmt::format("its commands run as nobody, who may not read {}, and its file "
                               "system cannot lend it: chmod -R o+rX {}, or run hone as its owner",
                               name, name)};
    }
  }
  return shown;
}

SandboxCommand JailCommand(const ShellJailSettings& settings, int socket) {
  SandboxCommand command;
  command.arguments = {"the jail of its commands", settings.folder};
  command.environment = JailEnvironment(settings.environment);
  command.descriptors = {socket};
  command.limits.memory_mib = kMemoryMib;
  command.limits.processes = kProcesses;
  command.limits.open_files = 1024;
  command.limits.wall = settings.hang_timeout;
  return command;
}

Error CannotConfine(std::string_view why) {
  return {Errc::kUnsupported,
          fmt::format("it cannot be restricted here ({}); hone doctor tells what the machine "
                      "lacks. For a tree that you trust --shell run would do, or a table of "
                      "results with --shell recorded",
                      why)};
}

Error CannotConfine(const ShellJailReport& report) {
  return CannotConfine(
      fmt::format("{}: {}", report.what, std::generic_category().message(report.number)));
}

// Waits until one of the descriptors has something; false after the deadline.
template <std::size_t kCount>
bool WaitForAny(const std::array<int, kCount>& descriptors, Clock::time_point deadline) {
  std::array<pollfd, kCount> waits{};
  std::transform(descriptors.begin(), descriptors.end(), waits.begin(), [](int number) {
    return pollfd{number, POLLIN, 0};
  });
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    const int got = ::poll(waits.data(), waits.size(),
                           static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1 << 30)));
    if (got > 0) return true;
    if (got == 0) return false;
  }
}

// What came of a command; without a report the jail is gone, or hangs.
struct JailAnswer {
  std::optional<ShellJailReport> report;
  bool is_late = false;
  std::string output;
};

JailAnswer Await(JailChannels& channels, std::size_t max_output, Clock::time_point deadline) {
  for (JailEnds* ends : {&channels.output, &channels.errors, &channels.reports}) {
    ends->theirs.Close();
  }
  JailAnswer answer;
  std::string ignored;
  bool is_cut = false;
  const CappedCapture output{channels.output.ours, answer.output, is_cut, max_output};
  const CappedCapture errors{channels.errors.ours, ignored, is_cut, 0};
  const int reports = channels.reports.ours.get();
  while (true) {
    answer.is_late = !WaitForAny<3>({reports, output.from.get(), errors.from.get()}, deadline) ||
                     Clock::now() > deadline;
    if (answer.is_late) return answer;
    output.Drain();
    errors.Drain();
    ShellJailReport report;
    const ssize_t got = ::read(reports, &report, sizeof report);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got != sizeof report) return answer;
    // Nothing of the command is left: what the pipe holds now is all there will be.
    output.Drain();
    answer.report = report;
    return answer;
  }
}

constexpr std::string_view kJailGone =
    "the jail of this load died under it (out of memory, or killed?); what follows gets a new one, "
    "and this command must be asked again";
constexpr std::string_view kJailHangs =
    "the jail of this load does not answer and was ended; what follows gets a new one, and this "
    "command must be asked again";

}  // namespace

Error DidNotEndWithin(std::chrono::milliseconds limit) {
  return {Errc::kUnavailable, fmt::format("it did not end within {} s", limit.count() / 1000)};
}

// One process of the embedded program, from start to end.
class ShellJail::Process {
 public:
  static Result<std::shared_ptr<Process>> Start(const ShellJailSettings& settings) {
    auto shown = ViewsFor(settings.visible);
    if (!shown) return shown.error();
    auto ends = MakeJailSocket();
    if (!ends) return ends.error();
    const auto image = ShellJailFile();
    if (!image) return image.error();
    SandboxStyle style;
    style.namespaces = AllNamespaces();
    style.optional_parts = kPartProc | kPartLandlock;
    style.warden = *image;
    SandboxCommand command = JailCommand(settings, ends->theirs.get());
    command.views = std::move(shown->views);
    for (const auto& [host, tree] : shown->trees) style.trees.emplace(host, tree.get());
    auto sandbox = StartSandbox(command, style);
    if (!sandbox) return CannotConfine(sandbox.error().message);
    ends->theirs.Close();
    command.descriptors.clear();
    auto process =
        std::make_shared<Process>(std::move(command), *std::move(sandbox), std::move(ends->ours));
    ShellJailReport report;
    if (WaitForAny<1>({process->socket_.get()}, Clock::now() + kStartTimeout) &&
        ::recv(process->socket_.get(), &report, sizeof report, MSG_WAITALL) == sizeof report) {
      return process;
    }
    const Error why = process->WhyNotStarted();
    if (why.code == Errc::kUnavailable) return Error{why.code, std::string(kJailGone)};
    return CannotConfine(why.message);
  }

  Process(SandboxCommand command, StartedSandbox sandbox, Descriptor socket)
      : command_(std::move(command)), sandbox_(std::move(sandbox)), socket_(std::move(socket)) {
    const auto wait = std::chrono::duration_cast<std::chrono::seconds>(command_.limits.wall);
    timeval limit{};
    limit.tv_sec = std::max<time_t>(1, wait.count());
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // It ends by itself when the socket closes, unless it hangs.
  ~Process() {
    socket_.Close();
    if (!is_finished_) static_cast<void>(FinishSandbox(command_, sandbox_, {}));
  }

  pid_t pid() const { return sandbox_.warden; }

  void End() const { KillSandbox(sandbox_); }

  // Hands over the command; false if the jail takes nothing any more.
  bool Ask(const std::string& text, std::chrono::milliseconds limit, const JailChannels& channels) {
    const std::array<int, kShellJailDescriptors> descriptors{
        channels.output.theirs.get(), channels.errors.theirs.get(), channels.reports.theirs.get()};
    ShellJailRequest request;
    request.limit_ms = limit.count();
    request.size = static_cast<std::uint32_t>(text.size());
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof descriptors)> control{};
    iovec part{&request, sizeof request};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptors);
    std::memcpy(CMSG_DATA(header), descriptors.data(), sizeof descriptors);
    const std::lock_guard lock(asking_);
    return ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL) == sizeof request && SendAll(text);
  }

 private:
  static constexpr std::chrono::seconds kStartTimeout{60};

  // What the jail said before it ended.
  Error WhyNotStarted() {
    is_finished_ = true;
    const auto result = FinishSandbox(command_, sandbox_, {});
    return result ? Error{Errc::kUnavailable, ""} : result.error();
  }

  bool SendAll(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  const SandboxCommand command_;
  StartedSandbox sandbox_;
  Descriptor socket_;
  bool is_finished_ = false;
  std::mutex asking_;  // One request at a time on the socket.
};

ShellJail::ShellJail(ShellJailSettings settings) : settings_(std::move(settings)) {}

ShellJail::~ShellJail() = default;

pid_t ShellJail::pid() const {
  const std::lock_guard lock(mutex_);
  return process_ == nullptr ? 0 : process_->pid();
}

Result<std::shared_ptr<ShellJail::Process>> ShellJail::Current() {
  const std::lock_guard lock(mutex_);
  if (process_ != nullptr) return process_;
  auto started = Process::Start(settings_);
  if (started) process_ = *started;
  return started;
}

// Others may still wait in it: they see its end, too.
void ShellJail::GiveUp(const std::shared_ptr<Process>& process) {
  process->End();
  const std::lock_guard lock(mutex_);
  if (process_ == process) process_ = nullptr;
}

Result<std::string> ShellJail::Run(const std::string& text, std::chrono::milliseconds limit) {
  if (text.size() > kMaxShellText || text.find('\0') != text.npos) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("it is longer than {} bytes, or holds a zero byte", kMaxShellText)};
  }
  auto process = Current();
  if (!process) return process.error();
  auto channels = MakeJailChannels();
  if (!channels) return channels.error();
  JailAnswer answer;
  if ((*process)->Ask(text, limit, *channels)) {
    answer = Await(*channels, settings_.max_output, Clock::now() + limit + settings_.hang_timeout);
  }
  if (!answer.report) {
    GiveUp(*process);
    return Error{Errc::kUnavailable, std::string(answer.is_late ? kJailHangs : kJailGone)};
  }
  if (answer.report->end == ShellJailEnd::kTimedOut) return DidNotEndWithin(limit);
  if (answer.report->end == ShellJailEnd::kFailed) return CannotConfine(*answer.report);
  return std::move(answer.output);
}

}  // namespace hone::kconfig

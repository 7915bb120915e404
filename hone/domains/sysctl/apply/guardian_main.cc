// SPDX-License-Identifier: Apache-2.0
// The program that puts kernel parameters back when the process that changed them is gone; see
// guardian.h.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>

#include "hone/base/file.h"
#include "hone/domains/sysctl/apply/guardian.h"
#include "hone/domains/sysctl/apply/journal.h"
#include "hone/domains/sysctl/apply/requests.h"
#include "hone/domains/sysctl/apply/restore.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"

namespace hone::sysctl {
namespace {

namespace fs = std::filesystem;

constexpr int kTries = 20;
constexpr timespec kBetweenTries{0, 50'000'000};

// The guardian is the last process that puts the originals back by itself. Signals that mean the
// tuner are ignored; not SIGCHLD, or the kernel would keep no exit status of a reload for us.
// Memory may be what a bad setting used up, so the OOM killer passes the guardian by, and its pages
// stay in memory. A working folder would keep its file system from being unmounted.
void BecomeHardToKill() {
  for (int number = 1; number <= SIGRTMAX; ++number) ::signal(number, SIG_IGN);
  ::signal(SIGCHLD, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file >= 0) {
    [[maybe_unused]] const ssize_t written = ::write(file, "-1000\n", 6);
    ::close(file);
  }
  ::mlockall(MCL_CURRENT | MCL_FUTURE);
  [[maybe_unused]] const int moved = ::chdir("/");
}

void Say(GuardianMessage message) {
  ::send(kGuardianSocket, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

std::string LinesOf(const std::vector<Change>& changes, const char* word) {
  std::string lines;
  for (const Change& change : changes) {
    lines += fmt::format("{} {}: \"{}\" -> \"{}\"\n", word, NameOfPath(change.path), change.before,
                         change.after);
  }
  return lines;
}

// Nobody may be there to be told, so it is written down. The disk may be full: so be it.
void LeaveNote(const fs::path& folder, const HeldState& state, const RestoreReport& report) {
  std::string note =
      fmt::format("The guardian of \"{}\" (process {}) put back:\n", state.reason, state.pid);
  note += LinesOf(report.restored, "restored");
  note += LinesOf(report.kept, "kept");
  note += LinesOf(report.failed, "failed");
  note += LinesOf(report.noticed, "not ours, and left");
  for (const std::string& fault : report.reload_faults) note += fault + "\n";
  [[maybe_unused]] const auto written = WriteFileDurably(NotePathIn(folder), note);
}

// The journal is read only now, because the holder wrote to it until its end, and trusted only
// whole: a damaged one is left for a person. The kernel may refuse an original that it takes a
// moment later, hence the tries; where it refuses to the end the journal stays, and the next start
// of Hone tries again.
int PutBack(const fs::path& folder) {
  const auto files = MakeHostFiles();
  auto journal = Journal::Read(folder);
  if (!journal) return 1;
  if (!*journal) return 0;
  HeldState& state = (*journal)->state;
  Restored restored = RestoreHeld(*files, state);
  for (int i = 0; i < kTries && !restored.is_settled; ++i) {
    ::nanosleep(&kBetweenTries, nullptr);
    restored = RestoreHeld(*files, state);
  }
  restored.report.noticed = UnexplainedChanges(*files, state);
  LeaveNote(folder, state, restored.report);
  if (!restored.is_settled) return 1;
  ::unlink(RequestPathIn(folder).c_str());
  return Journal::Remove(folder) ? 0 : 1;
}

class Watch {
 public:
  explicit Watch(fs::path folder) : folder_(std::move(folder)) {}

  // Two descriptors tell of the holder's end. The socket alone would not do: a forked child that
  // has not executed anything yet holds it open too. The pidfd alone would not do either: it says
  // nothing of the last message, which may have arrived before the death or with it.
  int Run() {
    Say({GuardianMessage::Kind::kReady, 0});
    while (true) {
      std::array<pollfd, 4> waits{pollfd{holder_is_watched_ ? kGuardianSocket : -1, POLLIN, 0},
                                  pollfd{holder_is_watched_ ? kGuardianHolder : -1, POLLIN, 0},
                                  pollfd{timer_, POLLIN, 0}, pollfd{requests_, POLLIN, 0}};
      ::poll(waits.data(), waits.size(), -1);
      // What the holder said before it died still counts.
      if (waits[0].revents != 0 && Hear()) return 0;
      if (waits[1].revents != 0 && !HearRest()) return PutBack(folder_);
      if (has_ended_) return 0;
      if (waits[2].revents != 0) return PutBack(folder_);
      if (waits[3].revents != 0 && Obey()) return status_;
    }
  }

 private:
  // True: all is done. Reads one message; the end of them means that the holder is gone.
  bool Hear() {
    GuardianMessage message;
    const ssize_t size = ::recv(kGuardianSocket, &message, sizeof message, MSG_DONTWAIT);
    if (size < 0) return false;
    if (size != sizeof message) {
      has_ended_ = true;
      status_ = PutBack(folder_);
      return true;
    }
    if (message.kind == GuardianMessage::Kind::kDone) return true;
    if (message.kind == GuardianMessage::Kind::kKeep) KeepUntil(message.until_ms);
    return false;
  }

  // The holder is dead. True if its last words were that nothing is left, or to keep.
  bool HearRest() {
    if (!holder_is_watched_) return true;
    GuardianMessage message;
    while (::recv(kGuardianSocket, &message, sizeof message, MSG_DONTWAIT) == sizeof message) {
      if (message.kind == GuardianMessage::Kind::kDone) has_ended_ = true;
      if (message.kind == GuardianMessage::Kind::kKeep) KeepUntil(message.until_ms);
    }
    return has_ended_ || !holder_is_watched_;
  }

  // From now on the guardian waits for a confirmation instead of the holder's death. The clock is
  // the one that runs on while the machine is suspended: a laptop that sleeps over the deadline
  // wakes up with the originals. The answer comes last, so that the holder never leaves a guardian
  // that could not set its timer.
  void KeepUntil(std::int64_t until_ms) {
    timer_ = ::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC);
    itimerspec when{};
    when.it_value = {until_ms / 1000, (until_ms % 1000) * 1'000'000 + 1};
    requests_ = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (timer_ < 0 || ::timerfd_settime(timer_, TFD_TIMER_ABSTIME, &when, nullptr) != 0 ||
        ::inotify_add_watch(requests_, folder_.c_str(), IN_MOVED_TO | IN_CLOSE_WRITE) < 0) {
      return;  // No answer: the holder takes it back.
    }
    Say({GuardianMessage::Kind::kReady, 0});
    holder_is_watched_ = false;
  }

  // True: a request came and was served. A confirmation that cannot be recorded counts as none:
  // what could not be undone later is undone now.
  bool Obey() {
    std::array<char, 4096> ignored{};
    while (::read(requests_, ignored.data(), ignored.size()) > 0) {
    }
    const auto journal = Journal::Read(folder_);
    if (!journal || !*journal) return false;
    const auto request = ReadRequest(folder_, (*journal)->state.id);
    if (!request) return false;
    if (request == KeepRequest::kRevert) {
      status_ = PutBack(folder_);
      return true;
    }
    ::unlink(RequestPathIn(folder_).c_str());
    status_ = KeepAsPrevious(folder_) ? 0 : PutBack(folder_);
    return true;
  }

  fs::path folder_;
  bool holder_is_watched_ = true;
  bool has_ended_ = false;
  int timer_ = -1;
  int requests_ = -1;
  int status_ = 0;
};

int Main(int count, char** arguments) {
  if (count != 2) return 2;
  ::prctl(PR_SET_NAME, "hone-guardian");
  if (::close_range(kGuardianHolder + 1, ~0U, 0) != 0) return 2;
  BecomeHardToKill();
  return Watch(arguments[1]).Run();
}

}  // namespace
}  // namespace hone::sysctl

int main(int count, char** arguments) {
  try {
    return hone::sysctl::Main(count, arguments);
  } catch (...) {
    return 3;  // No memory: the journal stays for the next start.
  }
}

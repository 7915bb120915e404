// SPDX-License-Identifier: Apache-2.0
// The program that stands between Hone and a command; see supervisor.h. It is started with every
// signal blocked, and leaves them so: Ctrl-C is Hone's business.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "hone/base/process/reap.h"
#include "hone/base/process/supervisor.h"

namespace {

using hone::HasEnded;
using hone::kSupervisorSocket;
using hone::SupervisorEnd;
using hone::SupervisorReport;
using hone::SupervisorStage;

enum Argument { kLimit = 1, kCpus, kFolder, kPath, kFirst };

void Send(const SupervisorReport& report) {
  send(kSupervisorSocket, &report, sizeof report, MSG_NOSIGNAL);
}

[[noreturn]] void Fail(SupervisorStage stage) {
  SupervisorReport report;
  report.stage = stage;
  report.number = errno;
  Send(report);
  _exit(127);
}

int Need(int descriptor) {
  if (descriptor < 0) Fail(SupervisorStage::kSetUp);
  return descriptor;
}

std::int64_t Nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

void Pin(const char* cpus) {
  if (*cpus == '\0') return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const char* at = cpus; *at != '\0';) {
    char* end = nullptr;
    CPU_SET(strtoul(at, &end, 10), &set);
    at = *end == ',' ? end + 1 : end;
  }
  if (sched_setaffinity(0, sizeof set, &set) != 0) Fail(SupervisorStage::kCpus);
}

// Every signal back to its default, also the two that the C library keeps for itself and hides from
// sigaction. A zeroed structure is the default on every machine.
void ResetSignals() {
  constexpr int kSignals = 64;
  const unsigned char fresh[64] = {};
  for (int number = 1; number <= kSignals; ++number) {
    syscall(SYS_rt_sigaction, number, fresh, nullptr, kSignals / 8);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void BecomeProgram(char** arguments, pid_t supervisor) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(127);
  Pin(arguments[kCpus]);
  if (*arguments[kFolder] != '\0' && chdir(arguments[kFolder]) != 0) {
    Fail(SupervisorStage::kFolder);
  }
  ResetSignals();
  execv(arguments[kPath], arguments + kFirst);
  Fail(SupervisorStage::kProgram);
}

// What is waited for while the program runs, and the list of our children.
struct Watch {
  int children;
  int deaths;
  int timer;
};

Watch MakeWatch() {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  return {Need(open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC)),
          Need(signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK)),
          Need(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC))};
}

void Arm(int timer, long long milliseconds) {
  itimerspec when{};
  when.it_value.tv_sec = milliseconds > 0 ? milliseconds / 1000 : 0;
  when.it_value.tv_nsec = milliseconds > 0 ? milliseconds % 1000 * 1'000'000 : 1;
  timerfd_settime(timer, 0, &when, nullptr);
}

// Passes on the request that the program end by itself. True if we are to stop it now.
bool IsToStop(pid_t program) {
  char request = 0;
  const ssize_t got = recv(kSupervisorSocket, &request, sizeof request, MSG_DONTWAIT);
  if (got < 0) return errno != EAGAIN && errno != EINTR;
  if (got == 0) return true;
  // It leads no group before its first instruction.
  if (kill(-program, SIGTERM) != 0) kill(program, SIGTERM);
  return false;
}

SupervisorEnd Wait(const Watch& watch, pid_t program, SupervisorReport& report) {
  pollfd waits[] = {
      {watch.deaths, POLLIN, 0}, {kSupervisorSocket, POLLIN, 0}, {watch.timer, POLLIN, 0}};
  while (true) {
    poll(waits, 3, -1);
    if (HasEnded(watch.deaths, program, report.wait_status)) return SupervisorEnd::kEnded;
    if (waits[1].revents != 0 && IsToStop(program)) return SupervisorEnd::kStopped;
    if (waits[2].revents != 0) return SupervisorEnd::kTimedOut;
  }
}

// Sends SIGKILL to our children, as many as one read shows. True if that ended at least one.
bool KillChildren(int children) {
  char text[4096];
  const ssize_t size = pread(children, text, sizeof text - 1, 0);
  if (size <= 0) return false;
  text[size] = '\0';
  bool has_killed = false;
  char* at = text;
  for (char* end = at; *at != '\0'; at = end) {
    const long pid = strtol(at, &end, 10);
    // A number that the end of the text may have cut off is left for the next read.
    if (end == at || *end != ' ') break;
    while (*end == ' ') ++end;
    has_killed |= kill(static_cast<pid_t>(pid), SIGKILL) == 0;
  }
  return has_killed;
}

// Ends what is left beneath us. Only direct children are killed: their pids cannot have been given
// to anybody else, since only we reap them, and when one dies its children become ours. No list
// means no descendants, so the wait never blocks on a process that was not killed.
void EndAll(const Watch& watch, pid_t program, SupervisorReport& report) {
  while (true) {
    const bool has_killed = KillChildren(watch.children);
    bool has_reaped = false;
    int status = 0;
    int flags = has_killed ? __WALL : __WALL | WNOHANG;
    for (pid_t pid; (pid = waitpid(-1, &status, flags)) != 0; flags |= WNOHANG) {
      if (pid < 0) return;  // Nobody is left.
      has_reaped = true;
      if (pid == program) {
        report.wait_status = status;
      } else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
        ++report.stragglers;
      }
    }
    if (!has_killed && !has_reaped) Fail(SupervisorStage::kUnkillable);
  }
}

std::int64_t Microseconds(const timeval& time) { return time.tv_sec * 1'000'000LL + time.tv_usec; }

}  // namespace

int main(int count, char** arguments) {
  if (count <= kFirst) return 2;
  prctl(PR_SET_NAME, "hone-supervisor");
  fcntl(kSupervisorSocket, F_SETFD, FD_CLOEXEC);
  if (close_range(kSupervisorSocket + 1, ~0U, 0) != 0) Fail(SupervisorStage::kSetUp);
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) Fail(SupervisorStage::kSetUp);
  signal(SIGCHLD, SIG_DFL);
  const Watch watch = MakeWatch();

  SupervisorReport report;
  const pid_t self = getpid();
  const std::int64_t started = Nanoseconds();
  const pid_t program = Need(fork());
  if (program == 0) BecomeProgram(arguments, self);
  close_range(0, 2, 0);
  Arm(watch.timer, strtoll(arguments[kLimit], nullptr, 10));
  report.end = Wait(watch, program, report);
  report.wall_ns = Nanoseconds() - started;
  EndAll(watch, program, report);

  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  report.user_us = Microseconds(used.ru_utime);
  report.system_us = Microseconds(used.ru_stime);
  report.peak_memory_kib = used.ru_maxrss;
  report.context_switches = used.ru_nvcsw + used.ru_nivcsw;
  report.page_faults = used.ru_minflt + used.ru_majflt;
  report.major_faults = used.ru_majflt;
  Send(report);
  return 0;
}

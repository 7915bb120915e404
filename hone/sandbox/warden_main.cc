// SPDX-License-Identifier: Apache-2.0
// The first process of every sandbox; see warden.h. It is started with every signal blocked.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "hone/base/process/reap.h"
#include "hone/sandbox/warden_part.h"

namespace hone::warden {

int report_socket = kWardenSocket;
std::uint32_t lacking_parts = 0;

void Fail(WardenStage stage, int index) {
  WardenReport report;
  report.stage = stage;
  report.number = errno;
  report.index = index;
  send(report_socket, &report, sizeof report, MSG_NOSIGNAL);
  _exit(127);
}

namespace {

constexpr const char* kUsualPath = "/usr/local/bin:/usr/bin:/bin";

const char* PathOf(char* const* environment) {
  for (; *environment != nullptr; ++environment) {
    if (strncmp(*environment, "PATH=", 5) == 0) return *environment + 5;
  }
  return kUsualPath;
}

void Execute(char** arguments, char** environment) {
  const char* name = arguments[0];
  if (strchr(name, '/') != nullptr) {
    execve(name, arguments, environment);
    return;
  }
  int number = ENOENT;
  char path[4096];
  for (const char* at = PathOf(environment); *at != '\0';) {
    const auto length = static_cast<int>(strcspn(at, ":"));
    snprintf(path, sizeof path, "%.*s/%s", length, at, name);
    execve(path, arguments, environment);
    if (errno == EACCES) number = EACCES;
    at += length + (at[length] == ':' ? 1 : 0);
  }
  errno = number;
}

[[noreturn]] void BecomeProgram(const Recipe& recipe, char** arguments, char** environment) {
  setsid();
  report_socket = fcntl(kWardenSocket, F_DUPFD_CLOEXEC,
                        kWardenGiven + static_cast<int>(recipe.head.descriptors));
  Need(report_socket >= 0, WardenStage::kSetUp);
  for (int i = 0; i < static_cast<int>(recipe.head.descriptors); ++i) {
    Need(dup2(kWardenGiven + i, 3 + i) >= 0, WardenStage::kSetUp);
  }
  syscall(SYS_close_range, 3 + recipe.head.descriptors, static_cast<unsigned>(report_socket) - 1,
          0);
  ResetSignals();
  Confine(recipe);
  if (recipe.head.is_trial != 0) _exit(static_cast<int>(lacking_parts));
  Execute(arguments, environment);
  Fail(WardenStage::kProgram);
}

std::int64_t Nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

// Returns when the program has ended, or has to. Hone's death is ours, and so the program's.
bool WaitForEnd(int deaths, pid_t program, WardenReport& report) {
  pollfd waits[] = {{deaths, POLLIN, 0}, {kWardenSocket, POLLIN, 0}};
  while (true) {
    poll(waits, 2, -1);
    if (HasEnded(deaths, program, report.wait_status)) return true;
    if (waits[1].revents == 0) continue;
    char word = 0;
    const ssize_t got = recv(kWardenSocket, &word, 1, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) _exit(127);
    if (got == 1 && word == kWardenEnd) return false;
  }
}

// One call reaches every process but us, and none can be born meanwhile.
void EndAll(pid_t program, WardenReport& report) {
  kill(-1, SIGKILL);
  int status = 0;
  for (pid_t pid; (pid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR;) {
    if (pid == program) {
      report.wait_status = status;
    } else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
      ++report.stragglers;
    }
  }
}

// -1 if it is not a plain file, or leads elsewhere.
int OpenKept(const char* name) {
  const int folder = open("/scratch", O_PATH | O_CLOEXEC);
  struct {
    std::uint64_t flags, mode, resolve;
  } how{O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY, 0,
        0x04 | 0x08};  // RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH
  const int file = static_cast<int>(syscall(SYS_openat2, folder, name, &how, sizeof how));
  close(folder);
  struct stat status {};
  if (file >= 0 && (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))) {
    close(file);
    return -1;
  }
  return file;
}

void SendFile(std::uint32_t index, int file) {
  iovec part{&index, sizeof index};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof file)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof file);
  memcpy(CMSG_DATA(header), &file, sizeof file);
  sendmsg(kWardenSocket, &message, MSG_NOSIGNAL);
}

void Report(WardenReport& report, char** keep, std::uint32_t count) {
  struct statfs scratch {};
  if (statfs("/scratch", &scratch) == 0) {
    report.is_scratch_full = scratch.f_bfree == 0 || scratch.f_ffree == 0 ? 1 : 0;
  }
  int* files = static_cast<int*>(calloc(count + std::size_t{1}, sizeof(int)));
  for (std::uint32_t i = 0; i < count; ++i) {
    files[i] = OpenKept(keep[i]);
    if (files[i] >= 0) ++report.kept;
  }
  send(kWardenSocket, &report, sizeof report, MSG_NOSIGNAL);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (files[i] >= 0) SendFile(i, files[i]);
  }
}

void KeepToOurselves(unsigned descriptors) {
  prctl(PR_SET_NAME, "hone-warden");
  prctl(PR_SET_DUMPABLE, 0);
  Need(syscall(SYS_close_range, kWardenGiven + descriptors, ~0U, 0) == 0, WardenStage::kSetUp);
}

int WatchDeaths() {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  signal(SIGCHLD, SIG_DFL);  // Whoever started us may ignore it, and that is inherited.
  const int deaths = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  Need(deaths >= 0, WardenStage::kSetUp);
  return deaths;
}

int Run() {
  Recipe recipe = ReadRecipe();
  OfferToOom();
  HideHostName(recipe.head);
  CopyViews(recipe);  // Needs no user, so that Hone can map it meanwhile.
  WaitForGo();
  BuildRoot(recipe);
  KeepToOurselves(recipe.head.descriptors);
  char** keep = ReadList(recipe.rest, recipe.head.keep);
  char** arguments = ReadList(recipe.rest, recipe.head.arguments);
  char** environment = ReadList(recipe.rest, recipe.head.environment);

  WardenReport report;
  const std::int64_t started = Nanoseconds();
  const int deaths = WatchDeaths();
  DropCapabilities();
  const pid_t program = fork();
  Need(program >= 0, WardenStage::kSetUp);
  if (program == 0) BecomeProgram(recipe, arguments, environment);
  close_range(0, 2, 0);
  close_range(kWardenGiven, kWardenGiven + recipe.head.descriptors, 0);
  const bool has_ended = WaitForEnd(deaths, program, report);
  report.wall_ns = Nanoseconds() - started;
  EndAll(has_ended ? 0 : program, report);
  report.lacking_parts = lacking_parts;
  if (recipe.head.is_trial != 0 && WIFEXITED(report.wait_status)) {
    report.lacking_parts |= static_cast<std::uint32_t>(WEXITSTATUS(report.wait_status));
  }
  Report(report, keep, recipe.head.keep);
  return 0;
}

}  // namespace
}  // namespace hone::warden

int main() { return hone::warden::Run(); }

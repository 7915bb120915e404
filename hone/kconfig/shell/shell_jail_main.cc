// SPDX-License-Identifier: Apache-2.0
// See shell_jail.h and shell_jail_protocol.h. A warden (warden.h) that runs many commands instead
// of one program, each in a cell. Plain C++ without the library: it is small, static, and has one
// thread. It is the first of its namespaces: with it the kernel ends everything in them.
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "hone/kconfig/shell/shell_jail_protocol.h"
#include "hone/sandbox/warden_part.h"

namespace {

using hone::kWardenSocket;
using hone::WardenRecipe;
using hone::WardenReport;
using hone::WardenStage;
using hone::kconfig::kMaxShellCells;
using hone::kconfig::kMaxShellText;
using hone::kconfig::kShellJailDescriptors;
using hone::kconfig::kShellJailSocket;
using hone::kconfig::ShellJailEnd;
using hone::kconfig::ShellJailReport;
using hone::kconfig::ShellJailRequest;
using hone::warden::Recipe;

constexpr const char* kMemoryFolder = "/scratch";
constexpr const char* kWorkFolder = "/scratch/work";
constexpr const char* kTemporaryFolder = "/scratch/tmp";
constexpr int kMaxProcesses = 1024;  // Of a cell.
// Descriptors by number, so that a cell can close all others.
constexpr int kReports = kWardenSocket;        // In a cell the pipe for its report.
constexpr int kProc = kShellJailSocket + 1;    // The machine's /proc, which nothing in here shows.
constexpr int kDeaths = kShellJailSocket + 2;  // The first that a cell closes.

bool is_in_cell = false;

void Report(int to, ShellJailEnd end, int number = 0, const char* what = "") {
  ShellJailReport report;
  report.end = end;
  report.number = number;
  std::snprintf(report.what, sizeof report.what, "%s", what);
  while (write(to, &report, sizeof report) < 0 && errno == EINTR) {
  }
}

[[noreturn]] void Die(const char* what) {
  Report(kReports, ShellJailEnd::kFailed, errno, what);
  std::_Exit(1);
}

void Require(bool is_done, const char* what) {
  if (!is_done) Die(what);
}

void SendWardenReport(WardenStage stage, int index) {
  WardenReport report;
  report.stage = stage;
  report.number = errno;
  report.index = index;
  send(kWardenSocket, &report, sizeof report, MSG_NOSIGNAL);
}

const char* NameOf(WardenStage stage) {
  switch (stage) {
    case WardenStage::kLimits:
      return "a limit";
    case WardenStage::kSeccomp:
      return "the system call filter";
    case WardenStage::kUser:
      return "capabilities";
    default:
      return "a cell";
  }
}

}  // namespace

namespace hone::warden {

int report_socket = kWardenSocket;
std::uint32_t lacking_parts = 0;

void Fail(WardenStage stage, int index) {
  if (is_in_cell) Die(NameOf(stage));
  SendWardenReport(stage, index);
  _exit(127);
}

}  // namespace hone::warden

namespace {

void WriteMap(const char* path, const char* text) {
  const int file = openat(kProc, path, O_WRONLY | O_CLOEXEC);
  Require(file >= 0 && write(file, text, std::strlen(text)) >= 0, path);
  close(file);
}

// In the cell's user namespace we are who we were outside. Whoever cannot be looked into cannot
// open these files either.
void KeepIdentity() {
  char map[64];
  prctl(PR_SET_DUMPABLE, 1);
  WriteMap("self/setgroups", "deny");
  std::snprintf(map, sizeof map, "%u %u 1", hone::kInsideUser, hone::kInsideUser);
  WriteMap("self/uid_map", map);
  std::snprintf(map, sizeof map, "%u %u 1", hone::kInsideGroup, hone::kInsideGroup);
  WriteMap("self/gid_map", map);
  prctl(PR_SET_DUMPABLE, 0);
}

// Memory and a /proc of the cell's own lie over those of the jail.
void MountOwn() {
  Require(mount("tmpfs", kMemoryFolder, "tmpfs", MS_NOSUID | MS_NODEV,
                "size=256m,nr_inodes=262144,mode=700") == 0,
          kMemoryFolder);
  Require(mkdir(kWorkFolder, 0755) == 0 && mkdir(kTemporaryFolder, 0755) == 0, kWorkFolder);
  if ((hone::warden::lacking_parts & hone::kPartProc) != 0) return;
  Require(mount("proc", "/proc/pids", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY,
                "subset=pid") == 0,
          "/proc");
}

// The working folder: a link to everything that is in the real one.
void EnterWorkFolder(const char* real) {
  Require(chdir(kWorkFolder) == 0, kWorkFolder);
  if (*real == '\0') return;
  DIR* entries = opendir(real);
  Require(entries != nullptr, real);
  while (const dirent* entry = readdir(entries)) {
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    char target[PATH_MAX + NAME_MAX + 2];
    std::snprintf(target, sizeof target, "%s/%s", real, entry->d_name);
    Require(symlink(target, entry->d_name) == 0, entry->d_name);
  }
  closedir(entries);
}

// What all commands of this jail have in common.
struct Jail {
  const Recipe& recipe;
  const char* folder = "";
  char** environment = nullptr;
};

[[noreturn]] void BecomeCommand(const Jail& jail, char* text) {
  setsid();
  hone::warden::ResetSignals();
  WardenRecipe head = jail.recipe.head;
  head.processes = kMaxProcesses;
  hone::warden::Confine(Recipe{head, jail.recipe.filter, jail.recipe.rest});
  char shell[] = "/bin/sh";
  char option[] = "-c";
  char* arguments[] = {shell, option, text, nullptr};
  execve(shell, arguments, jail.environment);
  Die(shell);
}

// Reaps until the command has ended. With us, the first process of its namespace, all others in it
// go; nothing in it can kill or trace us.
[[noreturn]] void WaitInCell(pid_t command) {
  close_range(0, ~0U, 0);
  for (pid_t ended = 0; ended != command;) {
    ended = waitpid(-1, nullptr, __WALL);
    if (ended < 0 && errno != EINTR) break;
  }
  std::_Exit(0);
}

struct Request {
  ShellJailRequest head;
  int descriptors[kShellJailDescriptors] = {};  // Output, errors, report.
  char text[kMaxShellText + 1] = {};
};

[[noreturn]] void BecomeCell(const Jail& jail, Request& request) {
  is_in_cell = true;
  dup3(request.descriptors[2], kReports, O_CLOEXEC);
  dup2(request.descriptors[0], 1);
  dup2(request.descriptors[1], 2);
  close(kShellJailSocket);
  close_range(kDeaths, ~0U, 0);
  KeepIdentity();
  close(kProc);
  MountOwn();
  EnterWorkFolder(jail.folder);
  hone::warden::DropCapabilities();
  const pid_t command = fork();
  Require(command >= 0, "fork");
  if (command == 0) BecomeCommand(jail, request.text);
  WaitInCell(command);
}

struct Cell {
  pid_t process = 0;  // 0: free.
  int reports = -1;
  std::int64_t deadline_ms = 0;
  bool is_late = false;
};

Request request;
Cell cells[kMaxShellCells];

std::int64_t Milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000LL + now.tv_nsec / 1'000'000;
}

// Takes the next request off the socket; false if there will be none.
bool Receive() {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof request.descriptors)];
  iovec part{&request.head, sizeof request.head};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = recvmsg(kShellJailSocket, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
  const cmsghdr* header = got > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (got != sizeof request.head || header == nullptr || header->cmsg_type != SCM_RIGHTS ||
      header->cmsg_len != CMSG_LEN(sizeof request.descriptors) ||
      request.head.size > kMaxShellText) {
    return false;
  }
  std::memcpy(request.descriptors, CMSG_DATA(header), sizeof request.descriptors);
  const ssize_t size = request.head.size;
  request.text[size] = '\0';
  return size == 0 || recv(kShellJailSocket, request.text, request.head.size, MSG_WAITALL) == size;
}

void StartCell(const Jail& jail) {
  Cell* const end = cells + kMaxShellCells;
  Cell* const cell = std::find_if(cells, end, [](const Cell& it) { return it.process == 0; });
  const long flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | SIGCHLD;
  errno = EAGAIN;
  const long process = cell == end ? -1 : syscall(SYS_clone, flags, 0, 0, 0, 0);
  if (process == 0) BecomeCell(jail, request);
  const int reports = request.descriptors[2];
  if (process < 0) Report(reports, ShellJailEnd::kFailed, errno, "namespaces of a command");
  close(request.descriptors[0]);
  close(request.descriptors[1]);
  if (process < 0) {
    close(reports);
    return;
  }
  const std::int64_t limit = std::clamp<std::int64_t>(request.head.limit_ms, 0, INT_MAX);
  *cell = {static_cast<pid_t>(process), reports, Milliseconds() + limit, false};
}

void ReapCells() {
  signalfd_siginfo ignored;
  while (read(kDeaths, &ignored, sizeof ignored) > 0) {
  }
  for (pid_t ended; (ended = waitpid(-1, nullptr, WNOHANG | __WALL)) > 0;) {
    for (Cell& cell : cells) {
      if (cell.process != ended) continue;
      Report(cell.reports, cell.is_late ? ShellJailEnd::kTimedOut : ShellJailEnd::kEnded);
      close(cell.reports);
      cell = Cell();
    }
  }
}

// Ends what is late, and says for how long there is nothing to end.
int EndLateCells() {
  std::int64_t wait = INT_MAX;
  const std::int64_t now = Milliseconds();
  for (Cell& cell : cells) {
    if (cell.process == 0 || cell.is_late) continue;
    cell.is_late = cell.deadline_ms <= now;
    if (cell.is_late) {
      kill(cell.process, SIGKILL);
    } else {
      wait = std::min(wait, cell.deadline_ms - now);
    }
  }
  return wait == INT_MAX ? -1 : static_cast<int>(wait);
}

[[noreturn]] void Serve(const Jail& jail) {
  Report(kShellJailSocket, ShellJailEnd::kReady);
  pollfd waits[] = {{kShellJailSocket, POLLIN, 0}, {kDeaths, POLLIN, 0}};
  while (true) {
    poll(waits, 2, EndLateCells());
    ReapCells();
    if (waits[0].revents == 0) continue;
    if (!Receive()) std::_Exit(0);
    StartCell(jail);
  }
}

// Both descriptors at their numbers, and nothing else open but the sockets and what is standard.
void LayDescriptors(int proc) {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  const int high_proc = fcntl(proc, F_DUPFD_CLOEXEC, kDeaths + 1);
  const int deaths = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  const int high_deaths = fcntl(deaths, F_DUPFD_CLOEXEC, kDeaths + 1);
  hone::warden::Need(dup3(high_proc, kProc, O_CLOEXEC) == kProc &&
                         dup3(high_deaths, kDeaths, O_CLOEXEC) == kDeaths &&
                         close_range(kDeaths + 1, ~0U, 0) == 0,
                     WardenStage::kSetUp);
  close(hone::kWardenRecipe);
}

// It keeps its capabilities over its own namespaces: some machines let nobody else make the cells'.
[[noreturn]] void Run() {
  prctl(PR_SET_NAME, "kconfig-jail");
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL);
  fcntl(kShellJailSocket, F_SETFD, FD_CLOEXEC);
  Recipe recipe = hone::warden::ReadRecipe();
  const int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
  hone::warden::OfferToOom();
  hone::warden::HideHostName(recipe.head);
  hone::warden::CopyViews(recipe);
  hone::warden::WaitForGo();
  hone::warden::BuildRoot(recipe);
  LayDescriptors(proc);
  prctl(PR_SET_DUMPABLE, 0);
  const Jail jail{recipe, hone::warden::ReadList(recipe.rest, recipe.head.arguments)[1],
                  hone::warden::ReadList(recipe.rest, recipe.head.environment)};
  Serve(jail);
}

}  // namespace

int main() { Run(); }

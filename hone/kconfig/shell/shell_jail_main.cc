// SPDX-License-Identifier: Apache-2.0
// See shell_jail.h and shell_jail_protocol.h. Plain C++ without the library: it is small, static,
// and has one thread. The first process waits for the second, which is the first of its namespaces:
// when one of them dies, the kernel ends the other and everything in it.
#include <dirent.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
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

namespace {

using hone::kconfig::kMaxShellCells;
using hone::kconfig::kMaxShellText;
using hone::kconfig::kShellJailDescriptors;
using hone::kconfig::kShellJailSocket;
using hone::kconfig::ShellJailEnd;
using hone::kconfig::ShellJailReport;
using hone::kconfig::ShellJailRequest;

constexpr const char* kDevices[] = {"null", "zero", "full", "random", "urandom"};
constexpr int kDeviceCount = 5;
constexpr const char* kMemoryFolder = "/dev/shm";
constexpr const char* kWorkFolder = "/dev/shm/work";
constexpr const char* kScratchFolder = "/dev/shm/tmp";
constexpr const char* kMaxProcesses = "1024";
// Descriptors by number, so that a cell can close all others.
constexpr int kReports = kShellJailSocket;  // Where reports go: the socket, in a cell its pipe.
constexpr int kProc = 4;                    // A /proc that is not read-only, attached nowhere.
constexpr int kDeaths = 5;

#if defined(__x86_64__)
constexpr unsigned kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kMachine = AUDIT_ARCH_AARCH64;
#else
#error "shell_jail_main.cc: name the AUDIT_ARCH of this machine"
#endif
constexpr unsigned kForeignCalls = 0x40000000;  // x32

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

bool WriteTo(int folder, const char* path, const char* text) {
  const int file = openat(folder, path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool is_written = write(file, text, std::strlen(text)) >= 0;
  close(file);
  return is_written;
}

// In a new user namespace we are who we were outside.
void KeepIdentity(int proc, unsigned user, unsigned group) {
  char map[64];
  Require(WriteTo(proc, "self/setgroups", "deny"), "setgroups");
  std::snprintf(map, sizeof map, "%u %u 1", user, user);
  Require(WriteTo(proc, "self/uid_map", map), "uid_map");
  std::snprintf(map, sizeof map, "%u %u 1", group, group);
  Require(WriteTo(proc, "self/gid_map", map), "gid_map");
}

// Namespaces of the jail's own. Cells have further ones below them.
void Separate() {
  const unsigned user = geteuid();
  const unsigned group = getegid();
  Require(unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID) == 0, "namespaces");
  const int proc = open("/proc", O_PATH | O_CLOEXEC);
  KeepIdentity(proc, user, group);
  // When memory is short, what runs here goes first. Not to be able to say so is no fault.
  WriteTo(proc, "self/oom_score_adj", "1000");
  close(proc);
}

// Nothing of a device's file can be changed either: who runs us may own it.
void MoveDevice(int device, const char* path) {
  const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  Require(file >= 0, path);
  close(file);
  mount_attr closed{};
  closed.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID;
  Require(mount_setattr(device, "", AT_EMPTY_PATH, &closed, sizeof closed) == 0 &&
              move_mount(device, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) == 0,
          path);
  close(device);
}

// The devices are taken out of /dev before devices are switched off everywhere.
void CloseFileSystems() {
  Require(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "private mounts");
  const int proc = open_tree(AT_FDCWD, "/proc", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
  Require(proc >= 0 && (proc == kProc || dup3(proc, kProc, O_CLOEXEC) == kProc), "/proc");
  int devices[kDeviceCount];
  char path[64];
  for (int i = 0; i < kDeviceCount; ++i) {
    std::snprintf(path, sizeof path, "/dev/%s", kDevices[i]);
    devices[i] = open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    Require(devices[i] >= 0, path);
  }
  mount_attr closed{};
  closed.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  Require(mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &closed, sizeof closed) == 0,
          "read-only file systems");
  Require(mount("tmpfs", "/dev", "tmpfs", MS_NOSUID, "size=1m,mode=755") == 0, "a new /dev");
  for (int i = 0; i < kDeviceCount; ++i) {
    std::snprintf(path, sizeof path, "/dev/%s", kDevices[i]);
    MoveDevice(devices[i], path);
  }
  Require(symlink("/proc/self/fd", "/dev/fd") == 0, "/dev/fd");
  Require(mkdir(kMemoryFolder, 0755) == 0, kMemoryFolder);
  Require(mount_setattr(AT_FDCWD, "/dev", 0, &closed, sizeof closed) == 0, "a read-only /dev");
}

// No sockets: one with a path would reach a service outside. The others were cut off by Separate.
// No key rings: those of the user are inherited, and would outlive us.
void ForbidCalls() {
  constexpr unsigned kRefuse = SECCOMP_RET_ERRNO | EPERM;
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kMachine, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, kRefuse),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kForeignCalls, 5, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_add_key, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_request_key, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_keyctl, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, kRefuse),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program{};
  program.len = sizeof rules / sizeof rules[0];
  program.filter = rules;
  Require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no new rights");
  Require(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0, "system calls");
}

// A folder in memory with a link to everything that is in the one we are in.
void MoveToWorkFolder() {
  char here[PATH_MAX];
  Require(getcwd(here, sizeof here) != nullptr, "the working folder");
  Require(mount("tmpfs", kMemoryFolder, "tmpfs", MS_NOSUID | MS_NODEV,
                "size=256m,nr_inodes=262144,mode=755") == 0,
          kMemoryFolder);
  Require(mkdir(kWorkFolder, 0755) == 0 && mkdir(kScratchFolder, 0755) == 0, kWorkFolder);
  DIR* entries = opendir(here);
  Require(entries != nullptr, here);
  Require(chdir(kWorkFolder) == 0, kWorkFolder);
  while (const dirent* entry = readdir(entries)) {
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    char target[PATH_MAX + NAME_MAX + 2];
    std::snprintf(target, sizeof target, "%s/%s", here, entry->d_name);
    Require(symlink(target, entry->d_name) == 0, entry->d_name);
  }
  closedir(entries);
}

// For a user the kernel counts processes by user namespace since Linux 5.14; for root, who is
// exempt from that, by process namespace since 6.14. Elsewhere the time limit has to do.
void LimitProcesses() {
  utsname kernel{};
  int major = 0;
  int minor = 0;
  uname(&kernel);
  std::sscanf(kernel.release, "%d.%d", &major, &minor);
  if (major > 5 || (major == 5 && minor >= 14)) {
    const rlim_t most = std::strtoul(kMaxProcesses, nullptr, 10);
    const rlimit limit{most, most};
    Require(setrlimit(RLIMIT_NPROC, &limit) == 0, "the number of processes");
  }
  if (major > 6 || (major == 6 && minor >= 14)) {
    WriteTo(kProc, "sys/kernel/pid_max", kMaxProcesses);
  }
}

void DropRights() {
  constexpr int kMaxCapabilities = 64;
  Require(prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                                       SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                                       SECBIT_NO_CAP_AMBIENT_RAISE |
                                       SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED) == 0,
          "secure bits");
  for (int i = 0; i < kMaxCapabilities; ++i) {
    if (prctl(PR_CAPBSET_DROP, i) != 0 && errno != EINVAL) Die("the capability bounding set");
  }
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3]{};
  Require(syscall(SYS_capset, &header, none) == 0, "capabilities");
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

[[noreturn]] void BecomeCommand(char* text) {
  setsid();
  ResetSignals();
  char shell[] = "/bin/sh";
  char option[] = "-c";
  char* arguments[] = {shell, option, text, nullptr};
  execv(shell, arguments);
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

[[noreturn]] void BecomeCell(Request& request, unsigned user, unsigned group) {
  dup3(request.descriptors[2], kReports, O_CLOEXEC);
  dup2(request.descriptors[0], 1);
  dup2(request.descriptors[1], 2);
  close_range(kDeaths, ~0U, 0);
  KeepIdentity(kProc, user, group);
  MoveToWorkFolder();
  LimitProcesses();
  close(kProc);
  DropRights();
  prctl(PR_SET_DUMPABLE, 0);
  const pid_t command = fork();
  Require(command >= 0, "fork");
  if (command == 0) BecomeCommand(request.text);
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

void StartCell() {
  Cell* const end = cells + kMaxShellCells;
  Cell* const cell = std::find_if(cells, end, [](const Cell& it) { return it.process == 0; });
  const unsigned user = geteuid();
  const unsigned group = getegid();
  const long flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | SIGCHLD;
  errno = EAGAIN;
  const long process = cell == end ? -1 : syscall(SYS_clone, flags, 0, 0, 0, 0);
  if (process == 0) BecomeCell(request, user, group);
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

[[noreturn]] void Serve() {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  const int deaths = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  Require(deaths >= 0 && (deaths == kDeaths || dup3(deaths, kDeaths, O_CLOEXEC) == kDeaths),
          "signals");
  close_range(kDeaths + 1, ~0U, 0);
  setenv("TMPDIR", kScratchFolder, 1);
  Report(kShellJailSocket, ShellJailEnd::kReady);
  pollfd waits[] = {{kShellJailSocket, POLLIN, 0}, {kDeaths, POLLIN, 0}};
  while (true) {
    poll(waits, 2, EndLateCells());
    ReapCells();
    if (waits[0].revents == 0) continue;
    if (!Receive()) std::_Exit(0);
    StartCell();
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  prctl(PR_SET_NAME, "kconfig-jail");
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL);
  fcntl(kShellJailSocket, F_SETFD, FD_CLOEXEC);
  close_range(kShellJailSocket + 1, ~0U, 0);
  Require(*arguments[1] == '\0' || chdir(arguments[1]) == 0, arguments[1]);
  Separate();
  const pid_t inner = fork();
  Require(inner >= 0, "fork");
  if (inner > 0) {
    close(kShellJailSocket);
    while (waitpid(inner, nullptr, 0) < 0 && errno == EINTR) {
    }
    return 0;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  CloseFileSystems();
  ForbidCalls();
  Serve();
}

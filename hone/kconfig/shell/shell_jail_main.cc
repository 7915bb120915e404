// SPDX-License-Identifier: Apache-2.0
// See shell_jail.h. Plain C++ without the library: it is small, static, and has one thread.
#include <dirent.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kFailed = 125;
constexpr const char* kDevices[] = {"null", "zero", "full", "random", "urandom"};
constexpr int kDeviceCount = 5;
constexpr const char* kWorkFolder = "/dev/shm/work";
constexpr const char* kScratchFolder = "/dev/shm/tmp";

#if defined(__x86_64__)
constexpr unsigned kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kMachine = AUDIT_ARCH_AARCH64;
#else
#error "shell_jail_main.cc: name the AUDIT_ARCH of this machine"
#endif
constexpr unsigned kForeignCalls = 0x40000000;  // x32

[[noreturn]] void Die(const char* what) {
  std::fprintf(stderr, "hone-kconfig-jail: %s: %s\n", what, std::strerror(errno));
  std::_Exit(kFailed);
}

void Require(bool is_done, const char* what) {
  if (!is_done) Die(what);
}

void WriteTo(const char* path, const char* text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  Require(file >= 0 && write(file, text, std::strlen(text)) >= 0, path);
  close(file);
}

// Namespaces of our own, in which we are who we were.
void Separate() {
  const unsigned user = geteuid();
  const unsigned group = getegid();
  Require(unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWPID) == 0,
          "namespaces");
  char map[64];
  WriteTo("/proc/self/setgroups", "deny");
  std::snprintf(map, sizeof map, "%u %u 1", user, user);
  WriteTo("/proc/self/uid_map", map);
  std::snprintf(map, sizeof map, "%u %u 1", group, group);
  WriteTo("/proc/self/gid_map", map);
}

// The devices are taken out of /dev before devices are switched off everywhere.
void CloseFileSystems() {
  Require(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "private mounts");
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
  Require(mount("tmpfs", "/dev", "tmpfs", MS_NOSUID, "size=256m,mode=755") == 0, "a new /dev");
  for (int i = 0; i < kDeviceCount; ++i) {
    std::snprintf(path, sizeof path, "/dev/%s", kDevices[i]);
    const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    Require(file >= 0, path);
    close(file);
    Require(move_mount(devices[i], "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) == 0, path);
    close(devices[i]);
  }
  Require(symlink("/proc/self/fd", "/dev/fd") == 0, "/dev/fd");
}

// A folder in memory with a link to everything that is in the one we are in.
void MoveToWorkFolder() {
  char here[PATH_MAX];
  Require(getcwd(here, sizeof here) != nullptr, "the working folder");
  Require(mkdir("/dev/shm", 0755) == 0 && mkdir(kWorkFolder, 0755) == 0 &&
              mkdir(kScratchFolder, 0755) == 0,
          kWorkFolder);
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
  setenv("TMPDIR", kScratchFolder, 1);
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
  Require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no new rights");
}

// No sockets: one with a path would reach a service outside. The others were cut off by Separate.
void ForbidSockets() {
  constexpr unsigned kRefuse = SECCOMP_RET_ERRNO | EPERM;
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kMachine, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, kRefuse),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kForeignCalls, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, kRefuse),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program{};
  program.len = sizeof rules / sizeof rules[0];
  program.filter = rules;
  Require(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0, "no sockets");
}

int StatusOf(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) Require(errno == EINTR, "waiting");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int main(int count, char** arguments) {
  errno = EINVAL;
  Require(count > 1, "give a command");
  Separate();
  const pid_t child = fork();
  Require(child >= 0, "fork");
  if (child > 0) return StatusOf(child);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  CloseFileSystems();
  MoveToWorkFolder();
  DropRights();
  ForbidSockets();
  execv(arguments[1], arguments + 1);
  Die(arguments[1]);
}

// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>

#include "hone/sandbox/attacker.h"

namespace hone::attacker {
namespace {

extern "C" char** environ;

// `result` as of a system call: not negative means that it worked.
int Judge(const char* what, long result) {
  printf("%s: %s\n", what, result >= 0 ? "ESCAPED" : "refused");
  return result >= 0 ? 1 : 0;
}

int JudgeOpen(const char* path, int flags) {
  const int file = open(path, flags, 0644);
  const int escaped = Judge(path, file);
  if (file >= 0) close(file);
  return escaped;
}

int ReadSecrets() {
  int escaped = 0;
  for (const char* path : {"/etc/shadow",
                           "/root",
                           "/proc/1/root",
                           "/proc/pids/1/root/etc/shadow",
                           "/proc/pids/1/cwd/etc",
                           "/proc/pids/1/environ",
                           "/proc/pids/1/mem",
                           "/proc/pids/1/maps",
                           "/proc/pids/1/fd/3",
                           "/proc/kcore",
                           "/proc/kmsg",
                           "/proc/sys/kernel/hostname",
                           "/proc/sysrq-trigger",
                           "/dev/mem",
                           "/dev/kmsg",
                           "/dev/vda",
                           "/dev/tty",
                           "/dev/ptmx",
                           "/dev/kvm",
                           "/sys",
                           "/run",
                           "/home",
                           "/var",
                           "/scratch/../../etc/shadow",
                           "/proc/1/environ",
                           "/../../../etc/shadow",
                           "/proc/self/root/etc/shadow"}) {
    escaped += JudgeOpen(path, O_RDONLY);
  }
  return escaped;
}

int WriteViews() {
  int escaped = 0;
  for (const char* path :
       {"/file", "/usr/file", "/etc/file", "/dev/file", "/proc/file", "/usr/bin/file"}) {
    escaped += JudgeOpen(path, O_CREAT | O_WRONLY);
  }
  for (const char* path : {"/etc/passwd", "/usr/bin/env", "/proc/self/oom_score_adj",
                           "/proc/self/setgroups", "/proc/self/uid_map", "/proc/cpuinfo"}) {
    escaped += JudgeOpen(path, O_WRONLY);
  }
  escaped += Judge("unlink", unlink("/usr/bin/env"));
  escaped += Judge("rename", rename("/usr/bin", "/usr/nib"));
  escaped += Judge("chmod", chmod("/usr/bin/env", 0777));
  escaped += Judge("truncate", truncate("/usr/bin/env", 0));
  escaped += Judge("link", link("/usr/bin/env", "/scratch/env"));
  escaped += Judge("rmdir", rmdir("/scratch"));
  return escaped;
}

int ListFolder(const char* path) {
  DIR* folder = opendir(path);
  if (folder == nullptr) return 1;
  for (const dirent* entry; (entry = readdir(folder)) != nullptr;) {
    if (entry->d_name[0] != '.') printf("%s ", entry->d_name);
  }
  printf("\n");
  closedir(folder);
  return 0;
}

int Processes() { return ListFolder("/proc/pids"); }
int Descriptors() { return ListFolder("/proc/self/fd"); }
int Interfaces() {
  char text[4096] = {};
  const int file = open("/proc/self/net/dev", O_RDONLY);
  if (read(file, text, sizeof text - 1) < 0) return 1;
  printf("%s", text);
  return 0;
}

int Environment() {
  for (char** at = environ; *at != nullptr; ++at) printf("%s\n", *at);
  return 0;
}

int Trace() {
  char word[8] = {};
  iovec local{word, sizeof word};
  iovec remote{reinterpret_cast<void*>(0x400000), sizeof word};
  return Judge("attach", ptrace(PTRACE_ATTACH, 1, 0, 0)) +
         Judge("seize", ptrace(PTRACE_SEIZE, getppid(), 0, 0)) +
         Judge("traceme", ptrace(PTRACE_TRACEME, 0, 0, 0)) +
         Judge("read", syscall(SYS_process_vm_readv, 1, &local, 1, &remote, 1, 0)) +
         Judge("write", syscall(SYS_process_vm_writev, 1, &local, 1, &remote, 1, 0)) +
         Judge("getfd", syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, 1, 0), 3, 0));
}

// Reaches nobody but our own: the kernel keeps the first process of a namespace.
int KillAll() {
  kill(1, SIGKILL);
  kill(1, SIGSTOP);
  kill(-1, SIGKILL);
  killpg(1, SIGKILL);
  for (pid_t pid = 2; pid < 5000; ++pid) {
    if (pid != getpid()) kill(pid, SIGKILL);
  }
  printf("alive\n");
  return 0;
}

int Network() {
  sockaddr_in loopback{};
  loopback.sin_family = AF_INET;
  loopback.sin_port = htons(80);
  loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockaddr_un abstract{};
  abstract.sun_family = AF_UNIX;
  memcpy(abstract.sun_path, "\0hone-test", 10);
  int pair[2] = {-1, -1};
  int escaped = 0;
  for (const int family : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK, AF_PACKET, AF_VSOCK, AF_ALG}) {
    escaped += Judge("socket", socket(family, SOCK_STREAM, 0));
    escaped += Judge("datagrams", socket(family, SOCK_DGRAM, 0));
  }
  escaped += Judge("other pair", socketpair(AF_INET, SOCK_STREAM, 0, pair));
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 1;
  escaped += Judge("connect", connect(pair[0], reinterpret_cast<sockaddr*>(&abstract), 12));
  escaped += Judge("bind", bind(pair[0], reinterpret_cast<sockaddr*>(&abstract), 12));
  escaped += Judge("listen", listen(pair[0], 1));
  escaped += Judge("connect", connect(3, reinterpret_cast<sockaddr*>(&loopback), sizeof loopback));
  escaped += Judge("sendto", sendto(3, "x", 1, MSG_NOSIGNAL, reinterpret_cast<sockaddr*>(&loopback),
                                    sizeof loopback));
  // A socket pair of datagrams may name an address in every message.
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0) return 1;
  escaped += Judge("sendto abstract", sendto(pair[0], "x", 1, MSG_NOSIGNAL,
                                             reinterpret_cast<sockaddr*>(&abstract), 12));
  return escaped;
}

int Namespaces() {
  int escaped = 0;
  for (const int flag : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC,
                         CLONE_NEWUTS, CLONE_NEWCGROUP, CLONE_NEWUSER | CLONE_NEWNS}) {
    escaped += Judge("unshare", unshare(flag));
    const long child = syscall(SYS_clone, flag | SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    escaped += Judge("clone", child);
  }
  char arguments[88] = {};
  const std::uint64_t flags = CLONE_NEWUSER;
  memcpy(arguments, &flags, sizeof flags);
  const long child = syscall(SYS_clone3, arguments, sizeof arguments);
  if (child == 0) _exit(0);
  escaped += Judge("clone3", child);
  escaped += Judge("setns", setns(open("/proc/pids/1/ns/mnt", O_RDONLY), 0));
  escaped += Judge("setns self", setns(open("/proc/self/ns/user", O_RDONLY), 0));
  return escaped;
}

int Mounts() {
  return Judge("remount", mount(nullptr, "/usr", nullptr, MS_REMOUNT | MS_BIND, nullptr)) +
         Judge("root", mount(nullptr, "/", nullptr, MS_REMOUNT, nullptr)) +
         Judge("bind", mount("/usr", "/scratch", nullptr, MS_BIND, nullptr)) +
         Judge("tmpfs", mount("x", "/scratch", "tmpfs", 0, nullptr)) +
         Judge("umount", umount2("/usr", MNT_DETACH)) + Judge("chroot", chroot("/scratch")) +
         Judge("pivot", syscall(SYS_pivot_root, "/scratch", "/scratch")) +
         Judge("open_tree", syscall(SYS_open_tree, AT_FDCWD, "/", 1)) +
         Judge("fsopen", syscall(SYS_fsopen, "tmpfs", 0)) +
         Judge("fspick", syscall(SYS_fspick, AT_FDCWD, "/", 0)) +
         Judge("block", mknod("/scratch/b", S_IFBLK | 0666, makedev(254, 0))) +
         Judge("char", mknod("/scratch/c", S_IFCHR | 0666, makedev(1, 1))) +
         Judge("handle", syscall(SYS_open_by_handle_at, AT_FDCWD, nullptr, 0));
}

int Kernel() {
  char hole[256] = {};
  const timespec noon{43200, 0};
  const rlimit core{1 << 20, 1 << 20};
  return Judge("bpf", syscall(SYS_bpf, BPF_MAP_CREATE, hole, sizeof hole)) +
         Judge("perf", syscall(SYS_perf_event_open, hole, 0, -1, -1, 0)) +
         Judge("keyctl", syscall(SYS_keyctl, 0, -3, 0)) +
         Judge("add_key", syscall(SYS_add_key, "user", "x", "y", 1, -2)) +
         Judge("userfaultfd", syscall(SYS_userfaultfd, 1)) +
         Judge("io_uring", syscall(SYS_io_uring_setup, 8, hole)) +
         Judge("personality", syscall(SYS_personality, 0x0040000)) +
         Judge("hostname", sethostname("mine", 4)) + Judge("clock", clock_settime(0, &noon)) +
         Judge("listener", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                                   SECCOMP_FILTER_FLAG_NEW_LISTENER, hole)) +
         Judge("filter", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, hole)) +
         Judge("syslog", syscall(SYS_syslog, 3, hole, sizeof hole)) +
         Judge("module", syscall(SYS_init_module, hole, sizeof hole, "")) +
         Judge("kexec", syscall(SYS_kexec_load, 0, 0, nullptr, 0)) +
         Judge("reboot", syscall(SYS_reboot, 0xfee1dead, 672274793, 0x89abcdef, nullptr)) +
         Judge("swapon", syscall(SYS_swapon, "/scratch", 0)) +
#ifdef SYS_iopl
         Judge("iopl", syscall(SYS_iopl, 3)) +
#endif
         Judge("setuid", setuid(0)) + Judge("setresuid", setresuid(0, 0, 0)) +
         Judge("setresuid beside", setresuid(0, 1000, 0)) +
         Judge("setresgid", setresgid(-1, 0, -1)) + Judge("core", setrlimit(RLIMIT_CORE, &core)) +
         Judge("sync", syscall(SYS_syncfs, 0)) + Judge("tiocsti", ioctl(0, TIOCSTI, "x")) +
         Judge("tiocsti, high bits", syscall(SYS_ioctl, 0, 0x100000000UL | TIOCSTI, "x")) +
         Judge("notify", syscall(SYS_fanotify_init, 0, 0));
}

// A call through the door of 32-bit programs, which has other numbers. Only x86 has one that a
// 64-bit program can use.
int OldDoor() {
  long result = 20;  // getpid
#if defined(__x86_64__)
  asm volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
#endif
  printf("ESCAPED %ld\n", result);
  return 1;
}

int WhoAmI() {
  char name[65] = {};
  gethostname(name, sizeof name - 1);
  char text[4096] = {};
  const int file = open("/proc/self/status", O_RDONLY);
  if (read(file, text, sizeof text - 1) < 0) return 1;
  printf("host %s user %d group %d pid %d parent %d\n%s", name, static_cast<int>(getuid()),
         static_cast<int>(getgid()), static_cast<int>(getpid()), static_cast<int>(getppid()), text);
  return 0;
}

// Pages of 2 MiB for memory that is shared, where the kernel would give it small ones: whoever has
// them is faster than whoever shares it. What honest programs advise must work.
int HugePages() {
  constexpr size_t kHuge = 2 << 20;
  constexpr int kCollapse = 25;  // MADV_COLLAPSE
  void* space = mmap(nullptr, 2 * kHuge, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const auto place = (reinterpret_cast<size_t>(space) + kHuge - 1) / kHuge * kHuge;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an aligned place in the space.
  void* memory = mmap(reinterpret_cast<void*>(place), kHuge, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (memory == MAP_FAILED) return 1;
  for (const int advice : {MADV_NORMAL, MADV_WILLNEED, MADV_HUGEPAGE, MADV_DONTNEED}) {
    if (madvise(memory, kHuge, advice) == 0) continue;
    printf("advice %d failed\n", advice);
    return 1;
  }
  memset(memory, 1, kHuge);
  return Judge("collapse", syscall(SYS_madvise, memory, kHuge, kCollapse)) +
         Judge("collapse, high bits",
               syscall(SYS_madvise, memory, kHuge, 0x100000000UL | kCollapse));
}

// Huge pages that the machine's owner has set aside, of which no limit knows; whether there are any
// now is another matter.
int ReservedPages() {
  constexpr size_t kHuge = 2 << 20;
  constexpr int kHow = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_HUGETLB;
  void* const memory = mmap(nullptr, kHuge, PROT_READ | PROT_WRITE, kHow, -1, 0);
  return Judge("mapping", memory == MAP_FAILED ? -1 : 0) +
         Judge("file", memfd_create("huge", MFD_HUGETLB)) +
         Judge("file, high bits", syscall(SYS_memfd_create, "huge", 0x100000000UL | MFD_HUGETLB));
}

// What is to be kept: a link out, a pipe, a folder, a link on the way.
int Decoys() {
  if (symlink("/etc/passwd", "link") != 0 || mkfifo("pipe", 0644) != 0 ||
      mkdir("folder", 0755) != 0 || symlink("/etc", "away") != 0) {
    return 1;
  }
  FILE* file = fopen("good", "w");
  fputs("good", file);
  return fclose(file);
}

// Hands the descriptor 3 back through itself, and asks for more than was given.
int SendDescriptor() {
  char byte = 'x';
  iovec part{&byte, 1};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  const int file = 3;
  memcpy(CMSG_DATA(header), &file, sizeof file);
  for (int i = 0; i < 10; ++i) sendmsg(3, &message, MSG_NOSIGNAL);
  pause();
  return 0;
}

// Speaks one message and waits for another.
int Converse() {
  char word[64] = {};
  if (send(3, "ready", 5, MSG_NOSIGNAL) != 5) return 1;
  const ssize_t got = recv(3, word, sizeof word, 0);
  if (got <= 0) return 2;
  return send(3, word, static_cast<size_t>(got), MSG_NOSIGNAL) == got ? 0 : 3;
}

constexpr Attack kEscapes[] = {
    {"secrets", ReadSecrets},
    {"write", WriteViews},
    {"processes", Processes},
    {"fds", Descriptors},
    {"interfaces", Interfaces},
    {"environment", Environment},
    {"trace", Trace},
    {"kill-all", KillAll},
    {"network", Network},
    {"namespaces", Namespaces},
    {"mounts", Mounts},
    {"kernel", Kernel},
    {"old-door", OldDoor},
    {"whoami", WhoAmI},
    {"decoys", Decoys},
    {"rights", SendDescriptor},
    {"converse", Converse},
    {"huge-pages", HugePages},
    {"reserved-pages", ReservedPages},
};

}  // namespace

Attacks Escapes() { return {kEscapes, static_cast<int>(std::size(kEscapes))}; }

}  // namespace hone::attacker

// SPDX-License-Identifier: Apache-2.0
#include "hone/sandbox/syscall_filter.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "hone/base/descriptor.h"
#include "hone/base/errno_error.h"
#include "hone/sandbox/warden.h"

namespace hone {
namespace {

// clang-format off
constexpr std::string_view kAllowed =
    // Files.
    "read write pread64 pwrite64 readv writev preadv pwritev preadv2 pwritev2 open openat openat2 "
    "creat close close_range lseek stat fstat lstat newfstatat statx statfs fstatfs access faccessat "
    "faccessat2 getdents getdents64 getcwd chdir fchdir mkdir mkdirat rmdir rename renameat renameat2 "
    "link linkat unlink unlinkat symlink symlinkat readlink readlinkat chmod fchmod fchmodat chown "
    "fchown lchown fchownat truncate ftruncate fallocate fsync fdatasync sync_file_range utime utimes "
    "utimensat futimesat umask dup dup2 dup3 pipe pipe2 sendfile "
    "splice tee vmsplice copy_file_range getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr "
    // Memory.
    "munmap mprotect mremap brk msync mincore mlock mlock2 munlock mlockall munlockall "
    "pkey_alloc pkey_free pkey_mprotect get_mempolicy "
    // Processes and threads; clone is below.
    "execve execveat exit exit_group wait4 waitid getpid getppid gettid getpgid setpgid "
    "getpgrp getsid setsid pidfd_open set_tid_address "
    "set_robust_list get_robust_list futex futex_waitv rseq membarrier sched_yield sched_getaffinity "
    "sched_getparam sched_getscheduler sched_getattr sched_get_priority_max sched_get_priority_min "
    "sched_rr_get_interval getpriority "
    "ioprio_get ioprio_set getrlimit getrusage times arch_prctl capget getcpu "
    "getuid geteuid getgid getegid getresuid getresgid getgroups restart_syscall "
    // Signals and time.
    "rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack pause getitimer nanosleep "
    "clock_nanosleep clock_gettime clock_getres gettimeofday time "
    // Waiting, and talking through what was handed in; new sockets only as pairs.
    "poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait "
    "epoll_pwait2 eventfd eventfd2 signalfd signalfd4 sendto recvfrom sendmsg recvmsg sendmmsg "
    "recvmmsg shutdown getsockname getpeername getsockopt "
    // The machine.
    "uname sysinfo getrandom";

// What a program that stays a single process has no use for.
constexpr std::string_view kOfMany =
    "fork vfork sched_setparam sched_setscheduler sched_setattr setpriority";

// What goes on when the call is over, or stays for the next process: a timer whose signal is blocked
// interrupts whoever runs then, in nobody's time; pages that were asked for lie in a cache of all; a
// memory policy holds for pages that are shared. Who waits with a limit wakes, and is seen. NVIDIA's
// driver may have a use for timers.
constexpr std::string_view kTimers =
    "alarm setitimer timer_create timer_settime timer_gettime timer_getoverrun timer_delete "
    "timerfd_create timerfd_settime timerfd_gettime";
constexpr std::string_view kLasting =
    "fadvise64 readahead set_mempolicy mbind set_mempolicy_home_node";

constexpr std::string_view kRefused =
    "ptrace process_vm_readv process_vm_writev process_madvise kcmp pidfd_getfd mount umount2 "
    "mount_setattr open_tree move_mount fsopen fsconfig fsmount fspick pivot_root chroot setns "
    "unshare bpf perf_event_open keyctl add_key request_key userfaultfd io_uring_setup io_uring_enter "
    "io_uring_register sethostname setdomainname settimeofday clock_settime adjtimex clock_adjtime "
    "syslog acct swapon swapoff reboot kexec_load kexec_file_load init_module finit_module "
    "delete_module iopl ioperm modify_ldt quotactl quotactl_fd name_to_handle_at open_by_handle_at "
    "fanotify_init fanotify_mark lookup_dcookie vhangup seccomp setuid setgid setreuid setregid "
    "setfsuid setfsgid setgroups capset sync syncfs "
    " migrate_pages move_pages";
// clang-format on

constexpr std::array kPrctls{PR_SET_NAME,
                             PR_GET_NAME,
                             PR_SET_PDEATHSIG,
                             PR_GET_PDEATHSIG,
                             PR_GET_DUMPABLE,
                             PR_SET_DUMPABLE,
                             PR_GET_TIMERSLACK,
                             PR_SET_TIMERSLACK,
                             PR_SET_NO_NEW_PRIVS,
                             PR_GET_NO_NEW_PRIVS,
                             PR_CAPBSET_READ,
                             PR_SET_CHILD_SUBREAPER,
                             PR_GET_CHILD_SUBREAPER,
                             PR_GET_SECCOMP,
                             PR_GET_THP_DISABLE,
                             PR_SET_THP_DISABLE,
                             0x53564d41 /* PR_SET_VMA: the name of a mapping */};

constexpr std::array kIoctls{TCGETS, TIOCGWINSZ, TIOCGPGRP, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX};

constexpr std::uint64_t kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                      CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr std::uint64_t kAskPersonality = 0xffffffff;

// What madvise takes. Not MADV_COLLAPSE: it makes huge pages of shared memory, whatever the machine
// is set to, and so a candidate faster than a reference that has small ones of the same file.
constexpr std::array kAdvice{MADV_NORMAL,
                             MADV_RANDOM,
                             MADV_SEQUENTIAL,
                             MADV_WILLNEED,
                             MADV_DONTNEED,
                             MADV_FREE,
                             MADV_DONTFORK,
                             MADV_DOFORK,
                             MADV_MERGEABLE,
                             MADV_UNMERGEABLE,
                             MADV_HUGEPAGE,
                             MADV_NOHUGEPAGE,
                             MADV_DONTDUMP,
                             MADV_DODUMP,
                             MADV_WIPEONFORK,
                             MADV_KEEPONFORK,
                             MADV_COLD,
                             MADV_PAGEOUT,
                             MADV_POPULATE_READ,
                             MADV_POPULATE_WRITE,
                             24 /* MADV_DONTNEED_LOCKED */,
                             102 /* MADV_GUARD_INSTALL */,
                             103 /* MADV_GUARD_REMOVE */};
constexpr int kCollapse = 25;  // As kernels before 6.1 answer it: honest programs go on.

// What fcntl does to a descriptor or a pipe. Not locks, leases and notices: they lie on the inode,
// which a file of the system shares with every sandbox, and so two of them could talk.
constexpr std::array kFileCommands{F_DUPFD,     F_DUPFD_CLOEXEC, F_GETFD,      F_SETFD,
                                   F_GETFL,     F_SETFL,         F_GETPIPE_SZ, F_SETPIPE_SZ,
                                   F_ADD_SEALS, F_GET_SEALS};
constexpr std::array kLocks{F_SETLK, F_SETLKW, F_GETLK, F_OFD_SETLK, F_OFD_SETLKW, F_OFD_GETLK};

using Context = std::unique_ptr<void, decltype(&seccomp_release)>;

// Adds rules until one fails.
class Rules {
 public:
  explicit Rules(scmp_filter_ctx context) : context_(context) {}

  void Each(std::uint32_t action, std::string_view names) {
    while (!names.empty()) {
      const auto end = std::min(names.find(' '), names.size());
      One(action, std::string(names.substr(0, end)).c_str());
      names.remove_prefix(std::min(end + 1, names.size()));
    }
  }

  void One(std::uint32_t action, const char* name) {
    if (const auto number = NumberOf(name)) {
      Note(seccomp_rule_add_array(context_, action, *number, 0, nullptr), name);
    }
  }

  void If(std::uint32_t action, const char* name, scmp_arg_cmp condition) {
    if (const auto number = NumberOf(name)) {
      Note(seccomp_rule_add_array(context_, action, *number, 1, &condition), name);
    }
  }

  void Set(scmp_filter_attr attribute, std::uint32_t value) {
    Note(seccomp_attr_set(context_, attribute, value), "an attribute");
  }

  const std::string& failure() const { return failure_; }

 private:
  // None for a name that this libseccomp does not know, and for a call that this architecture never
  // had: both are negative, and both are refused like everything else that is not named.
  static std::optional<int> NumberOf(const char* name) {
    const int number = seccomp_syscall_resolve_name(name);
    return number < 0 ? std::nullopt : std::optional(number);
  }

  void Note(int result, const char* what) {
    if (result != 0 && failure_.empty()) {
      failure_ = fmt::format("{}: {}", what, std::strerror(-result));
    }
  }

  scmp_filter_ctx context_;
  std::string failure_;
};

std::uint32_t AllowIf(bool is_allowed) {
  return is_allowed ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(EPERM);
}

scmp_arg_cmp Where(unsigned argument, scmp_compare how, scmp_datum_t first, scmp_datum_t second) {
  return {argument, how, first, second};
}

// The kernel looks at the lower half of the number only, and so does this.
void AddAdvice(Rules& rules, bool is_single) {
  const auto is = [](int advice) {
    return Where(2, SCMP_CMP_MASKED_EQ, 0xffffffff, static_cast<scmp_datum_t>(advice));
  };
  for (const int advice : kAdvice) rules.If(SCMP_ACT_ALLOW, "madvise", is(advice));
  rules.If(SCMP_ACT_ERRNO(EINVAL), "madvise", is(kCollapse));
  rules.If(AllowIf(!is_single), "madvise", is(MADV_REMOVE));  // It would make shared memory anew.
}

constexpr scmp_datum_t kLowerHalf = 0xffffffff;

// The kernel looks at the lower half of a command only, and so does this.
void AddFileCommands(Rules& rules, bool has_locks) {
  if (has_locks) return rules.Each(SCMP_ACT_ALLOW, "fcntl flock");
  const auto is = [](int command) {
    return Where(1, SCMP_CMP_MASKED_EQ, kLowerHalf, static_cast<scmp_datum_t>(command));
  };
  for (const int command : kFileCommands) rules.If(SCMP_ACT_ALLOW, "fcntl", is(command));
  for (const int lock : kLocks) rules.If(SCMP_ACT_ERRNO(ENOLCK), "fcntl", is(lock));
  rules.One(SCMP_ACT_ERRNO(ENOLCK), "flock");
}

// Pages that the machine's owner has set aside are counted by no limit of ours.
void AddMappings(Rules& rules, bool has_memory_limit) {
  const auto add = [&](const char* name, unsigned argument, scmp_datum_t huge) {
    rules.If(SCMP_ACT_ALLOW, name, Where(argument, SCMP_CMP_MASKED_EQ, huge, 0));
    rules.If(SCMP_ACT_ERRNO(ENOMEM), name, Where(argument, SCMP_CMP_MASKED_EQ, huge, huge));
  };
  add("mmap", 3, MAP_HUGETLB);
  if (!has_memory_limit) return rules.One(SCMP_ACT_ERRNO(EPERM), "memfd_create");
  add("memfd_create", 1, MFD_HUGETLB);
}

// A process that stays one sends itself no SIGKILL, nor has the kernel send it one when its time is
// over: who dies of it was killed by others.
void AddSignals(Rules& rules, bool is_single) {
  static_assert(SIGKILL == 0b1001);
  constexpr scmp_datum_t kNumbers = 0x7f;  // 64 is the last one.
  for (const auto& [name, argument] : {std::pair{"kill", 1U},
                                       {"tkill", 1U},
                                       {"tgkill", 2U},
                                       {"pidfd_send_signal", 1U},
                                       {"rt_sigqueueinfo", 1U},
                                       {"rt_tgsigqueueinfo", 2U}}) {
    if (!is_single) {
      rules.One(SCMP_ACT_ALLOW, name);
      continue;
    }
    rules.If(SCMP_ACT_ERRNO(EPERM), name, Where(argument, SCMP_CMP_MASKED_EQ, kNumbers, SIGKILL));
    for (scmp_datum_t bit = 1; bit <= kNumbers; bit <<= 1) {  // It differs in one, at least.
      rules.If(SCMP_ACT_ALLOW, name,
               Where(argument, SCMP_CMP_MASKED_EQ, bit, bit & ~scmp_datum_t{SIGKILL}));
    }
  }
}

// Core dumps stay off.
void AddResourceLimits(Rules& rules, bool is_single) {
  for (const auto& [name, argument] : {std::pair{"setrlimit", 0U}, {"prlimit64", 1U}}) {
    for (scmp_datum_t resource = 0; resource < RLIM_NLIMITS; ++resource) {
      const bool kills = resource == RLIMIT_CPU || resource == RLIMIT_RTTIME;
      if (resource == RLIMIT_CORE || (is_single && kills)) continue;
      rules.If(SCMP_ACT_ALLOW, name, Where(argument, SCMP_CMP_MASKED_EQ, kLowerHalf, resource));
    }
  }
}

// A process or a thread, or a thread only.
void AddClone(Rules& rules, bool is_single) {
  const std::uint64_t looked_at = kNamespaces | (is_single ? CLONE_THREAD : 0);
  const std::uint64_t wanted = is_single ? CLONE_THREAD : 0;
  rules.If(SCMP_ACT_ALLOW, "clone", Where(0, SCMP_CMP_MASKED_EQ, looked_at, wanted));
}

void AddConditions(Rules& rules) {
  rules.If(SCMP_ACT_ALLOW, "socketpair", Where(0, SCMP_CMP_EQ, AF_UNIX, 0));
  rules.If(SCMP_ACT_ERRNO(EAFNOSUPPORT), "socketpair", Where(0, SCMP_CMP_NE, AF_UNIX, 0));
  for (const int kind : {0, S_IFREG, S_IFIFO}) {
    const auto type = static_cast<scmp_datum_t>(kind);
    rules.If(SCMP_ACT_ALLOW, "mknod", Where(1, SCMP_CMP_MASKED_EQ, S_IFMT, type));
    rules.If(SCMP_ACT_ALLOW, "mknodat", Where(2, SCMP_CMP_MASKED_EQ, S_IFMT, type));
  }
  for (const int option : kPrctls) {
    rules.If(SCMP_ACT_ALLOW, "prctl", Where(0, SCMP_CMP_EQ, static_cast<scmp_datum_t>(option), 0));
  }
  // The kernel looks at the lower half of an ioctl's number only, and so does this.
  for (const int request : kIoctls) {
    rules.If(SCMP_ACT_ALLOW, "ioctl",
             Where(1, SCMP_CMP_MASKED_EQ, 0xffffffff, static_cast<scmp_datum_t>(request)));
  }
  rules.If(SCMP_ACT_ALLOW, "personality", Where(0, SCMP_CMP_EQ, 0, 0));
  rules.If(SCMP_ACT_ALLOW, "personality", Where(0, SCMP_CMP_EQ, kAskPersonality, 0));
  // Whoever becomes what he is gains nothing; posix_spawn of careful programs (make) asks for it.
  for (const auto& [name, id] :
       {std::pair{"setresuid", kInsideUser}, {"setresgid", kInsideGroup}}) {
    rules.If(SCMP_ACT_ALLOW, name, Where(1, SCMP_CMP_EQ, id, 0));
    rules.If(SCMP_ACT_ERRNO(EPERM), name, Where(1, SCMP_CMP_NE, id, 0));
  }
}

// NVIDIA's driver does not start without a local socket of its own, to which nothing can connect;
// its sanitizers are processes that talk to each other.
void AddSockets(Rules& rules, bool has_gpu, bool talks_inside) {
  const bool has_local = has_gpu || talks_inside;
  rules.Each(AllowIf(has_local), "bind listen");
  rules.Each(AllowIf(talks_inside), "connect accept accept4");
  if (!has_local) return rules.One(SCMP_ACT_ERRNO(EAFNOSUPPORT), "socket");
  rules.If(SCMP_ACT_ALLOW, "socket", Where(0, SCMP_CMP_EQ, AF_UNIX, 0));
  rules.If(SCMP_ACT_ERRNO(EAFNOSUPPORT), "socket", Where(0, SCMP_CMP_NE, AF_UNIX, 0));
}

// Requests of the driver have the letter F, those of its memory manager are small numbers, two
// excepted. No file that a sandbox shows has others of these numbers that do harm.
void AddGpu(Rules& rules) {
  constexpr scmp_datum_t kLower = 0xffffffff;
  rules.If(SCMP_ACT_ALLOW, "ioctl", Where(1, SCMP_CMP_MASKED_EQ, 0xff00, 'F' << 8));
  rules.If(SCMP_ACT_ALLOW, "ioctl", Where(1, SCMP_CMP_MASKED_EQ, kLower & ~scmp_datum_t{0xff}, 0));
  for (const scmp_datum_t begin_or_end : {scmp_datum_t{0x30000001}, scmp_datum_t{0x30000002}}) {
    rules.If(SCMP_ACT_ALLOW, "ioctl", Where(1, SCMP_CMP_MASKED_EQ, kLower, begin_or_end));
  }
}

// All requests of KVM have one number in their second byte; no other file that a sandbox shows
// knows them.
void AddKvm(Rules& rules) {
  rules.If(SCMP_ACT_ALLOW, "ioctl", Where(1, SCMP_CMP_MASKED_EQ, 0xff00, scmp_datum_t{0xae} << 8));
}

Result<std::string> Export(scmp_filter_ctx context) {
  const Descriptor file(::memfd_create("hone-filter", MFD_CLOEXEC));
  if (!file.is_open()) return ErrnoError("the system call filter", errno);
  if (const int failed = seccomp_export_bpf(context, file.get()); failed != 0) {
    return ErrnoError("the system call filter", -failed);
  }
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  std::string program(static_cast<std::size_t>(size), '\0');
  if (::pread(file.get(), program.data(), program.size(), 0) != size) {
    return ErrnoError("the system call filter", EIO);
  }
  return program;
}

Result<std::string> Compile(const FilterSettings& settings) {
  const Context context(seccomp_init(SCMP_ACT_ERRNO(ENOSYS)), &seccomp_release);
  if (!context) return ErrnoError("the system call filter", ENOMEM);
  Rules rules(context.get());
  rules.Set(SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  rules.Set(SCMP_FLTATR_CTL_OPTIMIZE, 2);  // A binary tree instead of a list.
  rules.Each(SCMP_ACT_ALLOW, kAllowed);
  rules.Each(SCMP_ACT_ERRNO(EPERM), kRefused);
  AddConditions(rules);
  AddAdvice(rules, settings.is_single);
  AddFileCommands(rules, !settings.is_single || settings.has_gpu);
  AddMappings(rules, settings.has_memory_limit);
  AddSignals(rules, settings.is_single);
  AddResourceLimits(rules, settings.is_single);
  AddSockets(rules, settings.has_gpu, settings.talks_inside);
  if (settings.has_gpu) AddGpu(rules);
  if (settings.has_kvm) AddKvm(rules);
  AddClone(rules, settings.is_single);
  rules.Each(AllowIf(!settings.is_single), kOfMany);
  rules.Each(AllowIf(!settings.is_single), kLasting);
  rules.Each(AllowIf(!settings.is_single || settings.has_gpu), kTimers);
  rules.One(AllowIf(!settings.is_pinned && !settings.is_single), "sched_setaffinity");
  rules.One(AllowIf(settings.has_memory_limit), "setsockopt");
  if (!rules.failure().empty()) {
    return Error{Errc::kUnsupported, "the system call filter: " + rules.failure()};
  }
  return Export(context.get());
}

}  // namespace

Result<std::string> SyscallFilter(const FilterSettings& settings) {
  static std::mutex mutex;
  // Never destroyed: a thread that makes a spare may still look when the program ends.
  static auto& made = *new std::map<FilterSettings, Result<std::string>>;
  const std::lock_guard lock(mutex);
  const auto found = made.find(settings);
  return found != made.end() ? found->second
                             : made.emplace(settings, Compile(settings)).first->second;
}

}  // namespace hone

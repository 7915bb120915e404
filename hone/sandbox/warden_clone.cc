// SPDX-License-Identifier: Apache-2.0
#include "hone/sandbox/warden_clone.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <iterator>

#include "hone/base/descriptor.h"

namespace hone {
namespace {

// What building a root takes.
constexpr std::array kCapabilities{CAP_SYS_ADMIN, CAP_SETUID, CAP_SETGID, CAP_SETPCAP};

// All that the child uses, made before it exists: it shares our memory, and may not allocate.
struct CloneArguments {
  const int* sources;
  int count;
  int program;
  int error;
};

// An exec would take the capabilities from a user who is nobody in the new namespace.
bool KeepCapabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  if (::syscall(SYS_capget, &header, data) != 0) return false;
  data[0].inheritable = data[0].permitted;
  data[1].inheritable = data[1].permitted;
  if (::syscall(SYS_capset, &header, data) != 0) return false;
  for (const int capability : kCapabilities) {
    if (::syscall(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) != 0) {
      return false;
    }
  }
  return true;
}

// Only system calls from here on. The sources lie above all targets.
int BecomeWarden(void* argument) {
  auto& clone = *static_cast<CloneArguments*>(argument);
  const char* const arguments[] = {"hone-warden", nullptr};
  const char* const environment[] = {nullptr};
  for (int i = 0; i < clone.count; ++i) {
    if (::syscall(SYS_dup3, clone.sources[i], i, 0) < 0) clone.error = errno;
  }
  if (clone.error == 0 && !KeepCapabilities()) clone.error = errno;
  if (clone.error == 0) {
    // What was opened without O_CLOEXEC does not come along.
    ::syscall(SYS_close_range, clone.count, ~0U, CLOSE_RANGE_CLOEXEC);
    ::syscall(SYS_execveat, clone.program, "", arguments, environment, AT_EMPTY_PATH);
    clone.error = errno;
  }
  ::syscall(SYS_exit_group, 127);
  return 127;
}

// Copies above every number that the warden will use.
bool Lift(const WardenCloneOptions& options, std::vector<Descriptor>& lifted,
          std::vector<int>& sources) {
  const int min = static_cast<int>(options.descriptors.size()) + 1;
  std::vector<int> all = options.descriptors;
  all.push_back(options.program);
  for (const int source : all) {
    lifted.emplace_back(::fcntl(source, F_DUPFD_CLOEXEC, min));
    if (!lifted.back().is_open()) return false;
    sources.push_back(lifted.back().get());
  }
  return true;
}

class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

pid_t CloneSharing(CloneArguments& clone, unsigned long namespaces, int& pidfd) {
  alignas(16) std::array<char, 16 << 10> stack;
  const auto flags = static_cast<int>(namespaces | CLONE_VM | CLONE_VFORK | CLONE_PIDFD);
  return ::clone(BecomeWarden, stack.data() + stack.size(), flags, &clone, &pidfd);
}

// Born in a group of version 2. Only the newer call does that, and the C library has no function
// for it that shares memory; so this one copies.
pid_t CloneCopying(CloneArguments& clone, unsigned long namespaces, int group, int& pidfd) {
  clone_args arguments{};
  arguments.flags = namespaces | CLONE_VFORK | CLONE_PIDFD | CLONE_INTO_CGROUP;
  arguments.pidfd = reinterpret_cast<std::uint64_t>(&pidfd);
  arguments.cgroup = static_cast<std::uint64_t>(group);
  const long child = ::syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child == 0) BecomeWarden(&clone);
  return static_cast<pid_t>(child);
}

}  // namespace

pid_t CloneWarden(const WardenCloneOptions& options, int& pidfd) {
  std::vector<Descriptor> lifted;
  std::vector<int> sources;
  if (!Lift(options, lifted, sources)) return -1;
  CloneArguments clone{sources.data(), static_cast<int>(options.descriptors.size()), sources.back(),
                       0};
  const AllSignalsBlocked blocked;
  const pid_t warden = options.group >= 0
                           ? CloneCopying(clone, options.namespaces, options.group, pidfd)
                           : CloneSharing(clone, options.namespaces, pidfd);
  if (warden >= 0 && clone.error != 0) {
    ::close(pidfd);
    ::waitpid(warden, nullptr, __WALL);
    errno = clone.error;
    return -1;
  }
  return warden;
}

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#include "hone/sandbox/owned_view.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "hone/sandbox/sandbox_start.h"

namespace hone {
namespace {

// Shares our memory and does nothing until it is killed, or who started it dies.
int Stay(void* /*unused*/) {
  ::syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  while (true) ::syscall(SYS_ppoll, nullptr, 0, nullptr, nullptr, 0);
}

bool WriteMap(pid_t process, const char* name, unsigned inside) {
  const std::string path = fmt::format("/proc/{}/{}", process, name);
  const std::string text = fmt::format("{} {} 1", inside, kSandboxNobody);
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file.is_open() && ::write(file.get(), text.data(), text.size()) >= 0;
}

// A user namespace in which these are the sandboxes' user, for an idmapped mount.
Descriptor MakeOwnerNamespace(unsigned user, unsigned group) {
  alignas(16) std::array<char, 16 << 10> stack;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t process =
      ::clone(Stay, stack.data() + stack.size(), CLONE_NEWUSER | CLONE_VM, nullptr);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (process < 0) return {};
  Descriptor made;
  if (WriteMap(process, "uid_map", user) && WriteMap(process, "gid_map", group)) {
    const std::string path = fmt::format("/proc/{}/ns/user", process);
    made = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  }
  ::kill(process, SIGKILL);
  while (::waitpid(process, nullptr, __WALL) < 0 && errno == EINTR) {
  }
  return made;
}

}  // namespace

Descriptor CopyOwnedView(const std::filesystem::path& folder) {
  if (::geteuid() != 0) return {};
  Descriptor tree(static_cast<int>(::syscall(SYS_open_tree, AT_FDCWD, folder.c_str(),
                                             OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE)));
  struct stat facts {};
  if (!tree.is_open() || ::fstat(tree.get(), &facts) != 0) return {};
  const Descriptor owner = MakeOwnerNamespace(facts.st_uid, facts.st_gid);
  if (!owner.is_open()) return {};
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_IDMAP;
  attributes.userns_fd = static_cast<std::uint64_t>(owner.get());
  if (::syscall(SYS_mount_setattr, tree.get(), "", AT_EMPTY_PATH, &attributes, sizeof attributes) !=
      0) {
    return {};
  }
  return tree;
}

}  // namespace hone

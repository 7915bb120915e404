// SPDX-License-Identifier: Apache-2.0
#include "hone/sandbox/sandbox_start.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "hone/base/errno_error.h"
#include "hone/base/file.h"
#include "hone/sandbox/recipe.h"
#include "hone/sandbox/warden.h"
#include "hone/sandbox/warden_clone.h"
#include "hone/sandbox/warden_image.h"

namespace hone {
namespace {

struct Pair {
  Descriptor ours;
  Descriptor theirs;
};

Result<Pair> MakePipe(bool is_input) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return ErrnoError("pipe", errno);
  Pair pair{Descriptor(ends[is_input ? 1 : 0]), Descriptor(ends[is_input ? 0 : 1])};
  ::fcntl(pair.ours.get(), F_SETFL, O_NONBLOCK);
  return pair;
}

Result<Pair> MakeSocket() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return ErrnoError("socket", errno);
  }
  return Pair{Descriptor(ends[0]), Descriptor(ends[1])};
}

Result<Pair> MakeInput(const SandboxCommand& command) {
  if (!command.input.empty()) return MakePipe(true);
  Descriptor null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!null.is_open()) return ErrnoError("/dev/null", errno);
  return Pair{Descriptor(), std::move(null)};
}

Result<Descriptor> StoreRecipe(std::string_view recipe) {
  Descriptor file(::memfd_create("hone-recipe", MFD_CLOEXEC));
  if (!file.is_open()) return ErrnoError("recipe", errno);
  while (!recipe.empty()) {
    const ssize_t written = ::write(file.get(), recipe.data(), recipe.size());
    if (written < 0) return ErrnoError("recipe", errno);
    recipe.remove_prefix(static_cast<std::size_t>(written));
  }
  return file;
}

bool IsRoot() { return ::geteuid() == 0; }

RecipeFacts FactsFor(const SandboxStyle& style) {
  RecipeFacts facts;
  facts.optional_parts = style.optional_parts;
  facts.maps_itself = !IsRoot();
  facts.outer_user = IsRoot() ? kSandboxNobody : ::geteuid();
  facts.outer_group = IsRoot() ? kSandboxNobody : ::getegid();
  facts.has_memory_group = OurGroupPlaces().places.contains("memory");
  facts.has_process_group = OurGroupPlaces().places.contains("pids");
  facts.has_own_name = (style.namespaces & CLONE_NEWUTS) != 0;
  facts.is_trial = style.is_trial;
  for (const auto& [host, tree] : style.trees) facts.trees.insert(host);
  return facts;
}

Result<void> WriteMap(pid_t warden, const char* name, unsigned inside, unsigned outer) {
  const std::string path = fmt::format("/proc/{}/{}", warden, name);
  const std::string text = fmt::format("{} {} 1", inside, outer);
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.is_open()) return ErrnoError(path, errno);
  if (::write(file.get(), text.data(), text.size()) < 0) return ErrnoError(path, errno);
  return {};
}

// As root, we map the user of the sandbox to nobody; others can only map their own, and the warden
// does that.
Result<void> MapUser(pid_t warden) {
  if (!IsRoot()) return {};
  if (auto user = WriteMap(warden, "uid_map", kInsideUser, kSandboxNobody); !user) return user;
  return WriteMap(warden, "gid_map", kInsideGroup, kSandboxNobody);
}

Descriptor OpenMounts(pid_t warden) {
  const std::string path = fmt::format("/proc/{}/ns/mnt", warden);
  return Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

// Of namespaces ENOSPC says that there are too many, not that a disk is full.
Error CannotStart(int number) {
  if (number != ENOSPC && number != EPERM && number != EUSERS) {
    return ErrnoError("starting a sandbox", number);
  }
  return {Errc::kUnsupported,
          "starting a sandbox: namespaces cannot be made; see sysctl user.max_user_namespaces, and "
          "whether a container or a security module forbids it"};
}

struct Born {
  pid_t warden = -1;
  int pidfd = -1;
  std::optional<Error> error;
};

// In a thread of its own: one that moves is faster than a process.
Born CloneInto(ControlGroup& group, WardenCloneOptions options) {
  Born born;
  std::thread([&] {
    if (auto entered = group.EnterThread(); !entered) {
      born.error = entered.error();
      return;
    }
    options.group = group.clone_into();
    born.warden = CloneWarden(options, born.pidfd);
    if (born.warden < 0) born.error = CannotStart(errno);
    group.LeaveThread();
  }).join();
  return born;
}

void Abandon(StartedSandbox& sandbox) {
  KillSandbox(sandbox);
  ::waitpid(sandbox.warden, nullptr, __WALL);
}

GroupLimits GroupLimitsOf(const SandboxLimits& limits) {
  // The warden is one process more.
  return {limits.memory_mib << 20, limits.processes + 1, limits.cpus};
}

}  // namespace

unsigned long AllNamespaces() {
  return NeededNamespaces() | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET | CLONE_NEWCGROUP;
}

unsigned long NeededNamespaces() { return CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID; }

void KillSandbox(const StartedSandbox& sandbox) {
  ::syscall(SYS_pidfd_send_signal, sandbox.pidfd.get(), SIGKILL, nullptr, 0);
}

Result<StartedSandbox> StartSandbox(const SandboxCommand& command, const SandboxStyle& style) {
  if (auto valid = ValidateSandboxCommand(command); !valid) return valid.error();
  const auto program = style.warden >= 0 ? Result<int>(style.warden) : WardenFile();
  if (!program) return program.error();
  auto recipe = MakeRecipe(command, FactsFor(style));
  if (!recipe) return recipe.error();
  const auto recipe_file = StoreRecipe(*recipe);
  if (!recipe_file) return recipe_file.error();
  auto input = MakeInput(command);
  if (!input) return input.error();
  auto output = MakePipe(false);
  if (!output) return output.error();
  auto errors = MakePipe(false);
  if (!errors) return errors.error();
  auto socket = MakeSocket();
  if (!socket) return socket.error();
  auto group = MakeControlGroup(GroupLimitsOf(command.limits));
  if (!group) return group.error();

  WardenCloneOptions options;
  options.namespaces = style.namespaces;
  options.program = *program;
  options.descriptors = {input->theirs.get(), output->theirs.get(), errors->theirs.get(),
                         socket->theirs.get(), recipe_file->get()};
  options.descriptors.insert(options.descriptors.end(), command.descriptors.begin(),
                             command.descriptors.end());
  for (const SandboxView& view : OrderedViews(command)) {
    const auto tree = style.trees.find(view.host);
    if (tree != style.trees.end()) options.descriptors.push_back(tree->second);
  }
  const Born born = CloneInto(**group, std::move(options));
  if (born.error) return *born.error;
  StartedSandbox sandbox{born.warden,
                         Descriptor(born.pidfd),
                         std::move(socket->ours),
                         std::move(input->ours),
                         std::move(output->ours),
                         std::move(errors->ours),
                         *std::move(group),
                         OpenMounts(born.warden)};
  if (auto mapped = MapUser(sandbox.warden); !mapped) {
    Abandon(sandbox);
    return mapped.error();
  }
  ::send(sandbox.socket.get(), &kWardenGo, sizeof kWardenGo, MSG_NOSIGNAL);
  return sandbox;
}

int TryNamespaces(unsigned long namespaces) {
  const auto program = WardenFile();
  if (!program) return ENOEXEC;
  WardenCloneOptions options;
  options.namespaces = namespaces;
  options.program = *program;
  int pidfd = -1;
  // Without a socket it ends by itself.
  const pid_t warden = CloneWarden(options, pidfd);
  if (warden < 0) return errno;
  const Descriptor closed(pidfd);
  ::waitpid(warden, nullptr, __WALL);
  return 0;
}

}  // namespace hone

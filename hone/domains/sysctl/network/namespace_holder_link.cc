// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/network/namespace_holder_link.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "hone/base/errno_error.h"
#include "hone/base/process/embedded_program.h"
#include "hone/domains/sysctl/network/namespace_holder_image.h"

namespace hone::sysctl {
namespace {

constexpr int kMin = 10;  // Above the descriptors that the holder gets by number.

struct Ends {
  Descriptor ours;
  Descriptor theirs;
};

Result<Ends> MakeEnds() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return ErrnoError("private network: socket", errno);
  }
  const Descriptor low_ours(ends[0]);
  const Descriptor low_theirs(ends[1]);
  Ends lifted{Descriptor(::fcntl(ends[0], F_DUPFD_CLOEXEC, kMin)),
              Descriptor(::fcntl(ends[1], F_DUPFD_CLOEXEC, kMin))};
  if (!lifted.ours.is_open() || !lifted.theirs.is_open()) {
    return ErrnoError("private network: socket", errno);
  }
  return lifted;
}

// With its socket, nothing else of ours, and every signal blocked.
Result<pid_t> Spawn(const std::string& image, int socket) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int number = 0; number < kNamespaceHolderSocket; ++number) {
    posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0);
  }
  posix_spawn_file_actions_adddup2(&actions, socket, kNamespaceHolderSocket);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  std::string name = "hone-network";
  std::array<char*, 2> arguments{name.data(), nullptr};
  std::array<char*, 1> environment{nullptr};
  pid_t pid = 0;
  const int code = ::posix_spawn(&pid, image.c_str(), &actions, &attributes, arguments.data(),
                                 environment.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (code != 0) return ErrnoError("private network: its keeper", code);
  return pid;
}

Result<NamespaceHolderAnswer> Receive(int socket) {
  std::string bytes(sizeof(NamespaceHolderReply) + kMaxNamespaceHolderBytes, '\0');
  ssize_t got = 0;
  do {
    got = ::recv(socket, bytes.data(), bytes.size(), 0);
  } while (got < 0 && errno == EINTR);
  if (got < static_cast<ssize_t>(sizeof(NamespaceHolderReply))) {
    return Error{Errc::kUnavailable, "private network: its keeper is gone; who ended it?"};
  }
  NamespaceHolderAnswer answer;
  std::memcpy(&answer.reply, bytes.data(), sizeof answer.reply);
  bytes.resize(static_cast<std::size_t>(got));
  answer.data = bytes.substr(sizeof answer.reply);
  return answer;
}

std::string_view WhatFailed(NamespaceHolderStage stage) {
  switch (stage) {
    case NamespaceHolderStage::kUserNamespace:
      return "this user may not make a user namespace";
    case NamespaceHolderStage::kUserMap:
      return "a user namespace could not be set up";
    case NamespaceHolderStage::kVeth:
      return "no veth pair could be made";
    case NamespaceHolderStage::kAddress:
      return "the veth pair could not be taken up";
    default:
      return "no network namespace could be made";
  }
}

std::string_view WhatToDo(const NamespaceHolderReply& reply) {
  if (reply.number == ENOSPC) return "; raise user.max_net_namespaces or user.max_user_namespaces";
  if (reply.stage == NamespaceHolderStage::kVeth && reply.number == EOPNOTSUPP) {
    return "; this kernel was built without veth";
  }
  if (reply.number == EPERM || reply.number == EACCES) {
    return "; run as root, or allow user namespaces (kernel.unprivileged_userns_clone, "
           "kernel.apparmor_restrict_unprivileged_userns)";
  }
  return "";
}

Error StartError(const NamespaceHolderReply& reply) {
  return {Errc::kUnsupported,
          fmt::format("private network: {} ({}){}", WhatFailed(reply.stage),
                      std::generic_category().message(reply.number), WhatToDo(reply))};
}

}  // namespace

Result<std::unique_ptr<NamespaceHolderLink>> NamespaceHolderLink::Start() {
  const auto image = NamespaceHolderFile();
  if (!image) return image.error();
  auto ends = MakeEnds();
  if (!ends) return ends.error();
  const auto pid = Spawn(PathOfProgram(*image), ends->theirs.get());
  if (!pid) return pid.error();
  ends->theirs.Close();
  auto link = std::make_unique<NamespaceHolderLink>(std::move(ends->ours), *pid);
  const auto first = Receive(link->socket_.get());
  if (!first) return first.error();
  if (first->reply.number != 0) return StartError(first->reply);
  return link;
}

NamespaceHolderLink::~NamespaceHolderLink() {
  socket_.Close();
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Result<NamespaceHolderAnswer> NamespaceHolderLink::Ask(NamespaceHolderVerb verb, int side,
                                                       const std::string& path,
                                                       std::string_view text) {
  const NamespaceHolderRequest head{verb, side, static_cast<std::uint32_t>(path.size())};
  std::string message(reinterpret_cast<const char*>(&head), sizeof head);
  message.append(path).append(text);
  if (message.size() > kMaxNamespaceHolderBytes) {
    return Error{Errc::kInvalidArgument, fmt::format("{}: the text is too long", path)};
  }
  if (::send(socket_.get(), message.data(), message.size(), MSG_NOSIGNAL) < 0) {
    return Error{Errc::kUnavailable, "private network: its keeper is gone; who ended it?"};
  }
  return Receive(socket_.get());
}

}  // namespace hone::sysctl

// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/load_runner.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "hone/base/errno_error.h"
#include "hone/domains/compute/runner/channel_runner.h"
#include "hone/domains/compute/runner/load_message.h"

namespace hone::compute {
namespace {

constexpr timeval kMappingTimeout{30, 0};

Result<void> SendLoad(int socket, const LoadMessage& message, std::array<int, 2> descriptors) {
  iovec part{const_cast<LoadMessage*>(&message), sizeof(message)};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(descriptors))> control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  cmsghdr* const rights = CMSG_FIRSTHDR(&header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(descriptors));
  std::memcpy(CMSG_DATA(rights), descriptors.data(), sizeof(descriptors));
  if (::sendmsg(socket, &header, MSG_NOSIGNAL) < 0) return ErrnoError("runner", errno);
  return {};
}

// Waits for the message that the memory is mapped; the kernel says who sent it.
Result<pid_t> AwaitMapped(int socket) {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &kMappingTimeout, sizeof(kMappingTimeout));
  if (::recvmsg(socket, &header, MSG_CMSG_CLOEXEC) != 1) {
    return Error{Errc::kUnavailable, "runner: it ended before it was handed a kernel"};
  }
  const cmsghdr* const sender = CMSG_FIRSTHDR(&header);
  ucred who{};
  if (sender != nullptr && sender->cmsg_type == SCM_CREDENTIALS) {
    std::memcpy(&who, CMSG_DATA(sender), sizeof(who));
  }
  if (who.pid > 0) return who.pid;
  return Error{Errc::kUnsupported, "runner: the kernel does not say which process it is"};
}

}  // namespace

Result<Loaded> LoadIntoRunner(WarmSandbox warm, int content, const std::string& entry_point,
                              const LoadOrder& order) {
  auto channel = CallChannel::Make(order.arena_bytes);
  if (!channel) return channel.error();
  const int socket = warm.ours.at(0).get();
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes));
  LoadMessage message{kLoadMagic, kBlockVersion, channel->bytes(), {}};
  entry_point.copy(message.entry_point, sizeof(message.entry_point) - 1);
  auto sent = SendLoad(socket, message, {channel->descriptor(), content});
  if (!sent) return sent.error();
  const auto pid = AwaitMapped(socket);
  if (!pid) return pid.error();
  auto runner = std::make_unique<ChannelRunner>(std::move(warm.sandbox), std::move(*channel), *pid);
  runner->Pin(order.cpus);
  Loaded loaded;
  loaded.fault = runner->AwaitLoaded(order.limit, order.stop);
  if (!loaded.fault) loaded.runner = std::move(runner);
  return loaded;
}

}  // namespace hone::compute

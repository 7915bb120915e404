// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/hand_over.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "hone/base/errno_error.h"

namespace hone::compute {
namespace {

constexpr timeval kMappingTimeout{30, 0};

Result<void> Send(int socket, std::span<const std::byte> message,
                  std::span<const int> descriptors) {
  iovec part{const_cast<std::byte*>(message.data()), message.size()};
  std::vector<cmsghdr> control(CMSG_SPACE(descriptors.size_bytes()) / sizeof(cmsghdr) + 1);
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
  cmsghdr* const rights = CMSG_FIRSTHDR(&header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
  std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
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

Result<pid_t> HandOver(int socket, std::span<const std::byte> message,
                       std::span<const int> descriptors) {
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes));
  if (auto sent = Send(socket, message, descriptors); !sent) return sent.error();
  return AwaitMapped(socket);
}

}  // namespace hone::compute

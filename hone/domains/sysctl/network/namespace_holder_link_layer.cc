// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/network/namespace_holder_link_layer.h"

#include <arpa/inet.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace hone::sysctl {
namespace {

// A netlink message under construction; everything in it is aligned to four bytes.
class Message {
 public:
  void Put(const void* bytes, std::size_t size) {
    memcpy(bytes_ + size_, bytes, size);
    size_ += (size + 3) / 4 * 4;
  }

  // What is put until Close lies inside the attribute.
  std::size_t Open(int type) {
    const std::size_t at = size_;
    const rtattr attribute{sizeof(rtattr), static_cast<unsigned short>(type)};
    Put(&attribute, sizeof attribute);
    return at;
  }

  void Close(std::size_t at) {
    const auto length = static_cast<unsigned short>(size_ - at);
    memcpy(bytes_ + at + offsetof(rtattr, rta_len), &length, sizeof length);
  }

  void Add(int type, const void* bytes, std::size_t size) {
    const std::size_t at = Open(type);
    Put(bytes, size);
    const auto length = static_cast<unsigned short>(sizeof(rtattr) + size);
    memcpy(bytes_ + at + offsetof(rtattr, rta_len), &length, sizeof length);
  }

  void AddText(int type, const char* text) { Add(type, text, strlen(text) + 1); }

  // Sends it and waits for the kernel's word: 0, or an errno.
  int Send(int type, int flags) {
    auto* const header = reinterpret_cast<nlmsghdr*>(bytes_);
    header->nlmsg_len = static_cast<unsigned>(size_);
    header->nlmsg_type = static_cast<unsigned short>(type);
    header->nlmsg_flags = static_cast<unsigned short>(flags | NLM_F_REQUEST | NLM_F_ACK);
    const int socket = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (socket < 0) return errno;
    const int number = SendOn(socket);
    close(socket);
    return number;
  }

 private:
  int SendOn(int socket) const {
    if (send(socket, bytes_, size_, 0) < 0) return errno;
    alignas(nlmsghdr) char answer[4096];
    if (recv(socket, answer, sizeof answer, 0) < static_cast<ssize_t>(sizeof(nlmsghdr))) {
      return EPROTO;
    }
    const auto* const header = reinterpret_cast<const nlmsghdr*>(answer);
    if (header->nlmsg_type != NLMSG_ERROR) return EPROTO;
    return -reinterpret_cast<const nlmsgerr*>(answer + NLMSG_HDRLEN)->error;
  }

  alignas(nlmsghdr) char bytes_[512] = {};
  std::size_t size_ = NLMSG_HDRLEN;
};

int Request(int socket, unsigned long what, ifreq& request) {
  return ioctl(socket, what, &request) == 0 ? 0 : errno;
}

int SetAddress(int socket, ifreq& request, unsigned long what, const char* text) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, text, &address.sin_addr);
  memcpy(&request.ifr_addr, &address, sizeof address);
  return Request(socket, what, request);
}

int RaiseFlags(int socket, ifreq& request) {
  if (const int number = Request(socket, SIOCGIFFLAGS, request); number != 0) return number;
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP | IFF_RUNNING);
  return Request(socket, SIOCSIFFLAGS, request);
}

int TakeUpOn(int socket, const char* interface, const char* address) {
  ifreq request{};
  strncpy(request.ifr_name, interface, IFNAMSIZ - 1);
  if (address != nullptr) {
    if (const int number = SetAddress(socket, request, SIOCSIFADDR, address); number != 0) {
      return number;
    }
    if (const int number = SetAddress(socket, request, SIOCSIFNETMASK, "255.255.255.0");
        number != 0) {
      return number;
    }
  }
  return RaiseFlags(socket, request);
}

}  // namespace

int MakeVeth(int peer_namespace) {
  Message message;
  const ifinfomsg none{};
  message.Put(&none, sizeof none);
  message.AddText(IFLA_IFNAME, kVethName);
  const std::size_t link = message.Open(IFLA_LINKINFO);
  message.AddText(IFLA_INFO_KIND, "veth");
  const std::size_t data = message.Open(IFLA_INFO_DATA);
  const std::size_t peer = message.Open(VETH_INFO_PEER);
  message.Put(&none, sizeof none);
  message.AddText(IFLA_IFNAME, kVethName);
  message.Add(IFLA_NET_NS_FD, &peer_namespace, sizeof peer_namespace);
  message.Close(peer);
  message.Close(data);
  message.Close(link);
  return message.Send(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
}

int TakeUp(const char* interface, const char* address) {
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return errno;
  const int number = TakeUpOn(socket, interface, address);
  close(socket);
  return number;
}

int TakeUpLoopback() { return TakeUp("lo", nullptr); }

}  // namespace hone::sysctl

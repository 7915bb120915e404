// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/workload/fork_watch.h"

#include <arpa/inet.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "hone/base/descriptor.h"

namespace hone::sysctl {
namespace {

// A message of the kernel's process connector: netlink's header, the connector's, the event.
constexpr std::size_t kConnectorAt = NLMSG_HDRLEN;
constexpr std::size_t kEventAt = kConnectorAt + sizeof(cn_msg);

constexpr std::size_t kMaxKnown = 1'000'000;

// As the kernel has them; in which scope its header names them depends on its version.
constexpr std::uint32_t kAnswer = 0;
constexpr std::uint32_t kFork = 1;

constexpr int kMaxGenerations = 1000;

// Lets through forks, and the answer to what was asked.
bool FilterForks(int socket) {
  std::array<sock_filter, 5> program{
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kEventAt),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(kFork), 1, 0),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(kAnswer), 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, 0xffffffff), sock_filter BPF_STMT(BPF_RET | BPF_K, 0)};
  const sock_fprog filter{program.size(), program.data()};
  return ::setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0;
}

Descriptor OpenConnector(int room_bytes) {
  Descriptor socket(
      ::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR));
  if (!socket.is_open() || !FilterForks(socket.get())) return Descriptor();
  (void)::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUFFORCE, &room_bytes, sizeof room_bytes);
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = CN_IDX_PROC;
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  return ::bind(socket.get(), generic, sizeof address) == 0 ? std::move(socket) : Descriptor();
}

template <typename Part>
Part PartAt(const char* message, std::size_t place) {
  Part part;
  std::memcpy(&part, message + place, sizeof part);
  return part;
}

class ForkWatchOfKernel final : public ForkWatch {
 public:
  explicit ForkWatchOfKernel(Descriptor socket) : socket_(std::move(socket)) {}
  ForkWatchOfKernel(const ForkWatchOfKernel&) = delete;
  ForkWatchOfKernel& operator=(const ForkWatchOfKernel&) = delete;
  ~ForkWatchOfKernel() override { Ask(PROC_CN_MCAST_IGNORE); }

  bool Begin() {
    if (!Ask(PROC_CN_MCAST_LISTEN)) return false;
    Listen();  // The kernel answers before the request returns, or not at all.
    return is_answered_;
  }

  std::optional<bool> DescendsFromAny(pid_t pid, const std::vector<pid_t>& ancestors) override {
    Listen();
    for (int i = 0; i < kMaxGenerations; ++i) {
      if (std::find(ancestors.begin(), ancestors.end(), pid) != ancestors.end()) return true;
      const auto found = parents_.find(pid);
      if (found == parents_.end()) break;  // Older than the watch.
      pid = found->second;
    }
    if (is_incomplete_) return std::nullopt;
    return false;
  }

  void Listen() override {
    std::array<char, 1024> message{};
    while (true) {
      const ssize_t size = ::recv(socket_.get(), message.data(), message.size(), 0);
      if (size < 0 && errno == EINTR) continue;
      if (size < 0 && errno == ENOBUFS) {
        is_incomplete_ = true;
        continue;
      }
      if (size < 0) return;
      Take(message.data(), static_cast<std::size_t>(size));
    }
  }

 private:
  bool Ask(proc_cn_mcast_op request) const {
    std::array<char, kEventAt + sizeof request> message{};
    nlmsghdr header{};
    header.nlmsg_len = message.size();
    header.nlmsg_type = NLMSG_DONE;
    std::memcpy(message.data(), &header, sizeof header);
    std::array<std::uint32_t, 2> id{CN_IDX_PROC, CN_VAL_PROC};
    std::memcpy(message.data() + kConnectorAt + offsetof(cn_msg, id), id.data(), sizeof id);
    const std::uint16_t size = sizeof request;
    std::memcpy(message.data() + kConnectorAt + offsetof(cn_msg, len), &size, sizeof size);
    std::memcpy(message.data() + kEventAt, &request, sizeof request);
    return ::send(socket_.get(), message.data(), message.size(), 0) ==
           static_cast<ssize_t>(message.size());
  }

  void Take(const char* message, std::size_t size) {
    if (size < kEventAt + sizeof(proc_event)) return;
    const auto event = PartAt<proc_event>(message, kEventAt);
    const auto what = static_cast<std::uint32_t>(event.what);
    if (what == kAnswer) {
      is_answered_ = is_answered_ || event.event_data.ack.err == 0;
    } else if (what == kFork) {
      const auto& fork = event.event_data.fork;
      if (fork.child_pid != fork.child_tgid) return;  // A thread.
      if (parents_.size() < kMaxKnown) {
        parents_[fork.child_tgid] = fork.parent_tgid;
      } else {
        is_incomplete_ = true;
      }
    }
  }

  const Descriptor socket_;
  std::unordered_map<pid_t, pid_t> parents_;
  bool is_answered_ = false;
  bool is_incomplete_ = false;
};

}  // namespace

std::unique_ptr<ForkWatch> ForkWatch::Start(int room_bytes) {
  Descriptor socket = OpenConnector(room_bytes);
  if (!socket.is_open()) return nullptr;
  auto watch = std::make_unique<ForkWatchOfKernel>(std::move(socket));
  return watch->Begin() ? std::move(watch) : nullptr;
}

}  // namespace hone::sysctl

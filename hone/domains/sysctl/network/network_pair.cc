// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/network/network_pair.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "hone/domains/sysctl/network/namespace_files.h"
#include "hone/domains/sysctl/network/namespace_holder_link.h"

namespace hone::sysctl {
namespace {

class KeptPair final : public NetworkPair {
 public:
  explicit KeptPair(std::unique_ptr<NamespaceHolderLink> holder)
      : holder_(std::move(holder)), files_(MakeNamespaceFiles(*holder_)) {}

  KernelFiles& files() override { return *files_; }
  const std::string& server_address() const override { return address_; }
  std::vector<std::string> server_prefix() const override { return PrefixOf(kServerNamespace); }
  std::vector<std::string> client_prefix() const override { return PrefixOf(kClientNamespace); }
  std::string client_namespace() const override {
    return fmt::format("/proc/{}/fd/{}", holder_->pid(), kClientNamespace);
  }

 private:
  // The holder is our child until the destructor, so its pid cannot become another's.
  std::vector<std::string> PrefixOf(int side) const {
    const std::string pid = std::to_string(holder_->pid());
    return {fmt::format("/proc/{}/exe", pid), "enter", pid, std::to_string(side), "--"};
  }

  std::unique_ptr<NamespaceHolderLink> holder_;
  std::unique_ptr<KernelFiles> files_;
  std::string address_ = kServerAddress;
};

// What bears on speed, is a namespace's own, and is no secret of it.
constexpr std::string_view kInherited[] = {
    "/proc/sys/net/core/*", "/proc/sys/net/ipv4/tcp_*", "/proc/sys/net/ipv4/udp_*",
    "/proc/sys/net/ipv4/ip_local_port_range", "/proc/sys/net/unix/max_dgram_qlen"};
constexpr std::string_view kOwn[] = {"/proc/sys/net/ipv4/tcp_fastopen_key",
                                     "/proc/sys/net/core/rps_default_mask"};

bool IsOwn(std::string_view path) {
  for (const std::string_view own : kOwn) {
    if (path == own) return true;
  }
  return false;
}

// A new namespace begins with the kernel's defaults; what is tuned in it is to be the host's.
Result<void> TakeOver(KernelFiles& host, KernelFiles& files) {
  for (const std::string_view pattern : kInherited) {
    const auto paths = files.Match(std::string(pattern));
    if (!paths) return paths.error();
    for (const std::string& path : *paths) {
      if (IsOwn(path) || !files.IsWritable(path)) continue;
      const auto theirs = host.Read(path);
      const auto ours = files.Read(path);
      if (!theirs || !ours || *theirs == *ours) continue;
      if (auto written = files.Write(path, *theirs); !written) return written.error();
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<NetworkPair>> NetworkPair::Make() {
  auto holder = NamespaceHolderLink::Start();
  if (!holder) return holder.error();
  auto pair = std::make_unique<KeptPair>(std::move(*holder));
  if (auto taken = TakeOver(*MakeHostFiles(), pair->files()); !taken) return taken.error();
  // What one connection learnt of the path must not help or harm the next.
  auto set = pair->files().Write("/proc/sys/net/ipv4/tcp_no_metrics_save", "1");
  if (!set) return set.error();
  return pair;
}

}  // namespace hone::sysctl

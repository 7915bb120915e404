// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"

// Settings of network devices for which the kernel has calls (SIOCETHTOOL) instead of files. Their
// paths are made up, so that they are parameters like all others:
//
//   /ethtool/eth0/features/rx-gro      on or off; features as ethtool -k names them
//   /ethtool/eth0/ring/rx              descriptors; rx, tx, and rx-max, tx-max to be read only
//   /ethtool/eth0/channels/combined    queues; combined, rx, tx, and their -max
namespace hone::sysctl {

bool IsEthtoolPath(std::string_view path);

// The command line of ethtool(8) that does the same, for people: "ethtool -G eth0 rx 512".
std::string EthtoolCommand(const std::string& path, const std::string& text);

// One call. `command` is a structure of linux/ethtool.h. What the kernel says, or minus an errno.
using EthtoolCall = std::function<int(const std::string& device, void* command)>;

class Ethtool {
 public:
  explicit Ethtool(EthtoolCall call);
  // This process' network namespace.
  Ethtool();

  // As KernelFiles has them; kNotFound: no such device, or it does not have this.
  Result<std::string> Read(const std::string& path) const;
  Result<void> Write(const std::string& path, const std::string& text) const;
  bool IsWritable(const std::string& path) const;

  // The paths of all that the device has and lets be changed, and of what bounds it, in order.
  std::vector<std::string> FilesOf(const std::string& device) const;

 private:
  EthtoolCall call_;
};

}  // namespace hone::sysctl

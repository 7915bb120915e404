// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"

namespace hone::sysctl {

// Two private network namespaces joined by a veth pair: the service's side and the client's. What
// is set in them touches neither the host nor other pairs, and vanishes with the pair, also when
// this process is killed. Works without root where the kernel allows user namespaces; programs
// then run in it as the same user, without any right that they lack outside.
//
// The parameters begin with the host's values, except that tcp_no_metrics_save is on. A congestion
// control that the host does not allow (tcp_allowed_congestion_control) is refused, to root too.
class NetworkPair {
 public:
  // kUnsupported: the kernel or a missing program does not allow it; the message says which.
  static Result<std::unique_ptr<NetworkPair>> Make();

  virtual ~NetworkPair() = default;

  // Only what is below /proc/sys/net. Writes go to both sides, reads come from the service's side;
  // a difference is an Error (namespace_files.h). Not safe for concurrent use.
  virtual KernelFiles& files() = 0;

  virtual const std::string& server_address() const = 0;  // As the client sees it.

  // Put before a command, they run it on that side, as long as the pair lives.
  virtual std::vector<std::string> server_prefix() const = 0;
  virtual std::vector<std::string> client_prefix() const = 0;

  // A file that setns takes, as long as the pair lives.
  virtual std::string client_namespace() const = 0;
};

}  // namespace hone::sysctl

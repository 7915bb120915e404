// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hone/base/descriptor.h"
#include "hone/core/result.h"
#include "hone/domains/sysctl/network/keeper.h"

namespace hone::sysctl {

// The keeper's answer: what it says, and the errno with the stage at which it came.
struct KeeperAnswer {
  KeeperReply reply;
  std::string data;
};

// A running keeper. The destructor ends it, and waits until it is gone. Not safe for concurrent
// use.
class KeeperLink {
 public:
  // Returns once both namespaces are there and joined. kUnsupported: this kernel does not allow
  // it, or not to this user; the message says what.
  static Result<std::unique_ptr<KeeperLink>> Start();

  KeeperLink(Descriptor socket, pid_t pid) : socket_(std::move(socket)), pid_(pid) {}
  KeeperLink(const KeeperLink&) = delete;
  KeeperLink& operator=(const KeeperLink&) = delete;
  ~KeeperLink();

  pid_t pid() const { return pid_; }

  // kUnavailable: the keeper is gone.
  Result<KeeperAnswer> Ask(KeeperVerb verb, int side, const std::string& path,
                           std::string_view text = {});

 private:
  Descriptor socket_;
  pid_t pid_;
};

}  // namespace hone::sysctl

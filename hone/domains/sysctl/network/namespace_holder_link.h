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
#include "hone/domains/sysctl/network/namespace_holder.h"

namespace hone::sysctl {

// The holder's answer: what it says, and the errno with the stage at which it came.
struct NamespaceHolderAnswer {
  NamespaceHolderReply reply;
  std::string data;
};

// A running holder. The destructor ends it, and waits until it is gone. Not safe for concurrent
// use.
class NamespaceHolderLink {
 public:
  // Returns once both namespaces are there and joined. kUnsupported: this kernel does not allow
  // it, or not to this user; the message says what.
  static Result<std::unique_ptr<NamespaceHolderLink>> Start();

  NamespaceHolderLink(Descriptor socket, pid_t pid) : socket_(std::move(socket)), pid_(pid) {}
  NamespaceHolderLink(const NamespaceHolderLink&) = delete;
  NamespaceHolderLink& operator=(const NamespaceHolderLink&) = delete;
  ~NamespaceHolderLink();

  pid_t pid() const { return pid_; }

  // kUnavailable: the holder is gone.
  Result<NamespaceHolderAnswer> Ask(NamespaceHolderVerb verb, int side, const std::string& path,
                                    std::string_view text = {});

 private:
  Descriptor socket_;
  pid_t pid_;
};

}  // namespace hone::sysctl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <vector>

namespace hone::sysctl {

// Hears who starts whom on this machine, so that a process can be traced that has ended. Not safe
// for concurrent use.
class ForkWatch {
 public:
  // Room for some 20,000 forks between two calls; memory is taken only as it is needed.
  static constexpr int kRoomBytes = 16 << 20;

  // Null where the kernel does not tell: without root, and in a container.
  static std::unique_ptr<ForkWatch> Start(int room_bytes = kRoomBytes);

  virtual ~ForkWatch() = default;

  // Whether a process is one of these, or descends from one by forks since Start. nullopt: the
  // kernel had more to tell than there was room for.
  virtual std::optional<bool> DescendsFromAny(pid_t pid, const std::vector<pid_t>& ancestors) = 0;

  // Takes what the kernel has told so far, so that there is room for more. Call it now and then.
  virtual void Listen() = 0;
};

}  // namespace hone::sysctl

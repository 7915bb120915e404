// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <utility>

#include "hone/base/descriptor.h"
#include "hone/core/result.h"
#include "hone/domains/sysctl/apply/transaction_lock.h"

namespace hone::sysctl {

// A running guardian (guardian.h), seen from the process that it guards. It works on the host's
// own parameters. Destroyed without a farewell, it puts everything back.
class GuardianProcess {
 public:
  // On return it is watching.
  static Result<GuardianProcess> Start(const std::filesystem::path& folder,
                                       const TransactionLock& lock);

  GuardianProcess(GuardianProcess&& other) noexcept;
  GuardianProcess& operator=(GuardianProcess&& other) noexcept;
  ~GuardianProcess();

  bool IsAlive() const;
  pid_t pid() const { return pid_; }

  // Nothing is left to put back. Waits until it is gone.
  void Withdraw();

  // From now on it waits for a confirmation instead of our death; see guardian.h.
  Result<void> LeaveUntil(std::int64_t until_ms);

 private:
  GuardianProcess(pid_t pid, Descriptor process, Descriptor socket)
      : pid_(pid), process_(std::move(process)), socket_(std::move(socket)) {}

  Result<void> AwaitReady();
  void AwaitEnd();

  pid_t pid_ = -1;
  Descriptor process_;  // A pidfd.
  Descriptor socket_;
};

}  // namespace hone::sysctl
